package transcript

// plain is the dialect of programs without records: text for people.
type plain struct{}

func (plain) read(line []byte, a *account) {
	a.open = true // all of it is one message
	a.addPart(string(line) + "\n")
	a.showLine("%s", line)
}
