package main

type stateCommand struct {
	At string `placeholder:"REV|TIME" help:"The board as it was: a time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state."`
}

func (c *stateCommand) Run(inv *invocation) error {
	l, err := inv.lookAt(c.At)
	if err != nil {
		return err
	}
	if !inv.json {
		return pager{inv}.presentStream(l.WriteState)
	}
	return l.answer(inv, l.State(), "")
}
