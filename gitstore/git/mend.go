package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
)

// A ReflogLine says where a ref came from and to, and why.
type ReflogLine struct {
	Old, New ID // Old is "" where there was no ref
	Message  string
}

// ReadReflog returns the reflog of a ref, newest line first, empty where there is
// none. It reads the file: `git reflog` ends at the first commit that it cannot
// read, and shows no reflog of a ref that is not there.
func (s *RefStore) ReadReflog(ctx context.Context, name string) ([]ReflogLine, error) {
	if err := checkRefName(name); err != nil {
		return nil, err
	}
	if s.repo.reftable {
		return s.askReflog(ctx, name), nil
	}
	return s.readReflogFile(s.reflogPath(name))
}

// readReflogFile returns the lines of the file of a reflog, newest first, none
// where there is no file.
func (s *RefStore) readReflogFile(path string) ([]ReflogLine, error) {
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading a reflog: %w", err)
	}
	var list []ReflogLine
	for line := range strings.Lines(string(data)) {
		if one, ok := s.parseReflog(line); ok {
			list = append(list, one)
		}
	}
	slices.Reverse(list)
	return list, nil
}

// askReflog is what git says of the reflog of a ref.
func (s *RefStore) askReflog(ctx context.Context, name string) []ReflogLine {
	out, _ := s.repo.Git(ctx, "reflog", "show", "--format=%H %gs", name) // as far as git can tell
	var list []ReflogLine
	for line := range strings.Lines(string(out)) {
		id, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		list = append(list, ReflogLine{New: ID(id), Message: message})
	}
	for i := 1; i < len(list); i++ {
		list[i-1].Old = list[i].New
	}
	if n := len(list); n > 0 { // beyond the last line git answers with where that came from
		old, _ := s.repo.Git(ctx, "rev-parse", "--quiet", "--verify", fmt.Sprintf("%s@{%d}", name, n))
		list[n-1].Old = ID(strings.TrimSpace(string(old)))
	}
	return list
}

// parseReflog reads a line as gitrepository-layout(5) has it: OLD NEW COMMITTER,
// a tab and the message. A power cut leaves lines that are none.
func (s *RefStore) parseReflog(line string) (ReflogLine, bool) {
	head, message, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
	f := strings.Fields(head)
	if len(f) < 2 || s.repo.CheckID(ID(f[0])) != nil || s.repo.CheckID(ID(f[1])) != nil {
		return ReflogLine{}, false
	}
	one := ReflogLine{Old: ID(f[0]), New: ID(f[1]), Message: message}
	if one.Old == s.repo.zero() {
		one.Old = ""
	}
	return one, one.New != s.repo.zero()
}

func (s *RefStore) reflogPath(name string) string {
	return filepath.Join(s.repo.commonDir, "logs", filepath.FromSlash(name))
}

// CutReflog takes ids out of the reflog of a ref: while it names a commit whose
// ancestors are lost, `git gc` fails.
func (s *RefStore) CutReflog(ctx context.Context, name string, ids []ID) error {
	if s.repo.reftable || len(ids) == 0 {
		return nil
	}
	unlock, err := s.lockRef(name)
	if err != nil {
		return err
	}
	defer unlock()
	path := s.reflogPath(name)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("reading the reflog of %s: %w", name, err)
	}
	var text strings.Builder
	last := s.repo.zero()
	for line := range strings.Lines(string(data)) {
		one, ok := s.parseReflog(line)
		if !ok || slices.Contains(ids, one.New) {
			continue
		}
		if slices.Contains(ids, one.Old) {
			line = string(last) + line[len(last):]
		}
		last = one.New
		text.WriteString(line)
	}
	if err := replaceSynced(path, text.String()); err != nil {
		return fmt.Errorf("writing the reflog of %s: %w", name, err)
	}
	return nil
}

// RewriteBroken writes an id into the file of a ref that holds none, which git
// itself refuses. No hook is asked.
func (s *RefStore) RewriteBroken(ctx context.Context, name string, id ID) error {
	if s.repo.reftable { // there only a symbolic one holds none
		return s.MoveRefs(ctx, []RefUpdate{{Name: name, New: id, Any: true}}, "liza: no longer symbolic")
	}
	if err := errors.Join(checkRefName(name), s.repo.CheckID(id)); err != nil {
		return err
	}
	if err := replaceSynced(s.refPath(name), string(id)+"\n"); err != nil {
		return fmt.Errorf("ref %s: %w", name, err)
	}
	return s.repo.Flusher.syncMoved(ctx, []string{name})
}

// lockRef takes the lock that git takes to change a ref or its reflog.
func (s *RefStore) lockRef(name string) (unlock func(), err error) {
	path := s.refPath(name) + ".lock"
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666)
	if err != nil {
		return nil, fmt.Errorf("ref %s: %w", name, err)
	}
	f.Close()
	return func() { os.Remove(path) }, nil
}

// replaceSynced replaces a file that is there, under the lock that git would take, by
// one of the same mode that is on the disk before it takes the name.
func replaceSynced(path, content string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	mode := info.Mode() & 0o666 // a link has them all
	f, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(content)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// SetAside moves the file of an object that cannot be read to where git does not
// find it: it neither fetches the object nor packs others while the file is there.
func SetAside(r *Repo, id ID) error {
	path := loosePath(r.objectDir, id)
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	dir := filepath.Join(r.commonDir, layout.Private, "damaged")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("setting object %s aside: %w", id, err)
	}
	return os.Rename(path, filepath.Join(dir, string(id)))
}

// TornObjects returns the files of loose objects that git cannot read, with the
// objects that they were to be. A power cut leaves them of what was not synced: while
// a ref or a reflog leads to one, `git gc` fails.
func (r *Repo) TornObjects(ctx context.Context) (map[ID]string, error) {
	list := lists.Of(fannedOut(r.objectDir, ""), func(path string) ID { return ID(filepath.Base(filepath.Dir(path)) + filepath.Base(path)) })
	list = lists.Where(list, func(id ID) bool { return r.CheckID(id) == nil })
	bad, err := r.UnreadableObjects(ctx, list, len(list))
	if err != nil {
		return nil, err
	}
	torn := map[ID]string{}
	for id := range bad {
		if path := loosePath(r.objectDir, id); isTorn(r, id) {
			torn[id] = path
		}
	}
	return torn, nil
}

// mostRead bounds what is read of an object to see for ourselves that git cannot.
const mostRead = 1 << 30

// isTorn reports whether the file of a loose object is there, can be read, and has something
// else. Git may not read it for a reason of its own, or for the rights to the file.
func isTorn(r *Repo, id ID) bool {
	f, err := OpenRegular(loosePath(r.objectDir, id))
	if err != nil {
		return false
	}
	f.Close()
	kind, data, err := readLoose(r.objectDir, id, mostRead)
	var large *TooLarge
	switch {
	case errors.As(err, &large), errors.Is(err, syscall.EIO):
		return false
	case err != nil:
		return true
	}
	return r.Hash(kind, data) != id
}

// CutReflogs takes out of all reflogs what leads to objects that are lost, and nothing
// else.
func CutReflogs(ctx context.Context, r *Repo) error {
	_, err := r.Run(ctx, Cmd{Args: []string{"reflog", "expire", "--all", "--stale-fix", "--expire=never", "--expire-unreachable=never"}, Limit: lasting})
	return err
}
