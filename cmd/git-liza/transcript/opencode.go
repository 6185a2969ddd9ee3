package transcript

type opencode struct{}

func (c *opencode) read(line []byte, a *account) {
	var r struct{ Type string }
	a.decode(line, &r)
}
