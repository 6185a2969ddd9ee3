package transcript

type copilot struct{}

func (c *copilot) read(line []byte, a *account) {
	var r struct{ Type string }
	a.decode(line, &r)
}
