package flow

// AcceptMove records the verdict of a person for the blobs that tracked paths
// hold at the integration tip.
type AcceptMove struct {
	Paths  []string `yaml:"paths"`
	Reason string   `yaml:"reason"`
	Texts  texts    `yaml:"texts"` // what git says of the paths
}

func (a *AcceptMove) subject() string { return "" }

func (a *AcceptMove) ask(Move, *Board) Query { return Query{} }

func (a *AcceptMove) fill(*play) {}

func (a *AcceptMove) already(*play) bool { return false }

func (a *AcceptMove) check(*play) *Refusal { return unbuilt() }

func (a *AcceptMove) apply(*effect) {}
