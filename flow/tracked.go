package flow

import (
	"maps"
	"math"
	"reflect"
	"slices"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// texts and sections are lists of a move that may be longer than those of a
// document; they are sorted by path and by anchor.
type (
	texts []board.Text
)

func (texts) MaxLen() int { return board.MaxPaths }

// SpecGone refuses to work towards a goal of which the spec is no file on integration.
func SpecGone(c *board.Board, id board.GoalID) *Refusal {
	g := c.Goal(id)
	if g == nil {
		return nil
	}
	if doc := c.Tracked(board.SpecPath(g.Spec)); doc == nil || doc.Blob != "" {
		return nil
	}
	return refuse(RuleSpec, "git liza board edit goal", "%s, the spec of %s, is no file on integration", shell.Quote(board.SpecPath(g.Spec)), g.ID)
}

// pathsInUse are the paths that open goals and tasks stand on, drafts apart, with the
// anchors named.
func pathsInUse(b *board.Board) anchorSets {
	used := anchorSets{}
	for _, g := range b.GoalsInProgress() {
		used.add(g.Spec)
	}
	b.Each(func(s *board.Summary) {
		if !s.Status.Final() && s.Status != board.Draft {
			used.add(s.Spec)
			used.add(s.BasedOn...)
		}
	})
	for _, doc := range board.KnownArtifacts(b, workflowPatterns(b)) {
		used.add(doc.Path)
	}
	return used
}

// anchorSets are paths with the anchors that are named in them.
type anchorSets map[string]map[string]bool

// add adds references, PATH or PATH#ANCHOR.
func (a anchorSets) add(refs ...string) {
	for _, ref := range refs {
		path, anchor := board.SplitRef(ref)
		if path == "" {
			continue
		}
		if a[path] == nil {
			a[path] = map[string]bool{}
		}
		if anchor != "" {
			a[path][anchor] = true
		}
	}
}

// Bounds of the texts that a move names, in bytes: an entry is its path or anchor,
// and what a move writes beside it. A move holds all texts within its own bound,
// and a document all sections of a path, with the hashes before them.
const (
	maxTexts   = 2 << 20
	maxAnchors = 120 << 10 // of one path
	textSize   = 100       // of an entry, without its name
)

// queries ask for the paths, which are sorted, each with the first of its anchors,
// within a bound of bytes. What is beyond it is left out; instead of a section that is
// left out all of its text counts.
func (a anchorSets) queries(paths []string, bound int) []TextQuery {
	var list []TextQuery
	left := bound
	for _, path := range paths {
		if left -= textSize + len(path); left < 0 {
			break
		}
		anchors := slices.Sorted(maps.Keys(a[path]))
		n, size := 0, 0
		for n < min(len(anchors), board.MaxSections) {
			if size += textSize + len(anchors[n]); size > min(left, maxAnchors) {
				break
			}
			n++
		}
		left -= min(size, left)
		list = append(list, TextQuery{Path: path, Anchors: anchors[:n]})
	}
	return list
}

// QueryTexts ask for all paths that open goals and tasks stand on, sorted.
func QueryTexts(b *board.Board) []TextQuery {
	used := pathsInUse(b)
	return used.queries(slices.Sorted(maps.Keys(used)), math.MaxInt) // a move records those that it changes
}

// queriesOf asks for the texts that new references name.
func queriesOf(b *board.Board, refs ...string) []TextQuery {
	entered, used := anchorSets{}, pathsInUse(b)
	entered.add(refs...)
	for path, anchors := range entered {
		maps.Copy(anchors, used[path])
	}
	return entered.queries(slices.Sorted(maps.Keys(entered)), maxTexts)
}

// askTextsOf asks for the texts that new tasks stand on, drafts apart.
func askTextsOf(b *board.Board, list []board.TaskInput) Query {
	var refs []string
	for _, in := range list {
		if !in.Draft {
			refs = append(append(refs, in.Spec), in.BasedOn...)
		}
	}
	return Query{Texts: queriesOf(b, refs...)}
}

// enteredTexts are the texts that a move records: those that git was asked for and
// of which the board lacks the blob or a section.
func enteredTexts(p *play) texts {
	return slices.DeleteFunc(askedTexts(p), func(t board.Text) bool { return knowsText(p.prior, t) })
}

// askedTexts are the texts that git was asked for and gave.
func askedTexts(p *play) texts {
	if p.facts == nil {
		return nil
	}
	given := lists.Of(Ask(p.prior, *p.move).paths(p.facts), func(path string) board.Text { return p.facts.Texts[path].Text })
	return lists.Where(given, func(is board.Text) bool { return is.Path != "" })
}

// paths are those of which the question asks for the texts, sorted: those that it names,
// and those that git found to match.
func (q Query) paths(f *Facts) []string {
	list := lists.Of(q.Texts, func(asked TextQuery) string { return asked.Path })
	if len(q.Match) > 0 && len(f.Matches) > 0 {
		list = append(list, f.Matches...)
		slices.Sort(list)
		list = slices.Compact(list)
	}
	return list
}

// knowsText reports whether the board has the blob and the sections of a text.
func knowsText(b *board.Board, t board.Text) bool {
	doc := b.Tracked(t.Path)
	return doc != nil && doc.Blob == t.Blob && !slices.ContainsFunc(t.Sections, func(s board.Section) bool { return doc.Section(s.Anchor) == nil })
}

// checkRecorded compares the texts that a move records with those of git, and
// leaves them for the effect to write.
func checkRecorded(p *play, recorded texts) *Refusal {
	p.texts = recorded
	if p.facts == nil {
		return nil
	}
	if len(p.facts.Matches) > board.MaxMatches {
		return refuse(RuleLimit, "git liza artifact list", "more than %d files match the paths of artifacts", board.MaxMatches)
	}
	return compareTexts(recorded, enteredTexts(p), "git liza "+p.move.Act.Command()+" --help")
}

// compareTexts refuses recorded texts that are not those of git.
func compareTexts(recorded, want texts, again string) *Refusal {
	for i := range max(len(recorded), len(want)) {
		switch {
		case i >= len(want):
			return refuse(RuleFact, again, "the move records a text of %s, which has not changed", board.QuoteC(board.Clip(recorded[i].Path)))
		case i >= len(recorded):
			return refuse(RuleFact, again, "the move does not record the text of %s", board.QuoteC(board.Clip(want[i].Path)))
		case !reflect.DeepEqual(recorded[i], want[i]):
			return refuse(RuleFact, again, "the move records %s at %s, git says %s at %s, or other sections, or another class",
				recorded[i].Blob.Short(), board.QuoteC(board.Clip(recorded[i].Path)), want[i].Blob.Short(), board.QuoteC(board.Clip(want[i].Path)))
		}
	}
	return nil
}

// describeTexts returns what is wrong with the texts that a task stands on: a file
// that is not there, or a heading that the file lacks.
func describeTexts(p *play, t *board.Task, hint string) (wrong []*Refusal) {
	refs := append([]string{t.Spec}, t.BasedOn...)
	branch := p.board.Settings().Integration
	for _, ref := range refs {
		path, anchor := board.SplitRef(ref)
		fact, asked := p.facts.Texts[path]
		switch {
		case ref == "":
		case !asked && len(p.facts.Texts) > 0:
			wrong = append(wrong, refuse(RuleLimit, hint, "the texts that the tasks of this move stand on do not fit into one move: enter fewer tasks at once"))
		case !fact.exists():
			wrong = append(wrong, refuse(RuleSpec, "git liza adopt COMMIT --reason R", "the spec '%s' of %s does not exist on %s at %s",
				path, t.ID, branch.Name, branch.Tip.Short()))
		case fact.lacks(anchor):
			wrong = append(wrong, refuse(RuleSpec, hint, "the spec '%s' of %s has no heading '#%s' at %s", path, t.ID, board.Clip(anchor), branch.Tip.Short()))
		}
	}
	return wrong
}

// lacks reports whether the text has no heading with the anchor.
func (t TextFact) lacks(anchor string) bool {
	return anchor != "" && slices.Contains(t.Sections, board.Section{Anchor: anchor})
}

// An origin says how a blob came to a tracked path.
type origin struct {
	task     board.TaskID // whose merge brought it; "" means the actor of the move
	reviews  []board.Role
	verdicts []board.PathVerdict
}

// trackText writes what git says of a path. The same blob keeps its origin and its
// verdicts.
func trackText(p *effect, t board.Text, from origin) {
	doc := board.TrackedPath{Path: t.Path}
	old := p.board.Tracked(t.Path)
	if old != nil {
		doc = *old
	}
	changed := old == nil || doc.Blob != t.Blob
	if changed {
		if doc.Was != "" || doc.Blob == "" {
			doc.Same = nil
		}
		doc.Was, doc.Blob = doc.Blob, t.Blob
		doc.Task, doc.By, doc.Principal, doc.At = from.task, "", "", p.move.At
		if from.task == "" {
			doc.By, doc.Principal = p.move.By, p.move.Principal
		}
		doc.ReviewBy, doc.Verdicts = from.reviews, from.verdicts
		doc.Class, doc.Allowance = t.Class, nil
	}
	doc.Sections = nil
	for _, s := range t.Sections {
		was := board.TrackedSection{Anchor: s.Anchor, Hash: s.Hash}
		if old != nil && old.Section(s.Anchor) != nil {
			was = *old.Section(s.Anchor)
		}
		doc.Sections = append(doc.Sections, was.Follow(s.Hash, changed))
	}
	p.put(board.Key{Folder: board.Tracked, ID: board.TrackedID(t.Path)}, &doc)
}
