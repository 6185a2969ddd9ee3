package transcript

// plain is text for people, of programs that have no records.
type plain struct{}

func (plain) read(line []byte, a *account) {
	a.open = true // all of it is one message
	a.goesOn(string(line) + "\n")
	a.line("%s", line)
}
