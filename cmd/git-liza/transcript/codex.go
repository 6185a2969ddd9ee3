package transcript

type codex struct{}

func (c *codex) read(line []byte, a *account) {
	var r struct{ Type string }
	a.decode(line, &r)
}
