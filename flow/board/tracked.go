package board

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/lists"
)

// HasVerdict reports whether a role has approved the blob.
func (d *TrackedPath) HasVerdict(r Role) bool {
	return slices.ContainsFunc(d.Verdicts, func(v PathVerdict) bool { return v.Role == r })
}

// TextRefsOf pins the texts that a task stands on, as the board has them.
func TextRefsOf(b *Board, t *Task) []TextRef {
	var list []TextRef
	for _, ref := range append([]string{t.Spec}, t.BasedOn...) {
		path, anchor := SplitRef(ref)
		doc := b.Tracked(path)
		if doc == nil {
			continue
		}
		// All of the file counts also where it lacks the heading, or has too many sections.
		pin := TextRef{Path: path, Hash: string(doc.Blob)}
		if s := doc.Section(anchor); s != nil && s.Hash != "" {
			pin = TextRef{path, anchor, s.Hash}
		}
		if !slices.Contains(list, pin) {
			list = append(list, pin)
		}
	}
	return list
}

// ChangedTexts are the texts that a task stands on and that are neither among
// those read nor of the same meaning. Where nothing was read, nothing has changed.
func (t *Task) ChangedTexts(b *Board, read []TextRef) []TextRef {
	if len(read) == 0 {
		return nil
	}
	return slices.DeleteFunc(TextRefsOf(b, t), func(is TextRef) bool {
		doc := b.Tracked(is.Path)
		section := doc.Section(is.Anchor)
		return slices.ContainsFunc(read, func(was TextRef) bool {
			switch {
			case was.Path != is.Path:
				return false
			case was.Anchor == "":
				return doc.means(ObjectID(was.Hash))
			}
			return was.Anchor == is.Anchor && section != nil && section.means(was.Hash)
		})
	})
}

// Outdated are the texts for which verdicts on the submission of a task do not
// count, because they have changed since.
func (t *Task) Outdated(b *Board) []TextRef {
	var list []TextRef
	for _, j := range t.Judgements {
		if !t.Holds(j.Verdict) {
			continue
		}
		list = lists.Add(list, t.ChangedTexts(b, j.Verdict.Texts)...)
	}
	return list
}

// means reports whether the blob is the present one, or said to mean the same.
func (d *TrackedPath) means(blob ObjectID) bool {
	return blob == d.Blob || d.Was == "" && slices.Contains(d.Same, blob)
}

// means reports whether the hash is the present one, or said to mean the same.
func (s TrackedSection) means(hash string) bool {
	return hash == s.Hash || s.Was == "" && slices.Contains(s.Same, hash)
}

// String is the text as tasks name it, PATH or PATH#ANCHOR.
func (r TextRef) String() string {
	if r.Anchor == "" {
		return r.Path
	}
	return r.Path + "#" + r.Anchor
}

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

type sections []Section

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

// SplitRef parts a reference into its path and the anchor of a heading.
func SplitRef(ref string) (path, anchor string) {
	path, anchor, _ = strings.Cut(ref, "#")
	return path, anchor
}

// Section is what is known of a section, nil if it is not tracked.
func (d *TrackedPath) Section(anchor string) *TrackedSection {
	i := slices.IndexFunc(d.Sections, func(s TrackedSection) bool { return s.Anchor == anchor })
	if i < 0 {
		return nil
	}
	return &d.Sections[i]
}

// Follow is the section with the hash that it has now. A change of the text that
// leaves the section alone is not one of the section.
func (s TrackedSection) Follow(hash string, changed bool) TrackedSection {
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
	return d.Blob != "" && len(d.ReviewBy) > 0 && !slices.ContainsFunc(d.ReviewBy, func(r Role) bool { return !d.HasVerdict(r) })
}

// PathVerdicts are the verdicts on the submission as those on the texts that it
// brings.
func (t *Task) PathVerdicts() []PathVerdict {
	held := lists.Where(t.Judgements, func(j Judgement) bool { return t.Holds(j.Verdict) })
	return lists.Of(held, func(j Judgement) PathVerdict {
		return PathVerdict{Role: j.Role, By: j.Verdict.By, Principal: j.Verdict.Principal, At: j.Verdict.At}
	})
}
