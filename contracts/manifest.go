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

// Manifest is the path of the list of installed files in a project. sha256sum
// can check it; comment lines hold what is not a whole file.
const Manifest = ".liza/contracts.sha256"

// Edition is the version of the texts that are written into projects. Each
// version adds one, so that an older program recognises a newer text.
const Edition = 13

// edition precedes the edition's number in the manifest.
const edition = "liza edition "

// A manifest is what Install wrote into a project. A path may have several
// digests: until an installation is complete, both the old and the new file
// are ours.
type manifest struct {
	target  Target
	edition int                 // of the listed texts; 0 if older than the first edition
	files   map[string][]string // path → digests
	blocks  map[string][]string // entry file → digests of its block
	created []string            // entry files that were not there before
	made    []string            // folders that were not there before
}

func newManifest(t Target) *manifest {
	return &manifest{target: t, edition: Edition, files: map[string][]string{}, blocks: map[string][]string{}}
}

// digest returns the hash of a text, independent of its line breaks, which a
// checkout may convert.
func digest(text []byte) string {
	sum := sha256.Sum256(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))
	return hex.EncodeToString(sum[:])
}

// readManifest returns nil if nothing is installed. A list that cannot be
// read is an error, because then it is unknown which files are ours.
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

// An Unreadable is a manifest that cannot be relied on.
type Unreadable struct{ Line string }

// Error names the line that cannot be read.
func (u *Unreadable) Error() string { return fmt.Sprintf("%s has the line %q", Manifest, u.Line) }

// read enters a line. It returns false if the line is invalid.
func (m *manifest) read(line string) bool {
	rest, comment := strings.CutPrefix(line, "# ")
	if !comment {
		return addDigest(m.files, line)
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
		return addDigest(m.blocks, value)
	case "git": // the first lines; programs read the edition from them
		if n, ok := strings.CutPrefix(value, edition); ok {
			m.edition, _ = strconv.Atoi(n)
		}
	default:
		return false
	}
	return true
}

// addDigest enters a line of sha256sum.
func addDigest(list map[string][]string, line string) bool {
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
	listDigests(&b, "# block ", m.blocks)
	listDigests(&b, "", m.files)
	return b.Bytes()
}

func listDigests(b *bytes.Buffer, lead string, digests map[string][]string) {
	for _, path := range slices.Sorted(maps.Keys(digests)) {
		for _, sum := range digests[path] {
			fmt.Fprintf(b, "%s%s  %s\n", lead, sum, path)
		}
	}
}
