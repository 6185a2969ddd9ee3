package git

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
)

// A RefStore reads the refs of a repository in process, where its format allows,
// and has git move them.
type RefStore struct{ repo *Repo }

// symrefDepth is how many symbolic refs git follows.
const symrefDepth = 5

// ErrBrokenRef is wrapped when the file of a ref holds no object id. The store and
// supervisors test it to put back a board that a session or a power cut broke.
var ErrBrokenRef = errors.New("is damaged")

// ErrSymbolicRef is wrapped, with ErrBrokenRef, when a ref of the board's stands for
// another one: who moves that would move the board. The command line tests it for its rule.
var ErrSymbolicRef = errors.New("is symbolic")

// symbolicError is the error of a ref that must hold an object id.
func symbolicError(name, target string) error {
	return fmt.Errorf("ref %s %w: it %w and stands for %s", name, ErrBrokenRef, ErrSymbolicRef, Visible(target))
}

// IsOwn reports whether a ref is of the board's by its name alone, as all are but the
// integration branch.
func IsOwn(name string) bool {
	return strings.HasPrefix(name, layout.Refs) || strings.HasPrefix(name, layout.TaskRefs)
}

// Resolve returns the object id that a full ref name such as
// "refs/heads/main" or "HEAD" stands for, "" if there is no such ref. It starts
// no process, except in a reftable repository. The error wraps ErrBrokenRef where the
// ref holds no object id, ErrSymbolicRef where a ref that [IsOwn] is symbolic.
func (s *RefStore) Resolve(ctx context.Context, name string) (ID, error) {
	if IsOwn(name) {
		return s.Direct(ctx, name)
	}
	return s.Follow(ctx, name)
}

// Direct is [RefStore.Resolve] of a ref of the board's, such as the integration branch:
// the error wraps ErrSymbolicRef where it is symbolic.
func (s *RefStore) Direct(ctx context.Context, name string) (ID, error) {
	if s.repo.reftable {
		return resolveByGit(ctx, s, name, true)
	}
	id, target, err := s.readRef(name)
	if err == nil && target != "" {
		err = symbolicError(name, target)
	}
	return id, err
}

// Follow is [RefStore.Resolve] for what judges refs as git moves them: it follows every
// symbolic ref.
func (s *RefStore) Follow(ctx context.Context, name string) (ID, error) {
	if s.repo.reftable {
		return resolveByGit(ctx, s, name, false)
	}
	_, id, err := symrefChain(s, name)
	return id, err
}

// symrefChain returns the name of a ref and, if it is symbolic, of those that it leads to, and
// what the last of them holds.
func symrefChain(s *RefStore, name string) (names []string, id ID, err error) {
	for range symrefDepth {
		names = append(names, name)
		id, target, err := s.readRef(name)
		if err != nil || target == "" {
			return names, id, err
		}
		name = target
	}
	return names, "", fmt.Errorf("ref %s: too many symbolic refs", name)
}

// resolveByGit is [RefStore.Direct] or [RefStore.Follow] where refs are no files.
func resolveByGit(ctx context.Context, s *RefStore, name string, direct bool) (ID, error) {
	if err := checkRefName(name); err != nil {
		return "", err
	}
	if name == "HEAD" {
		out, err := s.repo.Git(ctx, "rev-parse", "--verify", "--quiet", "HEAD")
		if ExitCode(err) == 1 {
			return "", nil
		}
		return ID(strings.TrimSpace(string(out))), err
	}
	refs, err := listRefs(ctx, s, func(ref string) bool { return direct && ref == name }, name)
	if err == nil && direct && refs[name] == "" { // git lists none that leads nowhere
		if target, err := s.SymbolicRef(ctx, name); err != nil || target != "" {
			return "", cmp.Or(err, symbolicError(name, target))
		}
	}
	return refs[name], err
}

