package flow

// ForkMove lets a new board begin from a state that another one had: its chain is
// that of the other up to the mark, and then this move. It gives the board an id of
// its own, and frees what agents of the other board held.
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

func (f *ForkMove) check(p *play) *Refusal {
	hint := "git liza help init"
	switch was := p.Settings(); {
	case !isRandom(f.Board):
		return refuse(RuleForm, hint, "%q is not a board id", clip(f.Board))
	case f.Board == was.Board:
		return refuse(RuleForm, hint, "a board that begins from another one has an id of its own, not %s", f.Board)
	case !IsMarkName(f.Mark):
		return refuse(RuleForm, "git liza mark --list", "%q cannot name a mark", clip(f.Mark))
	case !numberedMark().MatchString(f.Mark) && p.load(Key{MarkDocs, f.Mark}) == nil:
		return refuse(RuleNotFound, "git liza mark --list", "the board has no mark %s", f.Mark)
	case !goodBranch(f.Integration.Name):
		return refuse(RuleForm, hint, "%q cannot be the integration branch", clip(f.Integration.Name))
	case f.Integration.Tip != was.Integration.Tip:
		return refuse(RuleTip, hint, "the board begins with integration at %s, where the mark has it, not at %s", was.Integration.Tip.Short(), clip(string(f.Integration.Tip)))
	case p.facts != nil && !p.facts.Saves[f.Integration.Tip]:
		return refuse(RuleFact, "git fetch REMOTE "+was.Integration.Name, "the integration tip %s is not a commit that is here", f.Integration.Tip.Short())
	}
	return present("the reason", f.Reason, "git liza init --from-mark "+f.Mark+" --reason R")
}

func (f *ForkMove) apply(p *effect) {
	p.change(func(s *Settings) { s.Board, s.Integration.Name = f.Board, f.Integration.Name })
	var taken []TaskID
	p.each(func(s *Summary) {
		if s.Status == Claimed || s.Status == ReadyForReview {
			taken = append(taken, s.ID)
		}
	})
	for _, id := range taken {
		freeTask(p, id)
	}
	for _, id := range p.IDs(Questions) {
		if q := findQuestion(p, RecordID(id)); q != nil && q.Lease != nil {
			freed := *q
			freed.Lease = nil
			p.put(Key{Questions, id}, &freed)
		}
	}
	for _, id := range p.IDs(Agents) {
		p.put(Key{Agents, id}, nil)
	}
}

// freeTask ends the claim and the reviews of a task whose holders are not on the
// board any more. Nothing is counted.
func freeTask(p *effect, id TaskID) {
	found := p.Task(id)
	if found == nil {
		return
	}
	t := found.clone()
	switch {
	case t.Claim != nil:
		t.Status, t.Claim, t.Intent = t.Claim.From, nil, nil
	case len(t.reviewers()) == 0:
		return
	}
	p.endReviews(t)
	p.keep(t)
}
