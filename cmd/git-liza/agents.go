package main

type agentsCommand struct{}

func (c *agentsCommand) Run(s *session) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	if err := l.findAgents(s); err != nil {
		return err
	}
	list := l.Agents(l.Board.Tasks())
	if err := l.Board.Err(); err != nil {
		return err
	}
	if len(list) == 0 {
		s.progress("no agent is registered; one is by its first move, or by git liza register coder-1")
	}
	rows := l.AgentTable(list)
	rows.Wrap(s.width())
	return s.answer("", map[string]any{"agents": list}, rows.Text(0))
}
