package planforms

import (
	"cmp"
	"errors"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/plan/stories"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// readBundles reads the one bundle of a folder that has no plans.
func (r *reading) readBundles() error {
	found := globsIn(r.names, "ralph", storiesName)
	for _, dir := range r.folders {
		if path.Dir(dir) == "ralph" && !r.has(path.Join(dir, storiesName)) {
			r.lack(path.Join(dir, storiesName), "the bundle has no stories")
		}
	}
	switch len(found) {
	case 0:
		return refusef(nil, "there is no plan: neither ROADMAP.md, nor a PLAN.md below phases, nor a prd.json below ralph")
	case 1:
		return r.readStories(found[0])
	}
	dirs := lists.Of(found, path.Dir)
	return refusef(dirs, "there are %d bundles, and a plan is one of them: %s", len(found), strings.Join(dirs, ", "))
}

const storiesName = "prd.json"

// readStories makes tasks of the stories of a prd.json: one after the other, in their order.
func (r *reading) readStories(file string) error {
	r.report.System = strings.TrimPrefix(strings.TrimPrefix(r.report.System+", prd.json", "GSD"), ", ")
	text, err := r.text(file)
	if err != nil {
		r.fail(file, err)
		return r.err
	}
	f, err := stories.Read(file, []byte(text))
	if bad, is := errors.AsType[*stories.Error](err); is {
		r.wrong(file, bad.Line, "%s", bad.Reason)
		return r.err
	}
	for _, key := range f.Unknown {
		r.leave(file, key.Line, key.Name, unknownKey)
	}
	r.feature = cmp.Or(f.Title, path.Base(f.Branch))
	dir := path.Dir(file)
	allowed, excluded, verify := f.Allowed, f.Excluded, f.Verify
	if name := path.Join(dir, "PRD.md"); r.has(name) {
		if p := r.page(name); p != nil {
			allowed = orElse(allowed, pathsIn(p.section("allowed paths")))
			excluded = orElse(excluded, pathsIn(p.section("excluded paths")))
			verify = orElse(verify, r.commands(name, p.section("verification commands", "verification")))
		}
	} else if dir != "." {
		r.lack(name, "nothing but the stories says what they may touch")
	}
	r.addStories(file, f, board.TaskInput{Owns: patterns(allowed), Denies: patterns(excluded), Verify: allOf(verify), Labels: r.slug(dir, f.Branch)})
	return r.err
}

func orElse(list, other []string) []string {
	if len(list) > 0 {
		return list
	}
	return other
}

func patterns(paths []string) []string { return lists.Of(paths, globOf) }

// slug is the label of the stories of a bundle: its folder, or the end of its branch.
func (r *reading) slug(dir, branch string) []string {
	whole := path.Join(r.within, dir)
	switch {
	case path.Base(path.Dir(whole)) == "ralph":
		return []string{idOf(path.Base(whole))}
	case strings.Contains(branch, "/"):
		return []string{idOf(path.Base(branch))}
	}
	return nil
}

// addStories adds the stories, each with what all have in common.
func (r *reading) addStories(file string, f *stories.File, common board.TaskInput) {
	if f.Branch != "" {
		r.leave(file, 1, "branchName", "work is merged into integration: "+f.Branch)
	}
	var last []board.TaskID
	for _, s := range f.Order() {
		t := common
		t.ID = taskID(append(slices.Clone(common.Labels), s.ID)...)
		t.Title, t.Scope = s.Title, cmp.Or(s.Description, s.Title)
		t.Acceptance = slices.Clone(s.Acceptance)
		t.DoneWhen = cmp.Or(lines(s.Acceptance), "The story is done: "+s.Title)
		t.Context = board.LongText(s.Notes)
		t.DependsOn = last
		ended := ""
		if s.Passes {
			ended = "passes is true"
		}
		r.add(file, s.Line, t, ended)
		last = []board.TaskID{t.ID}
	}
}
