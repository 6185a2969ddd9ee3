package flow

import (
	"reflect"

	"github.com/git-liza/git-liza/flow/board"
)

// A Query is what git must answer before a move can be judged. Empty fields
// ask nothing.
type Query struct {
	Submission board.ObjectID   // tree, merge base with Tip and changed paths of this commit
	Behind     []board.ObjectID // which of these are ancestors of Submission, or of Descendant; where the iteration of Intended begins
	Rejected   board.ObjectID   // tree of the commit that was rejected before Submission
	Descendant board.ObjectID   // for an adoption: the commit that must descend from others
	Merge      board.ObjectID   // parents and tree of this merge commit, and the tree git computes for it
	Onto       board.ObjectID   // the first parent that Merge must have
	Base       board.ObjectID   // the merge base that the submission in Merge was reviewed against
	DriftFrom  board.ObjectID   // count of first-parent commits from here to Onto
	Saves      []board.ObjectID // must exist as commits
	Texts      []TextQuery      // what these paths hold at At; with Onto, only those that differ between At, Onto, Base and Submission
	At         board.ObjectID   // "" is Tip
	Lines      []string         // how many lines these files have in Submission
	Tip        board.ObjectID   // the board's integration tip, or the one that an init names
	Intended   board.ObjectID   // commits of it that none of Behind, Tip and what is saved have

	Match   []string             // globs: regular files that match at At, with their texts; with Onto, only those that differ as Texts do
	Frozen  []board.TypedPattern // which of the artifacts that are frozen in the merge base Submission changes otherwise than it may
	Valid   []board.TypedPattern // which artifacts that Merge, else Submission, changes are not valid; only an admission asks
	Meant   []board.ObjectID     // blobs and commits in which a person means what looks like a key or a conflict
	Brought bool                 // what each commit changes that Submission adds to Onto, or to Tip; only an admission asks
}

// Facts are the answers of git to a [Query]. A nil *Facts means that the
// move was accepted before and is replayed: what it records is taken as true.
type Facts struct {
	Exists  bool // the commit asked for exists and is a commit
	Tree    board.ObjectID
	Base    board.ObjectID // merge base with the tip
	Was     board.ObjectID // tree of the rejected commit, "" if the clone lacks it
	Bases   int            // how many merge bases there are
	Behind  map[board.ObjectID]bool
	Changes []PathChange
	Parents []board.ObjectID // of the merge commit
	Merged  board.ObjectID   // the tree that git computes for the merge, "" on conflict
	Crossed bool             // the merge compares the submission with another base than its review
	Drift   int
	Script  bool // the merged tree has scripts/integration-test.sh
	Saves   map[board.ObjectID]bool
	Texts   map[string]TextFact // by path
	Lines   map[string]int      // by path; -1 where no regular file is
	Matches []string            // paths that match, sorted, at most one more than [board.MaxMatches]
	Frozen  []string            // paths
	Invalid []string            // a short line for each fault, PATH:LINE: TEXT
	Early   []board.ObjectID    // commits of Intended, newest first, without merges and what is only rebased; none if the clone lacks it or one of Behind
	Brought []PathChange        // of each commit that Submission adds to integration, oldest first
	Key     *Found              // a text in the form of a key, in what Brought is about, that integration does not have
	Marker  *Found              // a conflict that Submission has and its base has not
	Flaw    *Refusal            // of the objects that the move brings, see [Admissible]; nil if there is none
}

// A Found is a place in what commits bring, in the message of the commit if Blob is "".
type Found struct {
	Commit, Blob board.ObjectID
	Path         string
	Line         int
}

// A TextQuery asks for the text of a path and for its sections.
type TextQuery struct {
	Path    string
	Anchors []string // sorted
	Form    bool     // also what its form says, if it declares no class
}

// A TextFact is what a path holds at the commit asked for, and the blobs that it
// has in other commits of the question: "" where no regular file is.
type TextFact struct {
	board.Text
	Form                  *board.Class // what the form of a text says that declares no class, where it was asked; nil if it cannot be read
	Onto, Base, Submitted board.ObjectID
}

// exists reports whether there is a regular file.
func (t TextFact) exists() bool { return t.Blob != "" }

// Unjudged reports whether a merge brings another text than its submission, if that
// changed the path, and than integration has, if it did not.
func (t TextFact) Unjudged() bool {
	if t.Submitted != t.Base {
		return t.Blob != t.Submitted
	}
	return t.Blob != t.Onto
}

// A PathChange is one path that differs between a submission's base and its
// commit, renames not followed.
type PathChange struct {
	Path string
	Mode uint32 // after, as git writes it in octal; 0 if removed
	Was  uint32 // before; 0 if added
	Size int64  // bytes after
	Link string // target of a symbolic link

	Commit board.ObjectID // that makes the change, if it is that of one commit
}

// Ask is what git must answer about a move before [Apply] can judge it
// for the first time.
func Ask(b *board.Board, m Move) Query {
	asks, ok := m.Detail.(asker)
	if !ok {
		return Query{}
	}
	q := asks.ask(m, b)
	if !b.Empty() {
		q.Tip = b.Settings().Integration.Tip
	}
	return q
}

// Fill is the move with the fields that the caller left out, as they follow
// from the board and from the answers of git to [Ask]. The given move
// does not change, so that it can be filled again for another board.
func Fill(b *board.Board, m Move, facts *Facts) Move {
	if _, ok := m.Detail.(filler); !ok {
		return m
	}
	filled := reflect.New(reflect.TypeOf(m.Detail).Elem())
	filled.Elem().Set(reflect.ValueOf(m.Detail).Elem())
	d := filled.Interface().(filler)
	p := &play{board: b, prior: b, move: &m, facts: facts}
	if t := b.Task(m.Task); t != nil {
		p.task, p.from = t, t.Status
	}
	d.fill(p)
	m.Detail = d
	return m
}
