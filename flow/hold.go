package flow

// LiftMove lets tasks be claimed again that a decision held back.
type LiftMove struct {
	Reason string `yaml:"reason"`
}

func (l *LiftMove) subject() string { return "" }

func (l *LiftMove) already(*play) bool { return false }

func (l *LiftMove) check(*play) *Refusal { return nil }

func (l *LiftMove) apply(*effect) {}
