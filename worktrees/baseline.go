package worktrees

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// A baseline is what differs from HEAD in a checkout although nobody worked there: how each
// path was when the checkout was ready. It is kept beside the HEAD and the index of the
// checkout, not in its folder.
type baseline map[string]string

const baselineName = "liza-baseline"

// SetUp runs what makes the checkout at path ready, and writes down what differs from HEAD
// then: for the functions of Contents a path that stays so has not changed. What differed
// before is somebody's work. The error is that of run, or says why nothing could be written
// down.
func (k *Contents) SetUp(ctx context.Context, path string, run func() error) error {
	before, err := k.Status(ctx, path)
	if err != nil {
		return err
	}
	if err := run(); err != nil {
		return err
	}
	r, err := k.recordAt(ctx, path)
	if err != nil {
		return err
	}
	return k.noteBaseline(ctx, r, before.Changed())
}

// noteBaseline writes down what differs from HEAD but for work.
func (k *Contents) noteBaseline(ctx context.Context, r record, work []string) error {
	file := filepath.Join(r.gitDir, baselineName)
	_ = os.Remove(file) // what cannot be removed is replaced
	s, err := k.readStatus(ctx, r)
	if err != nil {
		return err
	}
	var text strings.Builder
	for _, path := range slices.Concat(s.Unstaged, s.Untracked) {
		// The commit of a submodule is not looked at.
		if slices.Contains(work, path) || slices.Contains(s.Nested, path) && !strings.HasSuffix(path, "/") {
			continue
		}
		text.WriteString(path + "\x00" + lookAt(r, path) + "\x00")
	}
	return k.scratch.replaceFile(file, text.String())
}

// readBaseline is empty where nothing was written down, or cannot be read: then all that
// differs counts.
func readBaseline(r record) baseline {
	text, _ := git.ReadSmall(filepath.Join(r.gitDir, baselineName))
	b := baseline{}
	for words := strings.Split(string(text), "\x00"); len(words) > 2; words = words[2:] {
		b[words[0]] = words[1]
	}
	return b
}

// lookAt is how a file is: its mode, and a sum of its content. What a repository inside holds
// is not looked at.
func lookAt(r record, path string) string {
	var look strings.Builder
	_ = describeFile(&look, filepath.Join(r.path, filepath.FromSlash(path))) // a builder takes all
	return look.String()
}

// leavesAlone reports whether a path is still as it was and so does not count, and notes it.
func (s *Status) leavesAlone(path string) bool {
	was, known := s.baseline[path]
	same := known && lookAt(s.of, path) == was
	if same {
		s.Left = append(s.Left, path)
	}
	return same
}

// Strays are untracked paths of the work tree at Dir.
type Strays struct {
	Dir   string
	Names []string
}

// Sweep removes them, and returns those that are gone. It follows no link out of the folder.
func (s Strays) Sweep() (swept []string) {
	root, err := os.OpenRoot(s.Dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	for _, name := range s.Names {
		if root.RemoveAll(filepath.FromSlash(strings.TrimSuffix(name, "/"))) == nil {
			swept = append(swept, name)
		}
	}
	return swept
}
