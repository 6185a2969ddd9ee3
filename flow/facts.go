package flow

import "reflect"

// A Question is what a move asks git before it can be judged. Empty fields
// ask nothing.
type Question struct {
	Submission ObjectID   // tree, merge base with Tip and changed paths of this commit
	Behind     []ObjectID // which of these are ancestors of Submission, or of Descendant
	Rejected   ObjectID   // tree of the commit that was rejected before Submission
	Descendant ObjectID   // for an adoption: the commit that others lie behind
	Merge      ObjectID   // parents and tree of this merge commit, and the tree git computes for it
	Onto       ObjectID   // the first parent that Merge must have
	Base       ObjectID   // what the submission that Merge brings was compared with
	DriftFrom  ObjectID   // count of first-parent commits from here to Onto
	Saves      []ObjectID // must exist as commits
	Specs      []string   // which of these paths exist at Tip
	Tip        ObjectID   // the board's integration tip, or the one that an init names
}

// Facts are git's answers to a [Question]. A nil *Facts means that the move
// was accepted before and is replayed: what it records is then taken for true.
type Facts struct {
	Exists  bool // the commit asked for exists and is a commit
	Tree    ObjectID
	Base    ObjectID // merge base with the tip
	Was     ObjectID // tree of the rejected commit, "" if that is not here
	Bases   int      // how many commits could be that
	Behind  map[ObjectID]bool
	Changes []PathChange
	Parents []ObjectID // of the merge commit
	Merged  ObjectID   // the tree that git computes for the merge, "" on conflict
	Crossed bool       // merging compares the submission with another commit than its review did
	Drift   int
	Script  bool // the merged tree has scripts/integration-test.sh
	Saves   map[ObjectID]bool
	Specs   map[string]bool
	Flaw    *Refusal // of the objects that the move brings, see [Board.Admissible]; nil if there is none
}

// A PathChange is one path that differs between a submission's base and its
// commit, renames not followed.
type PathChange struct {
	Path string
	Mode uint32 // after, as git writes it in octal; 0 if removed
	Was  uint32 // before; 0 if added
	Size int64  // bytes after
	Link string // target of a symbolic link
}

// Ask says what git must be asked about a move before [Board.Apply] can judge
// it for the first time.
func (b *Board) Ask(m Move) Question {
	asks, ok := m.Detail.(asker)
	if !ok {
		return Question{}
	}
	q := asks.ask(m, b)
	if !b.Empty() {
		q.Tip = b.Settings().Integration.Tip
	}
	return q
}

// Fill is the move with what it leaves out and what follows from the board and
// from git's answers to [Board.Ask]: a caller states only what it wants. The
// move that is given stays as it is, to be filled again for another board.
func (b *Board) Fill(m Move, facts *Facts) Move {
	if _, ok := m.Detail.(filler); !ok {
		return m
	}
	filled := reflect.New(reflect.TypeOf(m.Detail).Elem())
	filled.Elem().Set(reflect.ValueOf(m.Detail).Elem())
	d := filled.Interface().(filler)
	p := &play{Board: b, prior: b, move: &m, facts: facts}
	if t := b.Task(m.Task); t != nil {
		p.task, p.from = t, t.Status
	}
	d.fill(p)
	m.Detail = d
	return m
}
