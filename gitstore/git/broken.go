package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A BrokenRef is a ref that git cannot read, or whose object it cannot read.
// While a repository has one, `git fetch` and `git gc` fail in it. A power cut
// makes them of what git had written and not synced.
type BrokenRef struct {
	Name   string
	File   string // holds no object id; "" if it holds one
	Object ID     // cannot be read; "" if File is set
	Reason string // for people
}

// BrokenRefs returns the broken refs of the repository, those whose file is broken
// first. A symbolic ref is not followed.
func (s *RefStore) BrokenRefs(ctx context.Context) ([]BrokenRef, error) {
	found, err := s.brokenFiles()
	if err != nil {
		return nil, err
	}
	out, err := s.repo.Git(ctx, "for-each-ref", "--format=%(objectname) %(refname)")
	if err != nil {
		return nil, err
	}
	var ids []ID
	asked := map[ID]bool{}
	for line := range strings.Lines(string(out)) {
		id, _, _ := strings.Cut(line, " ")
		if !asked[ID(id)] {
			asked[ID(id)] = true
			ids = append(ids, ID(id))
		}
	}
	bad, err := s.repo.UnreadableObjects(ctx, ids, len(ids))
	if err != nil || len(bad) == 0 {
		return found, err
	}
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		if why, lost := bad[ID(id)]; lost {
			found = append(found, BrokenRef{Name: name, Object: ID(id), Reason: why})
		}
	}
	return found, nil
}

// brokenFiles are the loose refs whose files hold no object id. git names them
// on its standard error only, and leaves them out of every list.
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
		if err != nil || !entry.Type().IsRegular() || checkRefName(name) != nil {
			return err
		}
		if _, _, err := s.readRef(name); err != nil {
			found = append(found, BrokenRef{Name: name, File: path, Reason: path + " holds no object id"})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("reading refs: %w", err)
	}
	return found, nil
}

// DropBroken removes a broken ref. git itself removes none whose file holds no
// object id, nor writes to it.
func (s *RefStore) DropBroken(ctx context.Context, ref BrokenRef) error {
	if ref.File != "" {
		return os.Remove(ref.File)
	}
	return s.MoveRefs(ctx, []RefUpdate{{Name: ref.Name, Old: ref.Object}}, "liza: cannot be read")
}

// LastReadable returns the newest object in the reflog of a ref that can be
// read, "" if there is none.
func (s *RefStore) LastReadable(ctx context.Context, name string) (ID, error) {
	if err := checkRefName(name); err != nil {
		return "", err
	}
	out, err := ReadSmall(filepath.Join(s.repo.commonDir, "logs", filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the reflog of %s: %w", name, err)
	}
	lines := strings.Split(string(out), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		// The line is OLD NEW COMMITTER, as gitrepository-layout(5) has it.
		f := strings.Fields(lines[i])
		if len(f) < 2 {
			continue
		}
		for _, id := range []ID{ID(f[1]), ID(f[0])} {
			if s.repo.CheckID(id) != nil || strings.Trim(string(id), "0") == "" {
				continue
			}
			bad, err := s.repo.UnreadableObjects(ctx, []ID{id}, 1)
			if err != nil || len(bad) == 0 {
				return id, err
			}
		}
	}
	return "", nil
}
