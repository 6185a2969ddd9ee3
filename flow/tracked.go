package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"time"
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
	Reviews   []Role           `yaml:"reviews"`  // whose verdicts the blob needed
	Verdicts  []PathVerdict    `yaml:"verdicts"` // for exactly this blob, sorted by role
}

// A TrackedSection is a section of a tracked path that tasks stand on.
type TrackedSection struct {
	Anchor string   `yaml:"anchor"`
	Hash   string   `yaml:"hash"` // "" if the heading is not there
	Was    string   `yaml:"was"`
	Same   []string `yaml:"same"` // earlier hashes of the same meaning
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

func (texts) maxLen() int    { return MaxPaths }
func (sections) maxLen() int { return MaxSections }

// TrackedID is the id of the document of a tracked path.
func TrackedID(path string) string {
	sum := sha256.Sum256([]byte(path))
	return hex.EncodeToString(sum[:])[:40]
}
