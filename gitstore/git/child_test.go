package git

import (
	"context"
	"fmt"
	"os"
	"strings"
)

// gitChild is the work of a process that a test of git starts.
func gitChild(ctx context.Context, r *Repo, task string, args []string) error {
	switch task {
	case "open":
		return nil
	case "move":
		return childMove(ctx, r, args)
	case "identity":
		name, email, err := r.Config.Identity(ctx)
		if err != nil {
			fmt.Println(err)
			return nil
		}
		fmt.Printf("%s <%s>\n", name, email)
		return nil
	case "merge":
		m, err := r.Merger.Merge(ctx, ID(args[0]), ID(args[1]))
		fmt.Println(m.Tree, m.Conflicts)
		return err
	case "quarantine":
		return childQuarantine(ctx, r, args[0])
	case "flush":
		return childFlush(ctx, r)
	}
	return fmt.Errorf("unknown task %q", task)
}

// childMove moves refs given as NAME=OLD=NEW, after reading the configuration.
func childMove(ctx context.Context, r *Repo, args []string) error {
	var updates []RefUpdate
	for _, arg := range args {
		f := strings.Split(arg, "=")
		updates = append(updates, RefUpdate{Name: f[0], Old: ID(f[1]), New: ID(f[2])})
	}
	return r.Refs.MoveRefs(ctx, updates, "child")
}

// childFlush writes three objects, the second of them large.
func childFlush(ctx context.Context, r *Repo) error {
	o := r.Objects(ctx)
	noise := make([]byte, 1<<20)
	seed := uint32(1)
	for i := range noise {
		seed = seed*1664525 + 1013904223
		noise[i] = byte(seed >> 24)
	}
	for _, data := range [][]byte{[]byte("small"), noise, []byte("after")} {
		if _, err := o.WriteBlob(data); err != nil {
			return err
		}
	}
	if err := o.Flush(); err != nil {
		return fmt.Errorf("flush: %w", err)
	}
	fmt.Fprintln(os.Stdout, "flushed")
	return nil
}

// childQuarantine reads from the repository and writes to the quarantine.
func childQuarantine(ctx context.Context, r *Repo, text string) error {
	o := r.Objects(ctx)
	head, err := r.Refs.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	id, err := o.WriteBlob([]byte(text))
	if err != nil {
		return err
	}
	if err := o.Flush(); err != nil {
		return err
	}
	for _, id := range []ID{head, id} {
		kind, _, err := o.Read(id)
		if err != nil {
			return err
		}
		fmt.Println(kind)
	}
	return nil
}
