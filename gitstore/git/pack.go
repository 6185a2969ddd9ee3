package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A Packer puts objects of a repository into packs.
type Packer struct{ repo *Repo }

// Pack moves what the commits after from, up to to, brought in from files of
// their own into one pack, so that the user's `gc --auto` finds nothing to do.
// from "" means all of to's history. It removes only files whose object is in
// that pack; everything else in the repository stays as it is. Readers and
// writers may run beside it.
func (p *Packer) Pack(ctx context.Context, from, to ID) error {
	revs := string(to) + "\n"
	if err := p.repo.CheckID(to); err != nil {
		return err
	}
	if from != "" {
		if err := p.repo.CheckID(from); err != nil {
			return err
		}
		revs += "^" + string(from) + "\n"
	}
	mode, err := p.repo.Flusher.FsyncMode(ctx)
	if err != nil {
		return err
	}
	args := append(fsyncArgs(mode, "pack,pack-metadata"), "pack-objects", "-q", "--revs", "--unpacked",
		"--non-empty", "--threads=1", filepath.Join(p.repo.objectDir, "pack", "pack"))
	out, err := p.repo.Run(ctx, Cmd{Args: args, Stdin: []byte(revs)})
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(string(out)) {
		if err := p.prunePacked(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// prunePacked removes the loose objects that a pack of ours holds, as
// git-prune-packed(1) does for all packs.
func (p *Packer) prunePacked(ctx context.Context, pack string) error {
	idx := filepath.Join(p.repo.objectDir, "pack", "pack-"+pack+".idx")
	content, err := os.ReadFile(idx)
	if err != nil {
		return fmt.Errorf("new pack: %w", err)
	}
	args := []string{"show-index"}
	if p.repo.hashLen == 64 {
		args = append(args, "--object-format=sha256")
	}
	out, err := p.repo.Run(ctx, Cmd{Args: args, Stdin: content})
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 2 || p.repo.CheckID(ID(f[1])) != nil {
			return fmt.Errorf("git show-index answered %q", line)
		}
		if err := os.Remove(loosePath(p.repo.objectDir, ID(f[1]))); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("object that is packed now: %w", err)
		}
	}
	return nil
}
