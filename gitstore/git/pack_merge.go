package git

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
)

// packGrowth is how many times as large as all smaller ones together a pack of ours is at
// least: of n objects there are at most log(n/500) to the base of 3 packs, and an object is
// copied as often.
const packGrowth = 2

// packsAllowed is git's value of gc.autoPackLimit where the user has none: with more packs
// `gc --auto` begins.
const packsAllowed = 50

// An ownPack is a pack that Pack or Merge made.
type ownPack struct {
	name    string
	objects int64
}

// Merge makes one pack of the smallest of those that Pack and Merge made before, as many as
// together outgrow the next one, or of all where the repository has as many packs as git
// allows. It removes those that the new one replaces, and no others. Readers and writers may
// run beside it, but no second Merge. After a crash at any step every object is still in a
// pack, and the next call goes on.
func (p *Packer) Merge(ctx context.Context) error {
	own, err := p.listOwn()
	if err != nil {
		return err
	}
	n := countGrown(own)
	if over, err := p.overLimit(ctx, len(own)); err != nil {
		return err
	} else if over {
		n = len(own)
	}
	if n < 2 {
		return nil
	}
	objects, err := p.objectsOf(ctx, own[:n])
	if err != nil {
		return err
	}
	names, err := p.makePack(ctx, strings.Join(objects, "\n")+"\n")
	if err != nil {
		return err
	}
	if err := p.checkMerged(ctx, names, objects); err != nil {
		return err
	}
	old := slices.DeleteFunc(own[:n], func(k ownPack) bool { return slices.Contains(names, k.name) })
	if err := p.removeMerged(old); err != nil {
		return err
	}
	_, err = p.listOwn()
	return err
}

// objectsOf are the ids of the objects of some packs, in the order in which they lie there.
// Git is told these and not the packs (--stdin-packs): for those it would read all commits and
// trees once more, to learn paths, of which deltas that are copied make no use.
func (p *Packer) objectsOf(ctx context.Context, packs []ownPack) (ids []string, err error) {
	for _, k := range packs {
		list, err := p.listObjects(ctx, k.name)
		if err != nil {
			return nil, err
		}
		ids = append(ids, lists.Of(list, func(o packedObject) string { return string(o.id) })...)
	}
	return ids, nil
}

// removeMerged removes packs whose objects are in a new one, but not those that git has put
// into an index of several meanwhile.
func (p *Packer) removeMerged(old []ownPack) error {
	indexed, err := p.multiIndexed()
	if err != nil {
		return err
	}
	for _, k := range old {
		if indexed(k.name) {
			continue
		}
		if err := p.removePack(k.name); err != nil {
			return err
		}
	}
	return nil
}

// countGrown counts the packs, the smallest first, that together outgrow the next one.
func countGrown(own []ownPack) int {
	n, sum := 0, int64(0)
	for i, k := range own {
		if i > 0 && k.objects < packGrowth*sum {
			n = i + 1
		}
		sum += k.objects
	}
	return n
}

// overLimit reports whether the repository has so many packs that git would begin to
// repack, and merging all of ours ends that.
func (p *Packer) overLimit(ctx context.Context, own int) (bool, error) {
	text, err := p.repo.Config.Config(ctx, "gc.autoPackLimit")
	if err != nil {
		return false, err
	}
	limit, known := ParseInt(text)
	if !known {
		limit = packsAllowed
	}
	all := len(PathsIn(filepath.Join(p.repo.objectDir, "pack"), "pack-", ".pack"))
	others := all - own
	return limit > 0 && own > 1 && int64(all) >= limit && int64(others+1) < limit, nil
}

// checkMerged refuses new packs that lack an object that they were to have.
func (p *Packer) checkMerged(ctx context.Context, names, objects []string) error {
	held := map[string]bool{}
	for _, name := range names {
		list, err := p.listObjects(ctx, name)
		if err != nil {
			return err
		}
		for _, o := range list {
			held[string(o.id)] = true
		}
	}
	if i := slices.IndexFunc(objects, func(id string) bool { return !held[id] }); i >= 0 {
		return fmt.Errorf("%w: the packs %v lack %s", ErrDamaged, names, objects[i])
	}
	return nil
}

