package flow

// RequireMove adds or removes a rule of review.
type RequireMove struct {
	Rule      ReviewRule `yaml:"rule"`
	Remove    bool       `yaml:"remove"`
	InPlaceOf Role       `yaml:"in_place_of"` // whose rule for everything it replaces
}

func (r *RequireMove) subject() string { return string(r.Rule.Role) }

func (r *RequireMove) already(*play) bool { return false }

func (r *RequireMove) check(*play) *Refusal { return unbuilt() }

func (r *RequireMove) apply(*effect) {}
