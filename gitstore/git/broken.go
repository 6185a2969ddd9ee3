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

	"github.com/git-liza/git-liza/flow/lists"
)

// A BrokenRef is a ref that git cannot read, or of which it cannot read the
// history. While a repository has one, `git fetch` and `git gc` fail in it. A
// power cut makes them of what git had written and not synced.
type BrokenRef struct {
	Name   string // "HEAD" for the detached head of a work tree
	GitDir string // of that work tree; "" for a ref
	File   string // holds no object id; "" if it holds one
	Object ID     // of the ref; "" if File is set
	Reason string // for people
}

// BrokenRefs returns the broken refs of the repository and the detached heads of
// its work trees, those whose file is broken first. Symbolic refs that [IsOwn] are
// broken; of others, what they name is looked at.
func (s *RefStore) BrokenRefs(ctx context.Context) ([]BrokenRef, error) {
	return s.listBroken(ctx, func(ctx context.Context, ids []ID, before []byte) (string, error) {
		return walkHistory(ctx, s.repo, ids, before)
	})
}

// DeepBrokenRefs is BrokenRefs for refs of which git must be able to read every tree
// and file too. What lies behind the base commit is asked of that commit alone: a hole
// in it is in everything that was built on it.
func (s *RefStore) DeepBrokenRefs(ctx context.Context, base ID) ([]BrokenRef, error) {
	return s.listBroken(ctx, func(ctx context.Context, ids []ID, before []byte) (string, error) {
		if len(ids) == 1 && ids[0] != base {
			before = append(before, "^"+base+"\n"...)
		}
		return walkHistory(ctx, s.repo, ids, before, "--objects", "--ignore-missing")
	})
}

// listBroken is BrokenRefs with a walk over the history of refs.
func (s *RefStore) listBroken(ctx context.Context, walk historyWalk) ([]BrokenRef, error) {
	found, err := s.brokenFiles()
	if err != nil {
		return nil, err
	}
	refs, err := s.tips(ctx)
	if err != nil {
		return nil, err
	}
	var ids []ID
	asked := map[ID]bool{}
	for _, ref := range refs {
		if ref.File == "" && !asked[ref.Object] {
			asked[ref.Object] = true
			ids = append(ids, ref.Object)
		}
	}
	bad, err := s.repo.UnreadableObjects(ctx, ids, len(ids))
	if err == nil {
		err = addBrokenHistory(ctx, ids, bad, walk)
	}
	if err != nil {
		return nil, err
	}
	for _, ref := range refs {
		if why, lost := bad[ref.Object]; lost {
			ref.Reason = why
		}
		if ref.Reason != "" {
			found = append(found, ref)
		}
	}
	return found, nil
}

// tips are the refs that are not symbolic, and the detached heads, with the
// objects that they name.
func (s *RefStore) tips(ctx context.Context) ([]BrokenRef, error) {
	out, err := s.repo.Git(ctx, "for-each-ref", "--format=%(objectname) %(refname) %(symref)")
	if err != nil {
		return nil, err
	}
	var list []BrokenRef
	for line := range strings.Lines(string(out)) {
		switch f := strings.Fields(line); {
		case len(f) == 2:
			list = append(list, BrokenRef{Name: f[1], Object: ID(f[0])})
		case s.repo.reftable && IsOwn(f[1]): // where refs are files, those that lead nowhere are seen too
			list = append(list, BrokenRef{Name: f[1], File: "reftable", Reason: symbolicError(f[1], f[2]).Error()})
		}
	}
	for _, dir := range append([]string{s.repo.commonDir}, PathsIn(filepath.Join(s.repo.commonDir, "worktrees"), "", "")...) {
		text, err := ReadSmall(filepath.Join(dir, "HEAD"))
		if id := ID(strings.TrimSpace(string(text))); err == nil && s.repo.CheckID(id) == nil {
			list = append(list, BrokenRef{Name: "HEAD", GitDir: dir, Object: id})
		}
	}
	return list, nil
}

// A historyWalk walks from objects to what "^ID" lines exclude; why says what git could
// not read on the way, "" if it read all.
type historyWalk func(ctx context.Context, ids []ID, before []byte) (why string, err error)

func walkHistory(ctx context.Context, r *Repo, ids []ID, before []byte, options ...string) (why string, err error) {
	revs := slices.Clone(before)
	for _, id := range ids {
		revs = append(revs, id+"\n"...)
	}
	_, err = r.Run(ctx, Cmd{Args: append([]string{"rev-list", "--quiet", "--stdin"}, options...), Stdin: revs, Limit: lasting})
	if ExitCode(err) > 0 {
		return ReadFailure(err), nil
	}
	return "", err
}

