package gitstore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/markdown"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxText is how many bytes of a text are parted into sections or lines. Each
// section of a longer one has the id of its blob as hash.
const maxText = 1 << 20

// textFacts answers what the paths of a question hold. A commit that is missing
// leaves all of them out.
func (cs *Commits) textFacts(ctx context.Context, q flow.Query, f *flow.Facts) error {
	if len(q.Texts)+len(q.Match) == 0 {
		return nil
	}
	commits := []git.ID{cmp.Or(q.At, q.Tip)}
	if q.Onto != "" {
		commits = append(commits, q.Onto)
	}
	if q.Onto != "" && q.Merge != "" {
		commits = append(commits, q.Base, q.Submission)
	}
	trees, ok, err := cs.treesOf(commits)
	if err != nil || !ok {
		return err
	}
	if f.Texts, err = cs.findTexts(ctx, q.Texts, trees); err != nil || len(q.Match) == 0 {
		return err
	}
	return cs.findMatches(ctx, q.Match, trees, f)
}

// findMatches finds the regular files of the first tree that match a glob, and what the
// other trees have there. Of several trees only paths that differ are answered. It ends
// after one path more than a move may name.
func (cs *Commits) findMatches(ctx context.Context, globs []string, trees []git.ID, f *flow.Facts) error {
	var found []string
	m := matching{ctx, cs.objects, globs, func(path string) bool {
		found = append(found, path)
		return len(found) <= board.MaxMatches
	}}
	if _, err := m.descend(trees, ""); err != nil {
		return err
	}
	unknown := lists.Where(found, func(path string) bool { _, known := f.Texts[path]; return !known })
	texts, err := cs.findTexts(ctx, lists.Of(unknown, func(path string) flow.TextQuery { return flow.TextQuery{Path: path} }), trees)
	if err != nil {
		return err
	}
	maps.Copy(f.Texts, texts)
	slices.Sort(found)
	f.Matches = found
	return nil
}

// A matching looks for the regular files of a tree that match a glob. It enters only
// folders in which one can be.
type matching struct {
	ctx     context.Context
	objects *git.Objects
	globs   []string
	visit   func(path string) bool // false ends it
}

// descend visits what lies below a folder, which is one of these trees in each commit.
func (m matching) descend(trees []git.ID, folder string) (on bool, err error) {
	if trees[0] == "" || len(trees) > 1 && allSame(trees) {
		return true, nil
	}
	found, err := pathWalk{m.ctx, m.objects, nil}.entries(trees, func(string) bool { return true })
	if err != nil {
		return false, err
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		entries, path := found[name], folder+name
		switch e := entries[0]; {
		case e.ID == "" || len(trees) > 1 && allSame(entries):
		case e.Mode == git.ModeTree && slices.ContainsFunc(m.globs, func(pattern string) bool { return glob.Overlap(pattern, path+"/**") }):
			below := make([]git.ID, len(trees))
			for i, other := range entries {
				if other.Mode == git.ModeTree {
					below[i] = other.ID
				}
			}
			if on, err := m.descend(below, path+"/"); err != nil || !on {
				return on, err
			}
		case isRegular(e) && slices.ContainsFunc(m.globs, func(pattern string) bool { return glob.Match(pattern, path) }):
			if !m.visit(path) {
				return false, nil
			}
		}
	}
	return true, nil
}

// treesOf are the trees of commits; ok is false if one is missing.
func (cs *Commits) treesOf(commits []git.ID) (trees []git.ID, ok bool, err error) {
	for _, id := range commits {
		c, ok, err := cs.history.findCommit(id)
		if err != nil || !ok {
			return nil, false, err
		}
		trees = append(trees, c.Tree)
	}
	return trees, true, nil
}

// findTexts answers what paths hold in a tree, and in those of the commits that it
// is compared with. Of several trees only paths that differ are answered.
func (cs *Commits) findTexts(ctx context.Context, asked []flow.TextQuery, trees []git.ID) (map[string]flow.TextFact, error) {
	texts := make(map[string]flow.TextFact, len(asked))
	queries := make(map[string]flow.TextQuery, len(asked))
	names := make([]string, len(asked))
	for i, one := range asked {
		names[i], queries[one.Path] = one.Path, one
	}
	w := pathWalk{ctx, cs.objects, func(path string, found []git.Entry) error {
		fact, err := cs.textFact(queries[path], found)
		texts[path] = fact
		return err
	}}
	return texts, w.descend(trees, "", names)
}

// Contested are the tracked paths at which a merge with this tree would put a text
// that nobody judged: neither that of the submission nor that of integration. q
// names the texts, Onto, Base and Submission, as for the move.
func (cs *Commits) Contested(ctx context.Context, q flow.Query, tree git.ID) ([]string, error) {
	trees, ok, err := cs.treesOf([]git.ID{q.Onto, q.Base, q.Submission})
	if err != nil || !ok || len(q.Texts) == 0 {
		return nil, err
	}
	texts, err := cs.findTexts(ctx, q.Texts, append([]git.ID{tree}, trees...))
	if err != nil {
		return nil, err
	}
	unjudged := lists.Where(q.Texts, func(asked flow.TextQuery) bool { return texts[asked.Path].Unjudged() })
	return lists.Of(unjudged, func(asked flow.TextQuery) string { return asked.Path }), nil
}

