package contracts

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
)

// Install writes the documents into the project in a folder, the skills where
// its tools look for them, and a block that points at CORE into its entry
// files. It commits nothing. What somebody changed by hand, what is not ours
// and what a newer program wrote stays and is reported as kept; with force it is
// replaced, and of the first two a copy stays beside it. Writing again what is
// there changes nothing, and an installation that was cut off is completed by
// another one.
func Install(dir string, t Target, force bool) (Report, error) {
	p, err := open(dir)
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

// Uninstall takes out what Install wrote, down to the folders that it made:
// without changes in between the project is as before, to the byte. What was
// changed since stays and is reported as kept.
func Uninstall(dir string) (Report, error) {
	p, err := open(dir)
	if err != nil {
		return Report{}, err
	}
	defer p.root.Close()
	if !p.installed {
		return Report{Target: p.was.target}, nil
	}
	entries, err := p.apply(p.was.target, p.examined(p.rest(nil)), false)
	r := Report{Target: p.was.target, Entries: entries}
	r.Installed = len(r.Kept()) > 0
	return r, err
}

// apply brings the items to where they belong. The manifest goes first, and
// names what was ours as well as what will be, so that whatever is found after
// a crash is known to be ours.
func (p *project) apply(t Target, items []*item, force bool) ([]Entry, error) {
	report := make([]Entry, len(items))
	after := newManifest(t)
	after.made, after.created = slices.Clone(p.was.made), slices.Clone(p.was.created)
	for i, it := range items {
		report[i] = it.entry()
		report[i].Done = it.decide(force)
		after.note(it, report[i].Done, p.was)
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
	after.made = join(after.made, lacking)
	if err := p.save(after.with(p.was)); err != nil {
		return report, err
	}
	for i, it := range items {
		if report[i].Done != Written && report[i].Done != Removed {
			continue
		}
		if report[i].Copy, err = p.change(it); err != nil {
			return report, fmt.Errorf("%s: %w", it.path, plain(err))
		}
	}
	if len(after.files)+len(after.blocks) == 0 {
		return report, p.leave()
	}
	return report, p.save(after)
}

// decide says what is to be done with an item.
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

// note enters what is ours of an item once the deed is done.
func (m *manifest) note(it *item, done Deed, was *manifest) {
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
		m.made = join(m.made, it.lacking)
		if it.block && it.found == nil {
			m.created = join(m.created, []string{it.path})
		}
	}
}

// with is the manifest with the digests of another one beside its own.
func (m *manifest) with(other *manifest) *manifest {
	both := newManifest(m.target)
	both.edition = m.edition
	both.made, both.created = m.made, m.created
	for _, one := range []*manifest{m, other} {
		for path, sums := range one.files {
			both.files[path] = join(both.files[path], sums)
		}
		for path, sums := range one.blocks {
			both.blocks[path] = join(both.blocks[path], sums)
		}
	}
	return both
}

// join is a list with what it lacks of another one.
func join(list, more []string) []string {
	list = slices.Clone(list)
	for _, one := range more {
		if !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	return list
}

// save writes the manifest unless it is on disk as it should be.
func (p *project) save(m *manifest) error {
	text := m.text()
	if old, err := p.root.ReadFile(Manifest); err == nil && bytes.Equal(old, text) {
		return nil
	}
	return p.write(Manifest, text, 0o644)
}

// change writes or removes an item and names the copy of what stood there, if
// that was not ours.
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

// draft is where a file is written before it takes its place, always the same
// so that the next attempt removes what a crash left.
func draft(name string) string { return path.Join(path.Dir(name), "."+path.Base(name)+".liza") }

// write puts a file in place, whole or not at all.
func (p *project) write(name string, text []byte, mode fs.FileMode) error {
	if err := p.root.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := p.root.Remove(draft(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := p.root.OpenFile(draft(name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Close()); err == nil {
		err = p.root.Rename(draft(name), name)
	}
	if err != nil {
		p.root.Remove(draft(name))
	}
	return err
}

func (p *project) remove(name string) error {
	for _, one := range []string{draft(name), name} {
		if err := p.root.Remove(one); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// leave removes the folders that were made and are empty, and the manifest,
// which knows them until then.
func (p *project) leave() error {
	p.clear()
	if err := p.remove(Manifest); err != nil {
		return err
	}
	p.clear()
	return nil
}

// clear removes the folders that were made. One that has got files since is
// somebody's and stays.
func (p *project) clear() {
	for _, dir := range slices.Backward(slices.Sorted(slices.Values(p.was.made))) {
		p.root.Remove(dir)
	}
}
