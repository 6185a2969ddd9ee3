package main

type boardCommands struct {
	Show    stateCommand   `cmd:"" default:"withargs" help:"The whole blackboard as one YAML document, now or then; the default."`
	Diff    diffCommand    `cmd:"" help:"What changed between two states, document by document."`
	Mark    markCommand    `cmd:"" help:"Name the present state, to come back to it later."`
	Edit    editCommand    `cmd:"" help:"Amend a document of the board in your editor."`
	Archive archiveCommand `cmd:"" help:"Put final tasks, or the records of sprints, aside, so that lists stay short."`
	Migrate migrateCommand `cmd:"" help:"Show what a newer format changes, and take the board to it."`

	Breaker breakerCommands `cmd:"" help:"The circuit breaker, which git liza status shows."`
}

type stateCommand struct {
	At string `placeholder:"REV|TIME" help:"The board as it was: a time, a span before now (2h, 3d), a mark such as sprint-1, or a commit of refs/liza/state."`
}

func (c *stateCommand) Run(inv *invocation) error {
	l, err := inv.lookAt(c.At)
	if err != nil {
		return err
	}
	if !inv.json {
		return pager{inv}.presentStream(l.reading.WriteState)
	}
	return l.answer(inv, l.reading.State(), "")
}