// addBrokenHistory adds the objects to bad that can be read themselves, and of
// whose history something cannot.
func addBrokenHistory(ctx context.Context, ids []ID, bad map[ID]string, walk historyWalk) error {
	readable := lists.Where(ids, func(id ID) bool { return bad[id] == "" })
	if why, err := walk(ctx, readable, nil); err != nil || why == "" {
		return err
	}
	var good []byte
	for _, id := range readable {
		why, err := walk(ctx, []ID{id}, good)
		if err != nil {
			return err
		}
		if why != "" {
			bad[id] = "its history: " + why
			continue
		}
		good = append(good, "^"+id+"\n"...)
	}
	return nil
}

// brokenFiles are the loose refs whose files hold no object id though they must. git names
// most of them on its standard error only, and leaves them out of every list.
func (s *RefStore) brokenFiles() ([]BrokenRef, error) {
	if s.repo.reftable {
		return nil, nil
	}
	var found []BrokenRef
	root := filepath.Join(s.repo.commonDir, "refs")
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if path != root && errors.Is(err, fs.ErrNotExist) {
				return nil // removed meanwhile
			}
			return err
		}
		rel, err := filepath.Rel(s.repo.commonDir, path)
		name := filepath.ToSlash(rel)
		link := entry.Type()&fs.ModeSymlink != 0
		if err != nil || !entry.Type().IsRegular() && !link || checkRefName(name) != nil {
			return err
		}
		if _, target, err := s.readRef(name); err == nil && target != "" && IsOwn(name) {
			found = append(found, BrokenRef{Name: name, File: path, Reason: symbolicError(name, target).Error()})
		}
		if link {
			return nil
		}
		if text, err := ReadSmall(path); err == nil && !s.startsWithID(string(text)) && !strings.HasPrefix(string(text), "ref:") {
			found = append(found, BrokenRef{Name: name, File: path, Reason: path + " holds no object id"})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading refs: %w", err)
	}
	return found, nil
}

// startsWithID reports whether git reads an object id from the content of a ref:
// it ignores what follows after white space.
func (s *RefStore) startsWithID(text string) bool {
	n := s.repo.HashLen()
	return len(text) >= n && s.repo.CheckID(ID(text[:n])) == nil && (len(text) == n || strings.ContainsAny(text[n:n+1], " \t\r\n"))
}

// SetBroken moves a broken ref to an object, or removes it if the id is "". git
// itself neither moves nor removes a ref whose file holds no object id.
func (s *RefStore) SetBroken(ctx context.Context, ref BrokenRef, to ID) error {
	const message = "liza: could not be read"
	switch {
	case ref.GitDir != "":
		return s.DetachHead(ctx, ref.GitDir, ref.Object, to, message)
	case ref.File == "" || s.repo.reftable:
		return s.MoveRefs(ctx, []RefUpdate{{Name: ref.Name, Old: ref.Object, New: to, Any: ref.File != ""}}, message)
	case to != "":
		return s.RewriteBroken(ctx, ref.Name, to)
	}
	if err := os.Remove(ref.File); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// LastWhole returns the newest commit in the reflog of a broken ref of which
// everything can be read that it has beside the known commit; "" if there is none.
func (s *RefStore) LastWhole(ctx context.Context, ref BrokenRef, known ID) (ID, error) {
	log, err := s.readReflogOf(ctx, ref)
	if err != nil {
		return "", err
	}
	tried := map[ID]bool{"": true}
	for _, line := range log {
		for _, id := range []ID{line.New, line.Old} {
			if tried[id] {
				continue
			}
			tried[id] = true
			if whole, err := s.repo.IsWhole(ctx, id, known); err != nil || whole {
				return id, err
			}
		}
	}
	return "", nil
}

// readReflogOf returns the reflog of a broken ref, newest line first.
func (s *RefStore) readReflogOf(ctx context.Context, ref BrokenRef) ([]ReflogLine, error) {
	if ref.GitDir != "" {
		return s.readReflogFile(filepath.Join(ref.GitDir, "logs", "HEAD"))
	}
	log, err := s.ReadReflog(ctx, ref.Name)
	if target, _ := s.SymbolicRef(ctx, ref.Name); target != "" { // git symbolic-ref adds where that is, and no words
		log = slices.DeleteFunc(log, func(l ReflogLine) bool { return l.Message == "" })
	}
	return log, err
}

// RemoveEmptyObjects removes the files of no size that a power cut leaves where
// loose objects were to be: they stand in the way of the objects.
func (r *Repo) RemoveEmptyObjects() error {
	for _, path := range fannedOut(r.objectDir, "") {
		info, err := os.Lstat(path)
		if err != nil || info.Size() > 0 || !info.Mode().IsRegular() || strings.HasPrefix(info.Name(), tempPrefix) {
			continue
		}
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
