package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// storeChild is a process that works on the blackboard of a repository.
func storeChild(exe, dir, task string, args ...string) *exec.Cmd {
	cmd := exec.Command(exe, append([]string{dir}, args...)...)
	cmd.Env = append(os.Environ(), "GITSTORE_TEST_CHILD="+task)
	return cmd
}

// childStore is the work of a process that uses a [Store].
func childStore(ctx context.Context, r *git.Repo, task string, args []string) error {
	s := OpenStore(ctx, r, time.Now)
	switch task {
	case "note":
		_, err := s.Do(ctx, note("by "+strconv.QuoteToASCII(args[0])))
		return err
	case "notes":
		return childNotes(ctx, s, args[0], args[1])
	case "earlier-notes":
		return childEarlierNotes(ctx, s, args[0], args[1])
	case "notes-for":
		return childNotesFor(ctx, s, args[0], args[1])
	case "theirs":
		_, err := s.Mirror.TakeTheirs(ctx, "origin")
		return err
	case "publish":
		_, err := s.Mirror.Join(ctx, "origin", true)
		return err
	case "claims":
		return childClaims(ctx, s, board.Actor(args[0]), args[1])
	case "merge-task":
		_, err := s.Do(ctx, merging(s, board.TaskID(args[0])))
		return err
	case "add":
		return childAdd(ctx, s, args[0])
	case "claim":
		_, err := s.Do(ctx, claim(board.TaskID(args[0]), board.Actor(args[1])))
		return errors.Join(err, printPeak())
	case "list":
		b, _, err := s.Board(ctx)
		if err != nil {
			return err
		}
		if n := len(b.Tasks()); n == 0 {
			return errors.New("there are no tasks")
		}
		return errors.Join(b.Err(), printPeak())
	case "read-only":
		return childReadOnly(ctx, s)
	}
	return fmt.Errorf("unknown task %q", task)
}

// childNotes makes some moves and prints the request of each.
func childNotes(ctx context.Context, s *Store, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	for i := range n {
		result, err := s.Do(ctx, note(fmt.Sprintf("%s %d", name, i)))
		if err != nil {
			return err
		}
		fmt.Println(result.Move.Request, result.Commit)
	}
	return nil
}

// childEarlierNotes is childNotes of a program that knows nothing of moves that wait: it
// moves the ref while it has the queue.
func childEarlierNotes(ctx context.Context, s *Store, name, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	for i := range n {
		request, err := RandomID()
		if err != nil {
			return err
		}
		release, err := s.Repo.Turns.Queue(ctx)
		if err != nil {
			return err
		}
		for try := 0; ; try++ {
			tip, err := s.Tip(ctx)
			if err != nil {
				return err
			}
			result, err := s.tryMove(ctx, tip, board.Request(request), note(fmt.Sprintf("%s %d", name, i)))
			if err == nil {
				fmt.Println(request, result.Commit)
				break
			}
			if !errors.Is(err, git.ErrRefMoved) || try == maxTries {
				return err
			}
			if err := waitToRetry(ctx, try); err != nil {
				return err
			}
		}
		release()
	}
	return nil
}

// childNotesFor makes moves for some time and prints how many it made.
func childNotesFor(ctx context.Context, s *Store, name, length string) error {
	d, err := time.ParseDuration(length)
	if err != nil {
		return err
	}
	n := 0
	for end := time.Now().Add(d); time.Now().Before(end); n++ {
		if _, err := s.Do(ctx, note(fmt.Sprintf("%s %d", name, n))); err != nil {
			return err
		}
	}
	fmt.Println(n)
	return nil
}

// childAdd adds many tasks in one move.
func childAdd(ctx context.Context, s *Store, count string) error {
	n, err := strconv.Atoi(count)
	if err != nil {
		return err
	}
	list := make([]board.TaskInput, n)
	for i := range list {
		list[i] = board.TaskInput{ID: board.TaskID("task-" + strconv.Itoa(i)), Draft: true}
	}
	_, err = s.Do(ctx, constant(flow.Move{Act: board.ActAdd, By: ann, Detail: &flow.AddMove{Tasks: list}}))
	return err
}

// childClaims claims and releases every task of some rounds, and prints those
// that it got.
func childClaims(ctx context.Context, s *Store, by board.Actor, rounds string) error {
	n, err := strconv.Atoi(rounds)
	if err != nil {
		return err
	}
	for i := range n {
		id := board.TaskID("task-" + strconv.Itoa(i+1))
		result, err := s.Do(ctx, claim(id, by))
		var refusal *flow.Refusal
		switch {
		case errors.As(err, &refusal) && (refusal.Rule == flow.RuleLease || refusal.Rule == flow.RuleState):
			continue
		case err != nil:
			return err
		case result.Already:
			return fmt.Errorf("%s was %s's before", id, by)
		}
		fmt.Println(id)
		_, err = s.Do(ctx, constant(flow.Move{Act: board.ActBlock, Task: id, By: by, Detail: &flow.BlockMove{Reason: "done with it", Questions: []string{"And now?"}}}))
		if err != nil {
			return err
		}
	}
	return nil
}

// childReadOnly tells what works in a repository that it may not write.
func childReadOnly(ctx context.Context, s *Store) error {
	b, _, err := s.Board(ctx)
	if err != nil {
		return err
	}
	fmt.Println(len(b.Tasks()), "tasks")
	fmt.Println("settled:", s.Settler.Settle(ctx))
	_, breach, err := s.Audit.Fsck(ctx, true)
	if err != nil {
		return err
	}
	fmt.Println("breach:", breach)
	_, err = s.Do(ctx, note("x"))
	fmt.Println("denied:", errors.Is(err, fs.ErrPermission))
	return b.Err()
}

// printPeak prints the most memory that this process had at once, in KiB, where
// the system tells.
func printPeak() error {
	status, err := os.ReadFile("/proc/self/status")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			fmt.Println(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
		}
	}
	return err
}
