package contracts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Manifest is where a project keeps the list of what was written into it. It
// is a list that sha256sum can check, with lines of comment for what is no
// whole file.
const Manifest = ".liza/contracts.sha256"

// Edition counts the versions of all that is written into projects. It goes up
// by one with each, so that an older program knows a newer text.
const Edition = 2

// edition is what stands before its number in the manifest.
const edition = "liza edition "

// A manifest is what Install wrote into a project. A path may have several
// digests: until an installation is complete both what was there and what is
// to be there is ours.
type manifest struct {
	target  Target
	edition int                 // of the texts that it names; 0 before they were counted
	files   map[string][]string // path → digests
	blocks  map[string][]string // entry file → digests of its block
	created []string            // entry files that were not there before
	made    []string            // folders that were not there before
}

func newManifest(t Target) *manifest {
	return &manifest{target: t, edition: Edition, files: map[string][]string{}, blocks: map[string][]string{}}
}

// digest names a text whatever line breaks a checkout gave it.
func digest(text []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(sum[:])
}

// readManifest gives nil if nothing is installed. It is an error if somebody
// has made the list unreadable, because then nobody knows what is ours.
func readManifest(root *os.Root) (*manifest, error) {
	text, err := root.ReadFile(Manifest)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	m := newManifest(Target{})
	m.edition = 0
	for line := range strings.Lines(string(text)) {
		if !m.read(strings.TrimRight(line, "\r\n")) {
			return nil, &Unreadable{line}
		}
	}
	if m.target.Dir == "" || m.target.Check() != nil {
		return nil, &Unreadable{"# dir " + m.target.Dir}
	}
	return m, nil
}

// An Unreadable is a manifest that nobody can rely on.
type Unreadable struct{ Line string }

// Error names the line that cannot be read.
func (u *Unreadable) Error() string { return fmt.Sprintf("%s has the line %q", Manifest, u.Line) }

// read takes a line in; false if it means nothing.
func (m *manifest) read(line string) bool {
	rest, comment := strings.CutPrefix(line, "# ")
	if !comment {
		return add(m.files, line)
	}
	word, value, _ := strings.Cut(rest, " ")
	switch word {
	case "dir":
		m.target.Dir = value
	case "skills-for":
		m.target.Tools = strings.Fields(value)
	case "made":
		m.made = append(m.made, value)
		return fs.ValidPath(value)
	case "created":
		m.created = append(m.created, value)
		return fs.ValidPath(value)
	case "block":
		return add(m.blocks, value)
	case "git": // the first lines, of which programs read the edition
		if n, ok := strings.CutPrefix(value, edition); ok {
			m.edition, _ = strconv.Atoi(n)
		}
	default:
		return false
	}
	return true
}

// add takes in a line of sha256sum.
func add(list map[string][]string, line string) bool {
	sum, path, ok := strings.Cut(line, "  ")
	if _, err := hex.DecodeString(sum); !ok || err != nil || len(sum) != 2*sha256.Size || !fs.ValidPath(path) {
		return false
	}
	list[path] = append(list[path], sum)
	return true
}

func (m *manifest) text() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# git liza contracts wrote these files; commit this list with them\n# git %s%d\n# dir %s\n# skills-for %s\n",
		edition, m.edition, m.target.Dir, strings.Join(m.target.Tools, " "))
	for _, dir := range slices.Sorted(slices.Values(m.made)) {
		fmt.Fprintf(&b, "# made %s\n", dir)
	}
	for _, path := range slices.Sorted(slices.Values(m.created)) {
		fmt.Fprintf(&b, "# created %s\n", path)
	}
	list(&b, "# block ", m.blocks)
	list(&b, "", m.files)
	return b.Bytes()
}

func list(b *bytes.Buffer, lead string, digests map[string][]string) {
	for _, path := range slices.Sorted(maps.Keys(digests)) {
		for _, sum := range digests[path] {
			fmt.Fprintf(b, "%s%s  %s\n", lead, sum, path)
		}
	}
}
