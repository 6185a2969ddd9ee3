package supervise

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/patch"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/markdown"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

const (
	// largestSpec is the size in bytes up to which a spec's texts are compared.
	largestSpec = 256 << 10
	// largestPatch is how many bytes of a difference stand in a prompt, at most.
	largestPatch = 16 << 10
	// largestText and largestChange are how many bytes of the text of a spec, and of the commits
	// and the changes of a submission, stand in the prompt of who judges it.
	largestText, largestChange = 4 << 10, 16 << 10
)

// A specReader reads what integration has of specs, and compares it with the commit
// that the work began from.
type specReader struct {
	objects *git.Objects
	tip     board.ObjectID // of integration, according to the board
	bases   specBases
}

// specBases are the commits with which the present specs are compared, "" if there is
// nothing to compare with. A change since the last review is shown rather than one
// since the work began.
type specBases struct {
	began, reviewed board.ObjectID
}

// readSpecs returns the specs of the task and of the goal of an input, and the texts
// that the task is based on: each reference of the task once, and the goal's spec if its
// path is not among them. text is the context of the task.
func readSpecs(ctx context.Context, repo *git.Repo, tip board.ObjectID, bases specBases, in *templates.Input) (list []templates.Spec, text string, err error) {
	objects := repo.Objects(ctx)
	for _, base := range []*board.ObjectID{&bases.began, &bases.reviewed} {
		if *base == "" {
			continue
		}
		if _, err := objects.Commit(*base); errors.Is(err, git.ErrNoObject) {
			*base = "" // a shallow clone
		} else if err != nil {
			return nil, "", err
		}
	}
	r := specReader{objects, tip, bases}
	add := func(ref string, basis bool, known func(templates.Spec) bool) error {
		path, anchor, _ := strings.Cut(ref, "#")
		if path == "" || slices.ContainsFunc(list, known) {
			return nil
		}
		spec, err := r.read(path, anchor)
		spec.Basis = basis
		list = append(list, spec)
		return err
	}
	if t := in.Task; t != nil {
		for i, ref := range append([]string{t.Spec}, t.BasedOn...) {
			if err := add(ref, i > 0, func(s templates.Spec) bool { return s.Path+"#"+s.Anchor == ref || s.Anchor == "" && s.Path == ref }); err != nil {
				return nil, "", err
			}
		}
		if text, err = r.context(string(t.Context)); err != nil {
			return nil, "", err
		}
	}
	if in.Goal != nil {
		path, _, _ := strings.Cut(in.Goal.Spec, "#")
		if err := add(in.Goal.Spec, false, func(s templates.Spec) bool { return s.Path == path }); err != nil {
			return nil, "", err
		}
	}
	return list, text, nil
}

// context returns the text of a context: its own, or that of the section that it names.
func (r specReader) context(text string) (string, error) {
	path, anchor, named := strings.Cut(text, "#")
	if !named || strings.ContainsAny(text, " \t\n") {
		return text, nil
	}
	file, err := r.fileAt(r.tip, path)
	if err != nil || file.missing != "" || file.unread || file.lacks(anchor) {
		return text, err
	}
	section, _, _ := markdown.Section(file.text, anchor)
	return board.Excerpt(section, largestPatch), nil
}

// read reads one spec, and compares it with the last review or, if it has not changed
// since, with the beginning of the work.
func (r specReader) read(path, anchor string) (templates.Spec, error) {
	spec, err := r.compare(path, anchor, r.bases.reviewed)
	spec.Reread = true
	if err == nil && (r.bases.reviewed == "" || spec.Change != templates.Changed) {
		return r.compare(path, anchor, r.bases.began)
	}
	return spec, err
}

// compare reads one spec, and compares it with its text at a commit.
func (r specReader) compare(path, anchor string, base board.ObjectID) (templates.Spec, error) {
	spec := templates.Spec{Path: path, Anchor: anchor, Tip: r.tip, Base: base}
	now, err := r.fileAt(r.tip, path)
	if err != nil {
		return spec, err
	}
	spec.Missing = now.missing
	spec.NoSection = now.lacks(anchor)
	if text := now.text; !now.unread {
		if section, _, found := markdown.Section(text, anchor); found && anchor != "" {
			text = section
		}
		spec.Text = templates.Cutting(text, largestText)
	}
	if base == "" || base == r.tip {
		return spec, nil
	}
	was, err := r.fileAt(base, path)
	if err != nil {
		return spec, err
	}
	spec.New = was.missing != ""
	switch {
	case now.missing == absent && !spec.New:
		spec.Missing = "it was removed"
	case now.missing != "" || now.id == was.id:
	case spec.New:
		spec.Change = templates.Changed
	default:
		compareSpecs(&spec, was, now)
	}
	return spec, nil
}

// compareSpecs compares two texts of a spec: the section that counts if both have it, all
// of the file otherwise.
func compareSpecs(spec *templates.Spec, was, now specFile) {
	spec.Change = templates.Changed
	if was.unread || now.unread {
		return
	}
	old, current := patch.Side{Text: was.text}, patch.Side{Text: now.text}
	if spec.Anchor != "" {
		before, from, had := markdown.Section(was.text, spec.Anchor)
		after, to, has := markdown.Section(now.text, spec.Anchor)
		switch {
		case had && has && before == after:
			spec.Change = templates.Elsewhere
			return
		case had && has:
			old, current = patch.Side{Text: before, Line: from}, patch.Side{Text: after, Line: to}
		}
	}
	spec.Patch = patch.Format(spec.Path, old, current, false)
	shown := templates.Cutting(spec.Patch, largestPatch).Text
	spec.Patch, spec.Left = shown, len(spec.Patch)-len(shown)
}

// A specFile is the file of a spec at a commit.
type specFile struct {
	missing string // why there is no file, "" if there is one
	id      board.ObjectID
	text    string
	unread  bool // it is too large, or no text
}

// absent says of a path that nothing is there.
const absent = "nothing is at this path"

// lacks reports whether the text was read and has no heading with the anchor.
func (f specFile) lacks(anchor string) bool {
	if anchor == "" || f.missing != "" || f.unread {
		return false
	}
	_, _, found := markdown.Section(f.text, anchor)
	return !found
}

// fileAt reads the file at a path of a commit.
func (r specReader) fileAt(commit board.ObjectID, path string) (specFile, error) {
	c, err := r.objects.Commit(commit)
	if err != nil {
		return specFile{}, err
	}
	e, ok, err := r.objects.Find(c.Tree, path)
	switch {
	case err != nil:
		return specFile{}, err
	case !ok:
		return specFile{missing: absent}, nil
	case e.Mode == git.ModeTree:
		return specFile{missing: "it is a folder"}, nil
	case e.Mode == git.ModeSymlink:
		return specFile{missing: "it is a symbolic link"}, nil
	case e.Mode == git.ModeSubmodule:
		return specFile{missing: "it is a submodule"}, nil
	}
	data, err := r.objects.ReadKind(e.ID, "blob", largestSpec)
	if _, ok := errors.AsType[*git.TooLarge](err); ok {
		return specFile{id: e.ID, unread: true}, nil
	}
	text := string(data)
	return specFile{id: e.ID, text: text, unread: strings.Contains(text, "\x00")}, err
}
