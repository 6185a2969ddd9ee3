package flow

// ForkMove lets a new board begin from a state that another one had.
type ForkMove struct {
	Board       string `yaml:"board"` // random, 16 hexadecimal digits
	Mark        string `yaml:"mark"`
	Integration Branch `yaml:"integration"`
	Created     bool   `yaml:"created"` // whether the integration branch is made with the board
	Reason      string `yaml:"reason"`
}

func (f *ForkMove) subject() string { return f.Mark }

func (f *ForkMove) ask(Move, *Board) Query { return Query{Saves: []ObjectID{f.Integration.Tip}} }

func (f *ForkMove) refs(Move, *Board) []RefMove {
	if !f.Created {
		return nil
	}
	return []RefMove{{Name: f.Integration.Ref(), New: f.Integration.Tip}}
}

func (f *ForkMove) check(*play) *Refusal { return nil }

func (f *ForkMove) apply(*effect) {}
