package main

type agentsCommand struct{}

func (c *agentsCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err != nil {
		return err
	}
	if err := l.findAgents(inv); err != nil {
		return err
	}
	list := l.Agents(l.Board.Tasks())
	if err := l.Board.Err(); err != nil {
		return err
	}
	if len(list) == 0 {
		inv.progress("no agent is registered; one is by its first move, or by git liza register coder-1")
	}
	rows := l.AgentTable(list)
	rows.Wrap(inv.width())
	return inv.answer("", map[string]any{"agents": list}, rows.Text(0))
}
