package main

type statusCommand struct{}

func (c *statusCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	tasks := l.Board.Tasks()
	if err := l.findLocal(inv, tasks); err != nil {
		return err
	}
	status := l.Status(tasks)
	if err := l.Board.Err(); err != nil {
		return err
	}
	return inv.answer("", status, status.Text(inv.width()))
}
