package gitstore

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// child is the work of a process that a test of the board starts.
func child(task string, args []string) error {
	ctx := context.Background()
	r, err := git.Open(ctx, args[0])
	if err != nil {
		return err
	}
	defer r.Close()
	switch task {
	case "stopped":
		return childStopped(ctx, r, args[1])
	case "replay":
		return childReplay(ctx, r)
	}
	return childStore(ctx, r, task, args[1:])
}

// childReplay is a pre-receive hook: it admits each pushed move afresh.
func childReplay(ctx context.Context, r *git.Repo) error {
	s := OpenStore(ctx, r, time.Now)
	lines, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(lines)) {
		f := strings.Fields(line)
		if f[2] != layout.State {
			continue
		}
		start, signed := time.Now(), 0
		chain, breach := s.listChain(git.ID(f[1]), git.ID(f[0]))
		if breach != nil && strings.Trim(f[0], "0") != "" {
			return breach
		}
		for _, id := range chain {
			replay, err := s.Audit.ReplayMove(ctx, id, true)
			if err != nil {
				return fmt.Errorf("%s: %w", id, err)
			}
			if replay.Signature != "" {
				host := board.Principal{Name: "host", Keys: []string{os.Getenv("HOST_KEY")}}
				if err := s.Audit.CheckSignature(replay, &host); err != nil {
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
func processor(r *git.Repo) time.Duration {
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
