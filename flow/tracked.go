package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
)

// A TrackedPath is what the board knows of a text that tasks or goals stand on,
// the document tracked/<NN>/<hash of the path>.yaml.
type TrackedPath struct {
	Path      string           `yaml:"path"`
	Blob      ObjectID         `yaml:"blob"` // at the integration tip, "" unless it is a regular file
	Was       ObjectID         `yaml:"was"`  // the blob before
	Same      []ObjectID       `yaml:"same"` // earlier blobs of the same meaning
	Sections  []TrackedSection `yaml:"sections"`
	Task      TaskID           `yaml:"task"` // that brought the blob with its merge
	By        Actor            `yaml:"by"`   // of the move that brought it otherwise
	Principal string           `yaml:"principal"`
	At        time.Time        `yaml:"at"`
	ReviewBy  []Role           `yaml:"review_by"` // whose verdicts the blob needed
	Verdicts  []PathVerdict    `yaml:"verdicts"`  // for exactly this blob, sorted by role

	Class     *Class     `yaml:"class"`     // of exactly this blob
	Allowance *Allowance `yaml:"allowance"` // for exactly this blob
}

// A TrackedSection is a section of a tracked path that tasks stand on.
type TrackedSection struct {
	Anchor string   `yaml:"anchor"`
	Hash   string   `yaml:"hash"` // "" if the heading is not there
	Was    string   `yaml:"was"`  // the hash before the last change of the text, as Was of the text
	Same   []string `yaml:"same"` // earlier hashes, as Same of the text
}

// A PathVerdict approves the blob of a tracked path.
type PathVerdict struct {
	Role      Role      `yaml:"role"`
	By        Actor     `yaml:"by"`
	Principal string    `yaml:"principal"`
	At        time.Time `yaml:"at"`
}

// A TextRef pins what a review has read.
type TextRef struct {
	Path   string `yaml:"path"`
	Anchor string `yaml:"anchor"`
	Hash   string `yaml:"hash"` // of the section, or the blob
}

// A Text is what a path holds at a commit, as git says it.
type Text struct {
	Path     string   `yaml:"path"`
	Blob     ObjectID `yaml:"blob"` // "" unless it is a regular file
	Sections sections `yaml:"sections"`
	Class    *Class   `yaml:"class"` // that the text declares; nil if it declares none
}

// A Section is the part of a text below one heading.
type Section struct {
	Anchor string `yaml:"anchor"`
	Hash   string `yaml:"hash"` // "" if the heading is not there
}

// MaxSections is how many sections of one text a move may name.
const MaxSections = 1000

// texts and sections are lists of a move that may be longer than those of a
// document; they are sorted by path and by anchor.
type (
	texts    []Text
	sections []Section
)

func (texts) MaxLen() int    { return MaxPaths }
func (sections) MaxLen() int { return MaxSections }

// TrackedID is the id of the document of a tracked path.
func TrackedID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])[:40]
}

// Tracked is what the board knows of a path that tasks or goals stand on, nil if
// nothing.
func (b *Board) Tracked(path string) *TrackedPath {
	doc, _ := b.Load(Key{Tracked, TrackedID(path)}).(*TrackedPath)
	return doc
}

// SpecGone refuses to work towards a goal of which the spec is no file on integration.
func (c *Board) SpecGone(id GoalID) *Refusal {
	g := c.Goal(id)
	if g == nil {
		return nil
	}
	if doc := c.Tracked(specPath(g.Spec)); doc == nil || doc.Blob != "" {
		return nil
	}
	return refuse(RuleSpec, "git liza board edit goal", "%s, the spec of %s, is no file on integration", shell.Quote(specPath(g.Spec)), g.ID)
}

// pathsInUse are the paths that open goals and tasks stand on, drafts apart, with the
// anchors named.
func pathsInUse(b *Board) anchorSets {
	used := anchorSets{}
	for _, g := range b.GoalsInProgress() {
		used.add(g.Spec)
	}
	b.each(func(s *Summary) {
		if !s.Status.Final() && s.Status != Draft {
			used.add(s.Spec)
			used.add(s.BasedOn...)
		}
	})
	for _, doc := range knownArtifacts(b, workflowPatterns(b)) {
		used.add(doc.Path)
	}
	return used
}

// anchorSets are paths with the anchors that are named in them.
type anchorSets map[string]map[string]bool

