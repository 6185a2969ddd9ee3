package flow

// toRules4 gives a board what version 4 of the rules reads: the levels of open tasks, and
// what the configuration says of retries and pressure.
func toRules4(p *effect) {
	usual := DefaultConfig()
	p.change(func(s *Settings) {
		if s.Config.Retry == (RetryPolicy{}) { // a new board says its own
			s.Config.Retry, s.Config.Pressure = usual.Retry, usual.Pressure
		}
	})
	var open []*Task
	for _, s := range p.oldest() {
		if !s.Status.Final() {
			t := p.Task(s.ID).clone()
			t.Level = 0
			open = append(open, t)
		}
	}
	if len(open) == 0 {
		return
	}
	var none faults
	with := p.with(open...)
	levelling{with, p.prior}.assign(open, nil, &none)
	p.fail(with.err)
	for _, t := range open {
		p.put(Key{Tasks, string(t.ID)}, t)
	}
}
