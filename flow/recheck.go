package flow

// RecheckMove sends an approved task back to its judges because a text that
// they read has changed.
type RecheckMove struct{}

// outdated refuses to send a task back whose verdicts were given for the texts
// that the board has.
func outdated(*play) *Refusal { return unbuilt() }

func (r *RecheckMove) already(*play) bool { return false }

func (r *RecheckMove) check(*play) *Refusal { return nil }

func (r *RecheckMove) apply(*effect) {}
