package git

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// A Packer puts objects of a repository into packs.
type Packer struct{ repo *Repo }

// packLeast is how many objects a new pack has at least: fewer are cheaper to read from
// files of their own.
const packLeast = 500

// Pack moves what the commits after from, up to to, brought in from files of
// their own into one pack, so that the user's `gc --auto` finds nothing to do.
// from "" means all of to's history. Of fewer than 500 objects it makes no pack, and done
// is false. It removes only files whose object is in that pack; everything else in the
// repository stays as it is. Readers and writers may run beside it.
func (p *Packer) Pack(ctx context.Context, from, to ID) (done bool, err error) {
	revs := string(to) + "\n"
	if err := p.repo.CheckID(to); err != nil {
		return false, err
	}
	if from != "" {
		if err := p.repo.CheckID(from); err != nil {
			return false, err
		}
		revs += "^" + string(from) + "\n"
	}
	n, err := p.countUnpacked(ctx, revs)
	if err != nil || n < packLeast {
		return false, err
	}
	names, err := p.makePack(ctx, revs, "--revs", "--unpacked")
	if err != nil {
		return false, err
	}
	for _, name := range names {
		if err := p.prunePacked(ctx, name); err != nil {
			return false, err
		}
	}
	return true, nil
}

// countUnpacked counts the objects behind some revisions that lie in no pack.
func (p *Packer) countUnpacked(ctx context.Context, revs string) (int, error) {
	out, err := p.repo.Run(ctx, Cmd{Args: []string{"rev-list", "--objects", "--unpacked", "--count", "--stdin"}, Stdin: []byte(revs)})
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(out)))
}

// makePack makes a pack of what git reads from input, as args say, notes it as one of
// ours, and returns its name.
func (p *Packer) makePack(ctx context.Context, input string, args ...string) ([]string, error) {
	mode, err := p.repo.Flusher.FsyncMode(ctx)
	if err != nil {
		return nil, err
	}
	line := append(fsyncArgs(mode, "pack,pack-metadata"), "-c", "pack.packSizeLimit=0", "pack-objects", "-q", "--non-empty", "--threads=1")
	line = append(append(line, args...), filepath.Join(p.repo.objectDir, "pack", "pack"))
	out, err := p.repo.Run(ctx, Cmd{Args: line, Stdin: []byte(input)})
	if err != nil {
		return nil, err
	}
	names := strings.Fields(string(out))
	return names, p.noteOwn(names)
}

// prunePacked removes the loose objects that a pack of ours holds, as
// git-prune-packed(1) does for all packs.
func (p *Packer) prunePacked(ctx context.Context, pack string) error {
	list, err := p.listObjects(ctx, pack)
	if err != nil {
		return err
	}
	for _, o := range list {
		if err := os.Remove(loosePath(p.repo.objectDir, o.id)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("object that is packed now: %w", err)
		}
	}
	return nil
}

// A packedObject is an object of a pack, and where it begins there.
type packedObject struct {
	id     ID
	offset int64
}

// listObjects lists the objects of a pack, in the order in which they lie there.
func (p *Packer) listObjects(ctx context.Context, pack string) ([]packedObject, error) {
	content, err := os.ReadFile(p.packPath(pack) + ".idx")
	if err != nil {
		return nil, fmt.Errorf("pack: %w", err)
	}
	args := []string{"show-index"}
	if p.repo.hashLen == 64 {
		args = append(args, "--object-format=sha256")
	}
	out, err := p.repo.Run(ctx, Cmd{Args: args, Stdin: content})
	if err != nil {
		return nil, err
	}
	var list []packedObject
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 2 || p.repo.CheckID(ID(f[1])) != nil {
			return nil, fmt.Errorf("git show-index answered %q", line)
		}
		offset, err := strconv.ParseInt(f[0], 10, 64)
		if err != nil {
			return nil, fmt.Errorf("git show-index answered %q", line)
		}
		list = append(list, packedObject{ID(f[1]), offset})
	}
	slices.SortFunc(list, func(a, b packedObject) int { return cmp.Compare(a.offset, b.offset) })
	return list, nil
}

// packPath is the path of a pack without an extension.
func (p *Packer) packPath(name string) string {
	return filepath.Join(p.repo.objectDir, "pack", "pack-"+name)
}

// looseAllowed is git's value of gc.auto where the user has none: with more objects in
// files of their own `gc --auto` begins. Like git this looks into one folder of 256.
const looseAllowed = 6700

// Crowded reports whether half as many objects lie in files of their own as make
// `gc --auto` begin, and so many of ours are a fourth of them, or more that come make it begin:
// to pack few among many of the user's would be no help.
func (p *Packer) Crowded(ctx context.Context, ours, more int) bool {
	text, _ := p.repo.Config.Config(ctx, "gc.auto")
	limit, known := ParseInt(text)
	if !known || limit <= 0 {
		limit = looseAllowed
	}
	some, err := os.ReadDir(filepath.Join(p.repo.objectDir, "17"))
	all := int64(len(some)) * 256
	begins := all <= limit && all+int64(more) > limit
	return err == nil && all > limit/2 && (all <= 4*int64(ours) || begins)
}
