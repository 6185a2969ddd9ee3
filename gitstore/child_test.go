package gitstore

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// child is the work of a process that a test of the board starts.
func child(task string, args []string) error {
	ctx := context.Background()
	r, err := Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer r.Close()
	switch task {
	case "open", "move", "identity", "merge", "quarantine", "flush":
		return gitChild(ctx, r, task, args[1:])
	case "stopped":
		return childStopped(ctx, r, args[1])
	case "replay":
		return childReplay(ctx, r)
	}
	return childStore(ctx, r, task, args[1:])
}

// gitChild is the work of a process that a test of git starts.
func gitChild(ctx context.Context, r *Repo, task string, args []string) error {
	switch task {
	case "open":
		return nil
	case "move":
		return childMove(ctx, r, args)
	case "identity":
		name, email, err := r.Identity(ctx)
		if err != nil {
			fmt.Println(err)
			return nil
		}
		fmt.Printf("%s <%s>\n", name, email)
		return nil
	case "merge":
		m, err := r.Merge(ctx, ID(args[0]), ID(args[1]))
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
	return r.MoveRefs(ctx, updates, "child")
}

// childFlush writes three objects, the second of them large.
func childFlush(ctx context.Context, r *Repo) error {
	o, err := r.Objects(ctx)
	if err != nil {
		return err
	}
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

// childReplay is a pre-receive hook: it admits each pushed move afresh.
func childReplay(ctx context.Context, r *Repo) error {
	s, err := OpenStore(ctx, r, time.Now)
	if err != nil {
		return err
	}
	lines, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(lines)) {
		f := strings.Fields(line)
		if f[2] != StateRef {
			continue
		}
		start, signed := time.Now(), 0
		chain, breach := s.chain(ID(f[1]), ID(f[0]))
		if breach != nil && strings.Trim(f[0], "0") != "" {
			return breach
		}
		for _, id := range chain {
			replay, err := s.Replay(ctx, id, true)
			if err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			if replay.Signature != "" {
				host := flow.Principal{Name: "host", Keys: []string{os.Getenv("HOST_KEY")}}
				if err := s.CheckSignature(replay, &host); err != nil {
					return err
				}
				signed++
			}
		}
		took := time.Since(start)
		fmt.Printf("replayed %d moves, %d signed, in %d ms, %d of the processor\n", len(chain), signed, took.Milliseconds(), processor(r).Milliseconds())
	}
	return nil
}

// processor is the time that this process and the git that reads objects for
// it have used.
func processor(r *Repo) time.Duration {
	r.Close()
	sum := time.Duration(0)
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if syscall.Getrusage(who, &usage) == nil {
			sum += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
		}
	}
	return sum
}

// childQuarantine reads from the repository and writes to the quarantine.
func childQuarantine(ctx context.Context, r *Repo, text string) error {
	o, err := r.Objects(ctx)
	if err != nil {
		return err
	}
	head, err := r.Resolve(ctx, "HEAD")
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
