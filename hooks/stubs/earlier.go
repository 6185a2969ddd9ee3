package stubs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore/git"
)

// Earlier is the state of a clone's hooks at an earlier time.
type Earlier struct {
	whole bool
	noted *record
	hooks map[string]string // what is in each file that git, or a stub, may start
}

// Planted returns the hooks, sorted, that have come or changed since, but for the stubs of
// this program.
func (e Earlier) Planted(ctx context.Context, repo *git.Repo) (list []string) {
	now := hookTexts(ctx, repo, e.noted)
	for path, text := range now {
		if e.hooks[path] != text {
			list = append(list, path)
		}
	}
	return slices.Sorted(slices.Values(list))
}

// hookTexts reads the hooks in the folders that git takes them from, and those that stubs
// call, but no stub as the record has it.
func hookTexts(ctx context.Context, repo *git.Repo, r *record) map[string]string {
	folders := []string{filepath.Join(repo.CommonDir(), "hooks")}
	repo.Config.Renew()
	if set, err := repo.Config.Config(ctx, hooksPath); err == nil && set != "" {
		if !filepath.IsAbs(set) {
			set = filepath.Join(repo.MainWorkTree(), set)
		}
		folders = append(folders, set)
	}
	if r == nil {
		r = &record{common: repo.CommonDir()}
	}
	paths := lists.Of(r.Files, r.firstOf)
	for _, folder := range folders {
		for _, name := range slices.Concat(knownHooks, replacingHooks) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	texts := map[string]string{}
	for _, path := range paths {
		rel, _ := r.relPath(path)
		f := r.findFile(rel)
		if text, err := os.ReadFile(path); err == nil && (f == nil || !bytes.Equal(text, r.stubText(*f))) && isExecutable(path) {
			texts[path] = string(text)
		}
	}
	return texts
}

// Remember notes the state of a clone's hooks.
func Remember(ctx context.Context, repo *git.Repo) (Earlier, error) {
	repo.Config.Renew()
	now, err := Examine(ctx, repo)
	if err != nil {
		return Earlier{}, err
	}
	noted, _ := readRecord(repo)
	return Earlier{now.Whole() && !now.Server, noted, hookTexts(ctx, repo, noted)}, nil
}

// Restore restores stubs that were whole and are not whole any more, and reports
// whether it did. What a process wrote in place of a stub since gets another name
// beside it, which is returned. It does not restore hooks that were uninstalled by the
// command. Errors are those of [Install].
func (e Earlier) Restore(ctx context.Context, repo *git.Repo) (back bool, aside []string, err error) {
	if !e.whole || !exists(recordPath(repo.CommonDir())) {
		return false, nil, nil
	}
	r := e.noted // a session may have written another program into that of the clone
	now, err := Remember(ctx, repo)
	if err == nil && now.whole && reflect.DeepEqual(now.noted, r) {
		return false, nil, err
	}
	if err := r.save(); err != nil {
		return false, nil, err
	}
	if aside, err = r.setAsideChanged(); err != nil {
		return false, aside, err
	}
	return true, aside, Install(ctx, repo, r.Options)
}

// setAsideChanged renames what is at the path of a stub and is another program's.
func (r *record) setAsideChanged() (list []string, err error) {
	for _, f := range r.Files {
		path := r.absPath(f.Path)
		if !r.isChanged(f) {
			continue
		}
		name := path + ".changed"
		for n := 2; exists(name); n++ {
			name = path + ".changed." + strconv.Itoa(n)
		}
		if err := os.Rename(path, name); err != nil {
			return list, err
		}
		list = append(list, name)
	}
	return list, nil
}
