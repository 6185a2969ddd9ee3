package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

// Install writes the documents into the project in a folder, the skills where
// its tools look for them, and a block that points at CORE into its entry files.
// It commits nothing. It keeps and reports files that were changed by hand, that
// are not ours, or that a newer program wrote. With force it replaces them, and
// keeps a copy of the first two kinds beside the file. Installing the same again
// changes nothing, and completes an installation that was interrupted.
func Install(dir string, t Target, force bool) (Report, error) {
	p, err := openProject(dir)
	if err != nil {
		return Report{}, err
	}
	defer p.root.Close()
	t = p.target(t)
	if err := t.Check(); err != nil {
		return Report{}, err
	}
	entries, err := p.apply(t, p.items(t), force)
	return Report{Installed: true, Target: t, Entries: entries}, err
}

// Uninstall removes what Install wrote, with the folders that it made.
// Without changes in between, the project is as before, to the byte. Files
// that were changed since stay and are reported as kept.
func Uninstall(dir string) (Report, error) {
	p, err := openProject(dir)
	if err != nil {
		return Report{}, err
	}
	defer p.root.Close()
	if !p.installed {
		return Report{Target: p.was.target}, nil
	}
	entries, err := p.apply(p.was.target, p.examined(p.formerItems(nil)), false)
	r := Report{Target: p.was.target, Entries: entries}
	r.Installed = len(r.Kept()) > 0
	return r, err
}

// apply writes and removes the items. It writes the manifest first, with the
// old and the new digests, so that after a crash every file is known to be
// ours.
func (p *project) apply(t Target, items []*item, force bool) ([]Entry, error) {
	report := make([]Entry, len(items))
	after := newManifest(t)
	after.made, after.created = slices.Clone(p.was.made), slices.Clone(p.was.created)
	for i, it := range items {
		report[i] = it.entry()
		report[i].Done = it.decide(force)
		after.recordDeed(it, report[i].Done, p.was)
		if it.state == Newer && report[i].Done == Kept {
			after.edition = p.was.edition
		}
	}
	if !p.installed && len(after.files)+len(after.blocks) == 0 {
		return report, nil
	}
	lacking, err := p.lacking(path.Dir(Manifest))
	if err != nil {
		return report, err
	}
	after.made = lists.Add(slices.Clone(after.made), lacking...)
	if err := p.save(after.withDigests(p.was)); err != nil {
		return report, err
	}
	for i, it := range items {
		if report[i].Done != Written && report[i].Done != Removed {
			continue
		}
		if report[i].Copy, err = p.change(it); err != nil {
			return report, fmt.Errorf("%s: %w", it.path, CauseOf(err))
		}
	}
	if len(after.files)+len(after.blocks) == 0 {
		return report, p.removeTraces()
	}
	after.made = p.removeEmptied(after.made, report)
	return report, p.save(after)
}

// removeEmptied removes the folders of removed files that Install made, where nothing else
// is in them, and returns those that are left of all that it made.
func (p *project) removeEmptied(made []string, report []Entry) []string {
	left := slices.Sorted(slices.Values(made))
	for _, dir := range slices.Backward(slices.Clone(left)) {
		emptied := slices.ContainsFunc(report, func(e Entry) bool { return e.Done == Removed && strings.HasPrefix(e.Path, dir+"/") })
		if !emptied {
			continue
		}
		if err := p.root.Remove(dir); err == nil || errors.Is(err, fs.ErrNotExist) {
			left = slices.DeleteFunc(left, func(one string) bool { return one == dir })
		}
	}
	return left
}

// decide returns the deed for an item.
func (it *item) decide(force bool) Deed {
	replace := force && (it.state == Changed || it.state == Foreign || it.state == Newer)
	switch {
	case it.state == Current:
		return ""
	case it.state == Obsolete, it.text == nil && replace:
		return Removed
	case it.state == Missing, it.state == Outdated, replace:
		return Written
	}
	return Kept
}

