package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Pack moves what the commits after from, up to to, brought in from files of
// their own into one pack, so that the user's `gc --auto` finds nothing to do.
// from "" means all of to's history. It removes only files whose object is in
// that pack; everything else in the repository stays as it is. Readers and
// writers may run beside it.
func (r *Repo) Pack(ctx context.Context, from, to ID) error {
	revs := string(to) + "\n"
	if err := r.CheckID(to); err != nil {
		return err
	}
	if from != "" {
		if err := r.CheckID(from); err != nil {
			return err
		}
		revs += "^" + string(from) + "\n"
	}
	mode, err := r.Flusher.mode(ctx)
	if err != nil {
		return err
	}
	args := append(fsyncArgs(mode, "pack,pack-metadata"), "pack-objects", "-q", "--revs", "--unpacked",
		"--non-empty", "--threads=1", filepath.Join(r.objectDir, "pack", "pack"))
	out, err := r.Run(ctx, Cmd{Args: args, Stdin: []byte(revs)})
	if err != nil {
		return err
	}
	for name := range strings.FieldsSeq(string(out)) {
		if err := r.unloosen(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// unloosen removes the files of the objects that a pack of ours holds.
func (r *Repo) unloosen(ctx context.Context, pack string) error {
	idx := filepath.Join(r.objectDir, "pack", "pack-"+pack+".idx")
	content, err := os.ReadFile(idx)
	if err != nil {
		return fmt.Errorf("new pack: %w", err)
	}
	args := []string{"show-index"}
	if r.hashLen == 64 {
		args = append(args, "--object-format=sha256")
	}
	out, err := r.Run(ctx, Cmd{Args: args, Stdin: content})
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) < 2 || r.CheckID(ID(f[1])) != nil {
			return fmt.Errorf("git show-index answered %q", line)
		}
		if err := os.Remove(loosePath(r.objectDir, ID(f[1]))); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("object that is packed now: %w", err)
		}
	}
	return nil
}
