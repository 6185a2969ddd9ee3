package main

type statusCommand struct{}

func (c *statusCommand) Run(s *session) error {
	l, err := s.look()
	if err != nil {
		return err
	}
	tasks := l.Board.Tasks()
	if err := l.findLocal(s, tasks); err != nil {
		return err
	}
	status := l.Status(tasks)
	if err := l.Board.Err(); err != nil {
		return err
	}
	return s.answer("", status, status.Text(s.width()))
}