// add adds references, PATH or PATH#ANCHOR.
func (a anchorSets) add(refs ...string) {
	for _, ref := range refs {
		path, anchor := splitRef(ref)
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
		for n < min(len(anchors), MaxSections) {
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

// splitRef parts a reference into its path and the anchor of a heading.
func splitRef(ref string) (path, anchor string) {
	path, anchor, _ = strings.Cut(ref, "#")
	return path, anchor
}

// Texts ask for all paths that open goals and tasks stand on, sorted.
func (b *Board) Texts() []TextQuery {
	used := pathsInUse(b)
	return used.queries(slices.Sorted(maps.Keys(used)), math.MaxInt) // a move records those that it changes
}

// queriesOf asks for the texts that new references name.
func queriesOf(b *Board, refs ...string) []TextQuery {
	entered, used := anchorSets{}, pathsInUse(b)
	entered.add(refs...)
	for path, anchors := range entered {
		maps.Copy(anchors, used[path])
	}
	return entered.queries(slices.Sorted(maps.Keys(entered)), maxTexts)
}

// askTextsOf asks for the texts that new tasks stand on, drafts apart.
func askTextsOf(b *Board, list []TaskInput) Query {
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
	return slices.DeleteFunc(askedTexts(p), func(t Text) bool { return knowsText(p.prior, t) })
}

// askedTexts are the texts that git was asked for and gave.
func askedTexts(p *play) texts {
	if p.facts == nil {
		return nil
	}
	given := lists.Of(p.prior.Ask(*p.move).paths(p.facts), func(path string) Text { return p.facts.Texts[path].Text })
	return lists.Where(given, func(is Text) bool { return is.Path != "" })
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
func knowsText(b *Board, t Text) bool {
	doc := b.Tracked(t.Path)
	return doc != nil && doc.Blob == t.Blob && !slices.ContainsFunc(t.Sections, func(s Section) bool { return doc.section(s.Anchor) == nil })
}

// section is what is known of a section, nil if it is not tracked.
func (d *TrackedPath) section(anchor string) *TrackedSection {
	i := slices.IndexFunc(d.Sections, func(s TrackedSection) bool { return s.Anchor == anchor })
	if i < 0 {
		return nil
	}
	return &d.Sections[i]
}

// checkRecorded compares the texts that a move records with those of git, and
// leaves them for the effect to write.
func checkRecorded(p *play, recorded texts) *Refusal {
	p.texts = recorded
	if p.facts == nil {
		return nil
	}
	if len(p.facts.Matches) > MaxMatches {
		return refuse(RuleLimit, "git liza artifact list", "more than %d files match the paths of artifacts", MaxMatches)
	}
	return compareTexts(recorded, enteredTexts(p), "git liza "+p.move.Act.Command()+" --help")
}

// compareTexts refuses recorded texts that are not those of git.
func compareTexts(recorded, want texts, again string) *Refusal {
	for i := range max(len(recorded), len(want)) {
		switch {
		case i >= len(want):
			return refuse(RuleFact, again, "the move records a text of %s, which has not changed", quoteC(clip(recorded[i].Path)))
		case i >= len(recorded):
			return refuse(RuleFact, again, "the move does not record the text of %s", quoteC(clip(want[i].Path)))
		case !reflect.DeepEqual(recorded[i], want[i]):
			return refuse(RuleFact, again, "the move records %s at %s, git says %s at %s, or other sections, or another class",
				recorded[i].Blob.Short(), quoteC(clip(recorded[i].Path)), want[i].Blob.Short(), quoteC(clip(want[i].Path)))
		}
	}
	return nil
}

// describeTexts returns what is wrong with the texts that a task stands on: a file
// that is not there, or a heading that the file lacks.
func describeTexts(p *play, t *Task, hint string) (wrong []*Refusal) {
	refs := append([]string{t.Spec}, t.BasedOn...)
	branch := p.board.Settings().Integration
	for _, ref := range refs {
		path, anchor := splitRef(ref)
		fact, asked := p.facts.Texts[path]
		switch {
		case ref == "":
		case !asked && len(p.facts.Texts) > 0:
			wrong = append(wrong, refuse(RuleLimit, hint, "the texts that the tasks of this move stand on do not fit into one move: enter fewer tasks at once"))
		case !fact.exists():
			wrong = append(wrong, refuse(RuleSpec, "git liza adopt COMMIT --reason R", "the spec '%s' of %s does not exist on %s at %s",
				path, t.ID, branch.Name, branch.Tip.Short()))
		case fact.lacks(anchor):
			wrong = append(wrong, refuse(RuleSpec, hint, "the spec '%s' of %s has no heading '#%s' at %s", path, t.ID, clip(anchor), branch.Tip.Short()))
		}
	}
	return wrong
}

// lacks reports whether the text has no heading with the anchor.
func (t TextFact) lacks(anchor string) bool {
	return anchor != "" && slices.Contains(t.Sections, Section{Anchor: anchor})
}

// An origin says how a blob came to a tracked path.
type origin struct {
	task     TaskID // whose merge brought it; "" means the actor of the move
	reviews  []Role
	verdicts []PathVerdict
}

// trackText writes what git says of a path. The same blob keeps its origin and its
// verdicts.
func trackText(p *effect, t Text, from origin) {
	doc := TrackedPath{Path: t.Path}
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
		was := TrackedSection{Anchor: s.Anchor, Hash: s.Hash}
		if old != nil && old.section(s.Anchor) != nil {
			was = *old.section(s.Anchor)
		}
		doc.Sections = append(doc.Sections, was.follow(s.Hash, changed))
	}
	p.put(Key{Tracked, TrackedID(t.Path)}, &doc)
}

// follow is the section with the hash that it has now. A change of the text that
// leaves the section alone is not one of the section.
func (s TrackedSection) follow(hash string, changed bool) TrackedSection {
	switch {
	case s.Hash != hash && (s.Was != "" || s.Hash == ""):
		s.Was, s.Same = s.Hash, nil
	case s.Hash != hash:
		s.Was = s.Hash
	case changed && s.Was != "":
		s.Was, s.Same = "", nil
	}
	s.Hash = hash
	return s
}

// Approved reports whether every role whose verdict the blob needed has approved
// it.
func (d *TrackedPath) Approved() bool {
	return d.Blob != "" && len(d.ReviewBy) > 0 && !slices.ContainsFunc(d.ReviewBy, func(r Role) bool { return !d.hasVerdict(r) })
}

// pathVerdicts are the verdicts on the submission as those on the texts that it
// brings.
func (t *Task) pathVerdicts() []PathVerdict {
	held := lists.Where(t.Judgements, func(j Judgement) bool { return t.holds(j.Verdict) })
	return lists.Of(held, func(j Judgement) PathVerdict {
		return PathVerdict{Role: j.Role, By: j.Verdict.By, Principal: j.Verdict.Principal, At: j.Verdict.At}
	})
}