// textFact is the answer for a path at which the commits have these entries.
func (cs *Commits) textFact(asked flow.TextQuery, found []git.Entry) (flow.TextFact, error) {
	fact := flow.TextFact{Text: board.Text{Path: asked.Path}}
	for i, to := range []*git.ID{&fact.Blob, &fact.Onto, &fact.Base, &fact.Submitted} {
		if i < len(found) && isRegular(found[i]) {
			*to = found[i].ID
		}
	}
	hashes := make([]string, len(asked.Anchors))
	if fact.Blob != "" {
		data, err := cs.objects.ReadKind(fact.Blob, "blob", maxText)
		var large *git.TooLarge
		switch {
		case errors.As(err, &large):
			for i := range hashes {
				hashes[i] = string(fact.Blob)
			}
		case err != nil:
			return fact, err
		default:
			if len(hashes) > 0 {
				hashes = markdown.Hashes(string(data), asked.Anchors)
			}
			if class := classOf(asked.Path, data); class.Binds() {
				fact.Class = class
			} else if asked.Form {
				fact.Form = class
			}
		}
	}
	for i, anchor := range asked.Anchors {
		fact.Sections = append(fact.Sections, board.Section{Anchor: anchor, Hash: hashes[i]})
	}
	return fact, nil
}

// classOf is the class of a text as a move records it, nil if it cannot be read.
func classOf(path string, data []byte) *board.Class {
	class := automation.Find(path, data)
	if class != nil {
		for i, e := range class.Evidence {
			class.Evidence[i].Text = board.Clean(e.Text)
		}
	}
	return class
}

func isRegular(e git.Entry) bool { return e.Mode == git.ModeBlob || e.Mode == git.ModeExecutable }

// A pathWalk looks paths up in the trees of one or several commits. It reads each
// folder once. Of several commits it visits only paths that differ.
type pathWalk struct {
	ctx     context.Context
	objects *git.Objects
	visit   func(path string, found []git.Entry) error // the zero entry where nothing is
}

// descend visits paths below a folder, which is one of these trees in each commit;
// "" where the commit has no such folder. Links are not followed.
func (w pathWalk) descend(trees []git.ID, folder string, paths []string) error {
	if len(trees) > 1 && allSame(trees) {
		return nil
	}
	files, below := map[string]bool{}, map[string][]string{}
	for _, path := range paths {
		name, rest, deeper := strings.Cut(path, "/")
		if deeper {
			below[name] = append(below[name], rest)
			continue
		}
		files[name] = true
	}
	found, err := w.entries(trees, func(name string) bool { return files[name] || below[name] != nil })
	if err != nil {
		return err
	}
	nothing := make([]git.Entry, len(trees))
	for name := range files {
		entries := found[name]
		if entries == nil {
			entries = nothing
		}
		if err := w.ctx.Err(); err != nil {
			return err
		}
		if len(trees) > 1 && allSame(entries) {
			continue
		}
		if err := w.visit(folder+name, entries); err != nil {
			return err
		}
	}
	for name, rest := range below {
		folders := make([]git.ID, len(trees))
		for i, e := range found[name] {
			if e.Mode == git.ModeTree {
				folders[i] = e.ID
			}
		}
		if err := w.descend(folders, folder+name+"/", rest); err != nil {
			return err
		}
	}
	return nil
}

// entries are the entries of the trees with a wanted name: for each name one per
// tree.
func (w pathWalk) entries(trees []git.ID, wanted func(name string) bool) (map[string][]git.Entry, error) {
	found := map[string][]git.Entry{}
	for i, tree := range trees {
		if tree == "" {
			continue
		}
		if err := w.ctx.Err(); err != nil {
			return nil, err
		}
		list, err := w.objects.Tree(tree)
		if err != nil {
			return nil, err
		}
		for _, e := range list {
			if !wanted(e.Name) {
				continue
			}
			if found[e.Name] == nil {
				found[e.Name] = make([]git.Entry, len(trees))
			}
			if found[e.Name][i].ID == "" { // a damaged tree may have the name twice
				found[e.Name][i] = e
			}
		}
	}
	return found, nil
}

func allSame[T comparable](list []T) bool {
	return !slices.ContainsFunc(list, func(one T) bool { return one != list[0] })
}

// lineFacts counts the lines of files of a submission; a last line need not end
// with a line feed. A file that is too long to be read has any line.
func (cs *Commits) lineFacts(ctx context.Context, q flow.Query, f *flow.Facts) error {
	c, ok, err := cs.history.findCommit(q.Submission)
	if f.Exists = ok; err != nil || !ok {
		return err
	}
	f.Lines = make(map[string]int, len(q.Lines))
	w := pathWalk{ctx, cs.objects, func(path string, found []git.Entry) error {
		f.Lines[path] = -1
		if !isRegular(found[0]) {
			return nil
		}
		data, err := cs.objects.ReadKind(found[0].ID, "blob", maxText)
		if _, is := errors.AsType[*git.TooLarge](err); is {
			f.Lines[path] = math.MaxInt
			return nil
		}
		if err != nil {
			return err
		}
		n := bytes.Count(data, []byte("\n"))
		if len(data) > 0 && data[len(data)-1] != '\n' {
			n++
		}
		f.Lines[path] = n
		return nil
	}}
	return w.descend([]git.ID{c.Tree}, "", q.Lines)
}