// SymbolicRef returns the ref that a symbolic one such as "HEAD" ends in, also
// one that does not exist yet; "" if it is not symbolic.
func (s *RefStore) SymbolicRef(ctx context.Context, name string) (string, error) {
	if s.repo.reftable {
		out, err := s.repo.Git(ctx, "symbolic-ref", "--quiet", name)
		if ExitCode(err) == 1 {
			return "", nil
		}
		return strings.TrimSpace(string(out)), err
	}
	names, _, err := symrefChain(s, name)
	if len(names) < 2 {
		return "", err
	}
	return names[len(names)-1], err
}

// pruneWait is how long a deletion waits for somebody else's lock on
// packed-refs before it is taken for one that holds the lock itself.
const pruneWait = time.Second

// IsBeingPruned reports whether git removes a loose ref at id because packed-refs has
// it, and does not delete the ref. While git deletes one, packed-refs is locked until
// the hook has ended that asks here.
func (s *RefStore) IsBeingPruned(ctx context.Context, name string, id ID) bool {
	ctx, cancel := context.WithTimeout(ctx, pruneWait)
	defer cancel()
	for {
		packed, err := s.packedRef(name)
		if err != nil || id == "" || packed != id {
			return false
		}
		if !fileExists(filepath.Join(s.repo.commonDir, "packed-refs.lock")) {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// IsBeingPacked reports whether git writes a ref into packed-refs, with the value that
// it has just read, and does not move it. While git moves one, the lock of the ref
// holds the new value.
func (s *RefStore) IsBeingPacked(name string, to ID) bool {
	if s.repo.reftable || to == "" || !fileExists(filepath.Join(s.repo.commonDir, "packed-refs.lock")) {
		return false
	}
	if _, target, err := s.readRef(name); err != nil || target != "" {
		return false
	}
	locked, err := ReadSmall(s.refPath(name) + ".lock")
	return errors.Is(err, fs.ErrNotExist) || err == nil && string(locked) != string(to)+"\n"
}

// List returns the refs below a prefix, which is a whole path such as
// "refs/liza/saved", or below others, with the object ids they stand for. The error
// wraps ErrSymbolicRef where one that [IsOwn] is symbolic.
func (s *RefStore) List(ctx context.Context, prefix string, others ...string) (map[string]ID, error) {
	return listRefs(ctx, s, IsOwn, append([]string{prefix}, others...)...)
}

// listRefs is [RefStore.List] with the refs that must be direct ones.
func listRefs(ctx context.Context, s *RefStore, direct func(string) bool, prefixes ...string) (map[string]ID, error) {
	args := []string{"for-each-ref", "--format=%(objectname) %(refname) %(symref)", "--"}
	args = append(args, lists.Of(prefixes, func(prefix string) string { return strings.TrimSuffix(prefix, "/") })...)
	out, err := s.repo.Git(ctx, args...)
	if err != nil {
		return nil, err
	}
	refs := make(map[string]ID)
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		if f[2] != "" && direct(f[1]) {
			return nil, symbolicError(f[1], f[2])
		}
		refs[f[1]] = ID(f[0])
	}
	return refs, nil
}

// readRef reads one ref: its id, or the ref that it points to, or nothing. A
// loose file goes before packed-refs: pack-refs writes the one before it
// removes the other, so in this order a ref is never missed.
func (s *RefStore) readRef(name string) (id ID, target string, err error) {
	if err := checkRefName(name); err != nil {
		return "", "", err
	}
	file := s.refPath(name)
	content, err := readSmall(unix.AT_FDCWD, file, syscall.O_NOFOLLOW)
	switch {
	case errors.Is(err, syscall.ELOOP): // a link is a symbolic ref, as early versions of git made them
		if target, err = os.Readlink(file); !strings.HasPrefix(target, "refs/") {
			target = path.Join(path.Dir(name), target)
		}
		return "", target, err
	case err == nil:
		return s.parseRef(name, string(content))
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
		id, err := s.packedRef(name)
		return id, "", err
	}
	return "", "", fmt.Errorf("ref %s: %w", name, err)
}

func (s *RefStore) parseRef(name, content string) (id ID, target string, err error) {
	if target, ok := strings.CutPrefix(content, "ref:"); ok {
		return "", strings.TrimSpace(target), nil
	}
	id = ID(strings.TrimSpace(content))
	if s.repo.CheckID(id) != nil {
		return "", "", fmt.Errorf("ref %s %w: %s holds %q", name, ErrBrokenRef, s.refPath(name), content)
	}
	return id, "", nil
}

// refPath is the file of a ref; HEAD and a few others are each work tree's own.
func (s *RefStore) refPath(name string) string {
	dir := s.repo.commonDir
	own := !strings.HasPrefix(name, "refs/")
	for _, prefix := range []string{"refs/bisect/", "refs/worktree/", "refs/rewritten/"} {
		own = own || strings.HasPrefix(name, prefix)
	}
	if own {
		dir = s.repo.gitDir
	}
	return filepath.Join(dir, filepath.FromSlash(name))
}

// checkRefName refuses names that would lead out of the git directory. Git
// itself checks the rest before anything is written.
func checkRefName(name string) error {
	if name == "HEAD" {
		return nil
	}
	bad := !strings.HasPrefix(name, "refs/") || strings.ContainsAny(name, "\x00\n ~^:?*[\\")
	for _, part := range strings.Split(name, "/") {
		bad = bad || part == "" || part[0] == '.' || strings.HasSuffix(part, ".lock") || strings.Contains(part, "..")
	}
	if bad {
		return fmt.Errorf("%q is not the full name of a ref", name)
	}
	return nil
}

// packedRef looks a ref up in packed-refs: by halving where the file says it is
// sorted, line by line otherwise.
func (s *RefStore) packedRef(name string) (ID, error) {
	f, err := OpenRegular(filepath.Join(s.repo.commonDir, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("packed refs: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", fmt.Errorf("packed refs: %w", err)
	}
	head := make([]byte, min(info.Size(), 4096))
	if _, err := io.ReadFull(f, head); err != nil {
		return "", fmt.Errorf("packed refs: %w", err)
	}
	header, _, _ := bytes.Cut(head, []byte("\n"))
	low, high := int64(0), info.Size()
	if bytes.HasPrefix(header, []byte("# pack-refs with:")) && bytes.Contains(header, []byte(" sorted")) {
		if low, high, err = narrowSection(f, int64(len(header))+1, high, name); err != nil {
			return "", fmt.Errorf("packed refs: %w", err)
		}
	}
	return s.scanPacked(io.NewSectionReader(f, low, high-low), name)
}

// narrowSection searches a sorted packed-refs file by halves, until the part that can
// hold name is small. Both bounds are starts of lines.
func narrowSection(f io.ReaderAt, low, high int64, name string) (int64, int64, error) {
	const small, window = 16 << 10, 4 << 10
	buf := make([]byte, window)
	for high-low > small {
		mid := low + (high-low)/2
		n, err := f.ReadAt(buf, mid)
		if err != nil && err != io.EOF {
			return 0, 0, err
		}
		start, found := refLine(buf[:n])
		if start < 0 || mid+int64(start) >= high {
			return low, high, nil // odd lines: read it all
		}
		if found <= name {
			low = mid + int64(start)
		} else {
			high = mid + int64(start)
		}
	}
	return low, high, nil
}

// refLine finds the first whole line in buf that names a ref, not the id that
// the ref before it peels to.
func refLine(buf []byte) (start int, name string) {
	start = 0
	for {
		end := bytes.IndexByte(buf[start:], '\n')
		if end < 0 {
			return -1, ""
		}
		start += end + 1
		line, _, whole := bytes.Cut(buf[start:], []byte("\n"))
		if !whole {
			return -1, ""
		}
		if _, name, ok := bytes.Cut(line, []byte(" ")); ok {
			return start, string(name)
		}
	}
}

func (s *RefStore) scanPacked(section io.Reader, name string) (ID, error) {
	content, err := io.ReadAll(section)
	if err != nil {
		return "", fmt.Errorf("packed refs: %w", err)
	}
	for line := range bytes.Lines(content) {
		id, found, ok := strings.Cut(strings.TrimRight(string(line), "\r\n"), " ")
		if !ok || found != name {
			continue
		}
		return ID(id), s.repo.CheckID(ID(id))
	}
	return "", nil
}