// recordDeed enters an item in the manifest after its deed.
func (m *manifest) recordDeed(it *item, done Deed, was *manifest) {
	list, old := m.files, was.files
	if it.block {
		list, old = m.blocks, was.blocks
	}
	switch {
	case done == Kept && len(old[it.path]) > 0:
		list[it.path] = old[it.path]
	case done == Written || done == "":
		list[it.path] = []string{digest(it.text)}
	}
	if done == Written {
		m.made = lists.Add(slices.Clone(m.made), it.lacking...)
		if it.block && it.found == nil {
			m.created = lists.Add(slices.Clone(m.created), it.path)
		}
	}
}

// withDigests returns the manifest with the digests of another one added.
func (m *manifest) withDigests(other *manifest) *manifest {
	both := newManifest(m.target)
	both.edition = m.edition
	both.made, both.created = m.made, m.created
	for _, one := range []*manifest{m, other} {
		for path, sums := range one.files {
			both.files[path] = lists.Add(slices.Clone(both.files[path]), sums...)
		}
		for path, sums := range one.blocks {
			both.blocks[path] = lists.Add(slices.Clone(both.blocks[path]), sums...)
		}
	}
	return both
}

// save writes the manifest unless the file is already right.
func (p *project) save(m *manifest) error {
	text := m.text()
	if old, err := p.root.ReadFile(Manifest); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return p.write(Manifest, text, 0o644)
}

// change writes or removes an item. It returns the path of a copy if the
// previous file was not ours.
func (p *project) change(it *item) (kept string, err error) {
	if it.state == Changed || it.state == Foreign {
		if kept, err = p.keep(it); err != nil {
			return "", err
		}
	}
	mode := it.mode
	if it.found == nil {
		mode = 0o644
	}
	text := it.text
	switch {
	case it.text == nil && it.block:
		before, _, after, err := split(it.found)
		if err != nil {
			return kept, err
		}
		if text = slices.Concat(before, after); len(text) > 0 || !slices.Contains(p.was.created, it.path) {
			return kept, p.write(it.path, text, mode)
		}
		fallthrough
	case it.text == nil:
		return kept, p.remove(it.path)
	case it.block:
		if text, err = insert(it.found, it.text); err != nil {
			return kept, err
		}
	}
	return kept, p.write(it.path, text, mode)
}

// keep copies a file to a free name beside it.
func (p *project) keep(it *item) (string, error) {
	name := it.path + ".kept"
	for n := 2; ; n++ {
		f, err := p.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, it.mode)
		if errors.Is(err, fs.ErrExist) {
			name = fmt.Sprintf("%s.kept%d", it.path, n)
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = f.Write(it.found)
		return name, errors.Join(err, f.Close())
	}
}

// draftPath returns the path of the temporary file for a file. It is always the
// same, so that the next run removes what a crash left.
func draftPath(name string) string { return path.Join(path.Dir(name), "."+path.Base(name)+".liza") }

// write replaces a file atomically.
func (p *project) write(name string, text []byte, mode fs.FileMode) error {
	if err := p.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := p.root.Remove(draftPath(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := p.root.OpenFile(draftPath(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = p.root.Rename(draftPath(name), name)
	}
	if err != nil {
		p.root.Remove(draftPath(name))
	}
	return err
}

func (p *project) remove(name string) error {
	for _, one := range []string{draftPath(name), name} {
		if err := p.root.Remove(one); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// removeTraces removes the empty folders that Install made, and then the manifest,
// which lists them.
func (p *project) removeTraces() error {
	p.removeFolders()
	if err := p.remove(Manifest); err != nil {
		return err
	}
	p.removeFolders()
	return nil
}

// removeFolders removes the folders that Install made. A folder that holds files
// stays.
func (p *project) removeFolders() {
	for _, dir := range slices.Backward(slices.Sorted(slices.Values(p.was.made))) {
		p.root.Remove(dir)
	}
}
