package gitstore

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// broughtFacts says what is wrong with what the commits bring that a submission adds to
// integration at tip, and what each of them changes, if that is asked for.
func (cs *Commits) broughtFacts(ctx context.Context, q flow.Query, tip, base git.ID, changes []git.Change, f *flow.Facts) error {
	j := &objectChecker{commits: cs, asked: q.Brought, meant: q.Meant, read: map[git.ID]git.ID{}, gone: map[git.ID]bool{}, marks: map[git.ID]int{}}
	flaw, err := j.findFlaw(ctx, tip, base, q.Submission, changes)
	f.Flaw, f.Brought = cmp.Or(f.Flaw, flaw), j.brought
	if err == nil {
		f.Key, err = j.findKey(ctx, base, tip)
	}
	if err == nil {
		f.Marker, err = j.findMarker(changes)
	}
	return err
}

// maxBrought bounds the changes of all commits of a submission.
const maxBrought = 10 * git.MaxChanges

// noteChange notes a file that differs from what each parent has at its path.
func (j *objectChecker) noteChange(path string, was []git.Entry, is git.Entry) error {
	if !j.asked {
		return nil
	}
	if len(j.brought) == maxBrought {
		return tooMuch("its commits change files more than %d times", maxBrought)
	}
	c := git.Change{Path: path, Mode: is.Mode, New: is.ID}
	for _, e := range was {
		c.OldMode = e.Mode
		if first := j.read[e.ID]; first == "" || first == j.commit {
			j.gone[e.ID] = true
		}
	}
	if err := j.commits.objects.Measure(&c); err != nil {
		return err
	}
	j.brought = append(j.brought, changeOf(c, j.commit))
	if c.New == "" || c.Mode == git.ModeSubmodule || c.Size > maxSearched || j.read[c.New] != "" || slices.Contains(j.meant, c.New) {
		return nil
	}
	j.read[c.New] = j.commit
	data, err := j.commits.objects.ReadKind(c.New, "blob", maxSearched)
	if n := conflictLine(data); n > 0 {
		j.marks[c.New] = n
	}
	j.searchKeys(path, j.commit, c.New, data)
	return err
}

// noteGone notes the files that all parents have in a folder, and the commit does not.
func (j *objectChecker) noteGone(ctx context.Context, dir string, gone map[string][]git.Entry) error {
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		was := gone[name]
		if !j.asked || j.parents == 0 || len(was) < j.parents {
			continue
		}
		if was[0].Mode != git.ModeTree {
			if err := j.noteChange(dir+name, was, git.Entry{}); err != nil {
				return err
			}
			continue
		}
		if j.folders++; j.folders > git.MaxChanges {
			return tooMuch("there are more than %d changed folders", git.MaxChanges)
		}
		entries, err := j.commits.objects.Tree(was[0].ID)
		if err = errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		inside := map[string][]git.Entry{}
		for _, e := range entries {
			inside[e.Name] = slices.Repeat([]git.Entry{e}, j.parents)
		}
		if err := j.noteGone(ctx, dir+name+"/", inside); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func changeOf(c git.Change, commit git.ID) flow.PathChange {
	return flow.PathChange{Path: c.Path, Mode: c.Mode, Was: c.OldMode, Size: c.Size, Link: c.Link, Commit: commit}
}
