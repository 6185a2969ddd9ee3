package flow

// ReopenMove continues a goal that has ended.
type ReopenMove struct {
	Reason string `yaml:"reason"`
	Texts  texts  `yaml:"texts"` // of the paths that the goal and its open tasks stand on
}

func (r *ReopenMove) subject() string { return "" }

func (r *ReopenMove) ask(Move, *Board) Query { return Query{} }

func (r *ReopenMove) fill(*play) {}

func (r *ReopenMove) refs(Move, *Board) []RefMove { return nil }

func (r *ReopenMove) already(*play) bool { return false }

func (r *ReopenMove) check(*play) *Refusal { return unbuilt() }

func (r *ReopenMove) apply(*effect) {}
