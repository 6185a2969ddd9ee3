package gitstore

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/gitstore/secret"
)

// maxSearched is the size in bytes of the largest file that is searched for keys.
const maxSearched = 64 << 20

// A foundKey is a text in the form of a key, and where it is.
type foundKey struct {
	flow.Found
	text string
}

// searchKeys notes the keys in a file of a commit, or in its message.
func (j *objectChecker) searchKeys(path string, commit, blob git.ID, data []byte) {
	if slices.Contains(j.meant, commit) {
		return
	}
	line, from := 1, 0
	for _, k := range secret.Find(data) {
		line += bytes.Count(data[from:k.Offset], []byte("\n"))
		from = k.Offset
		j.keys = append(j.keys, foundKey{flow.Found{Commit: commit, Blob: blob, Path: path, Line: line}, k.Text})
	}
}

// findKey returns the first key that integration had neither where the work began nor has now,
// at whatever path.
func (j *objectChecker) findKey(ctx context.Context, base, tip git.ID) (*flow.Found, error) {
	if len(j.keys) == 0 {
		return nil, nil
	}
	sought := strings.Join(lists.Of(j.keys, func(k foundKey) string { return k.text }), "\n") + "\n"
	// The keys go in by a pipe: everybody sees arguments.
	args := []string{"grep", "-haoF", "--no-line-number", "--no-column", "--no-color", "--no-recurse-submodules", "-f", "-", string(base), string(tip), "--"}
	out, err := j.commits.repo.Run(ctx, git.Cmd{Args: args, Stdin: []byte(sought)})
	if err != nil && git.ExitCode(err) != 1 {
		return nil, err
	}
	known := lists.Set(strings.Split(string(out), "\n"), func(line string) string { return line })
	for _, k := range j.keys {
		if !known[k.text] && !j.gone[k.Blob] { // git grep reads no links
			return &k.Found, nil
		}
	}
	return nil, nil
}

// findMarker returns the first conflict that is in a submission, and was neither in its base at
// that path nor moved there as it is.
func (j *objectChecker) findMarker(changes []git.Change) (*flow.Found, error) {
	for _, c := range changes {
		line := j.marks[c.New]
		if line == 0 || j.gone[c.New] {
			continue
		}
		if c.Old != "" && c.OldMode != git.ModeSubmodule {
			was, err := j.commits.objects.ReadKind(c.Old, "blob", maxSearched)
			if err != nil {
				return nil, err
			}
			if conflictLine(was) > 0 {
				continue
			}
		}
		return &flow.Found{Blob: c.New, Path: c.Path, Line: line}, nil
	}
	return nil, nil
}

// conflictLine returns the line in which a conflict begins, as git writes it into a file; 0 if
// there is none.
func conflictLine(data []byte) (begin int) {
	if !bytes.Contains(data, []byte("<<<<<<< ")) {
		return 0
	}
	n, at, split := 0, 0, false
	for line := range bytes.Lines(data) {
		switch n++; {
		case bytes.HasPrefix(line, []byte("<<<<<<< ")):
			at, split = n, false
		case at > 0 && string(bytes.TrimRight(line, "\r\n")) == "=======":
			split = true
		case split && bytes.HasPrefix(line, []byte(">>>>>>> ")):
			return at
		}
	}
	return 0
}
