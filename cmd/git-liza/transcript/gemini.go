package transcript

type gemini struct{}

func (c *gemini) read(line []byte, a *account) {
	var r struct{ Type string }
	a.decode(line, &r)
}
