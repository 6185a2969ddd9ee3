package transcript

type pi struct{}

func (c *pi) read(line []byte, a *account) {
	var r struct{ Type string }
	a.decode(line, &r)
}