// packFiles are the files that a pack of ours may have, in the order in which git removes
// them: without its index nobody begins to read a pack.
var packFiles = []string{".idx", ".rev", ".bitmap", ".pack"}

// foreignFiles are those by which git, or the user, says that a pack is not to be touched.
var foreignFiles = []string{".keep", ".promisor", ".mtimes"}

func (p *Packer) removePack(name string) error {
	for _, ext := range packFiles {
		if err := os.Remove(p.packPath(name) + ext); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("pack that was merged: %w", err)
		}
	}
	return nil
}

// listOwn lists the packs that are ours to merge, the smallest first. It clears away what
// is left of those that a crash kept from being removed, and forgets those that are gone.
func (p *Packer) listOwn() ([]ownPack, error) {
	noted, err := p.readOwn()
	if err != nil {
		return nil, err
	}
	indexed, err := p.multiIndexed()
	if err != nil {
		return nil, err
	}
	var own []ownPack
	var there []string
	for _, name := range noted {
		n, err := countObjects(p.packPath(name) + ".idx")
		if errors.Is(err, fs.ErrNotExist) {
			if err := p.removePack(name); err != nil {
				return nil, err
			}
			continue
		}
		if err != nil {
			return nil, err
		}
		there = append(there, name)
		if !indexed(name) && !slices.ContainsFunc(foreignFiles, func(ext string) bool { return fileExists(p.packPath(name) + ext) }) {
			own = append(own, ownPack{name, n})
		}
	}
	slices.SortFunc(own, func(a, b ownPack) int {
		return cmp.Or(cmp.Compare(a.objects, b.objects), strings.Compare(a.name, b.name))
	})
	return own, p.writeOwn(there)
}

// countObjects is how many objects an index of a pack has.
func countObjects(idx string) (int64, error) {
	f, err := os.Open(idx)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var last [4]byte
	if _, err := f.ReadAt(last[:], idxNames-4); err != nil {
		return 0, fmt.Errorf("index of a pack: %w", err)
	}
	return int64(binary.BigEndian.Uint32(last[:])), nil
}

// multiIndexed tells which packs an index of several packs names: git wants them to stay.
func (p *Packer) multiIndexed() (func(name string) bool, error) {
	folder := filepath.Join(p.repo.objectDir, "pack")
	if fileExists(filepath.Join(folder, "multi-pack-index.d")) {
		return func(string) bool { return true }, nil
	}
	content, err := os.ReadFile(filepath.Join(folder, "multi-pack-index"))
	if errors.Is(err, fs.ErrNotExist) {
		return func(string) bool { return false }, nil
	}
	return func(name string) bool { return bytes.Contains(content, []byte("pack-"+name+".")) }, err
}

// ownFile is the file with the names of the packs that Pack and Merge made, one a line. It
// is safe to delete: those packs are then left to git.
func (p *Packer) ownFile() string { return filepath.Join(p.repo.commonDir, layout.Private, "packs") }

func (p *Packer) readOwn() ([]string, error) {
	content, err := os.ReadFile(p.ownFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for name := range strings.FieldsSeq(string(content)) {
		if p.repo.CheckID(ID(name)) == nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, err
}

// noteOwn notes new packs before anything that they replace is removed.
func (p *Packer) noteOwn(names []string) error {
	noted, err := p.readOwn()
	if err != nil {
		return err
	}
	return p.writeOwn(append(noted, names...))
}

func (p *Packer) writeOwn(names []string) error {
	lines := lists.Of(names, func(name string) string { return name + "\n" })
	return os.WriteFile(p.ownFile(), []byte(strings.Join(lines, "")), 0o666)
}
