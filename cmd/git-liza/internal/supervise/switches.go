package supervise

import (
	"context"
	"fmt"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// switchInterval is how often a rush looks for switch files.
const switchInterval = time.Second

// A switchWatch heeds the switch files of a clone for one rush.
type switchWatch struct {
	rush  *Rush
	clone *work.Clone // of this goroutine alone
	files *work.Switches
	begun time.Time
	said  map[string]bool
}

// startSwitches heeds switch files in a goroutine until ctx is done. abort ends the
// rush.
func (r *Rush) startSwitches(ctx context.Context, abort func()) error {
	clone, err := r.Clone.As(ctx, r.Clone.By, r.Clone.Generation)
	if err != nil {
		return err
	}
	w := &switchWatch{rush: r, clone: clone, files: work.OpenSwitches(clone.Repo), begun: clone.Store.Now(), said: map[string]bool{}}
	r.beside.Go(func() {
		for git.Wait(ctx, switchInterval) == nil {
			over, err := w.heed(ctx)
			if err != nil && ctx.Err() == nil && !r.noteOffline(err) {
				w.sayOnce(err.Error())
			}
			if over {
				abort()
				return
			}
		}
	})
	return nil
}

func (w *switchWatch) sayOnce(text string) {
	if !w.said[text] {
		w.said[text] = true
		w.rush.ask(text)
	}
}

// heed looks once for switch files, and makes a checkpoint for each that is new. over
// reports that one ends the rush.
func (w *switchWatch) heed(ctx context.Context) (over bool, err error) {
	files, err := w.files.Find(ctx)
	if err != nil || w.rush.link.isDown() {
		return false, err
	}
	for _, one := range files {
		if one.Fault != "" {
			w.sayOnce(fmt.Sprintf("the file %s is not heeded: %s", one.Path, one.Fault))
			continue
		}
		if one.Pauses {
			w.sayOnce(fmt.Sprintf("the file %s holds new claims%s; rm %[1]s", one.Path, one.Reason()))
			continue
		}
		if one.Taken.IsZero() {
			if one.Taken, err = w.take(ctx, one); err != nil {
				return false, err
			}
		}
		if one.Aborts && !one.Taken.Before(w.begun) {
			w.rush.ask(fmt.Sprintf("the file %s ends this rush; to go on later: rm %[1]s, then git liza checkpoint decide CONTINUE --message M", one.Path))
			return true, nil
		}
	}
	return false, nil
}

// take makes the checkpoint that a switch file asks for, unless the board is in one, by
// the first agent that may. It returns when, zero if another process is at it or no
// agent has joined yet.
func (w *switchWatch) take(ctx context.Context, one work.Switch) (at time.Time, err error) {
	release, err := git.TryHoldLock(w.clone.Repo.CommonDir(), dueLock+".lock")
	if err != nil || release == nil {
		return time.Time{}, err
	}
	defer release()
	again, err := w.files.Find(ctx)
	if err != nil {
		return time.Time{}, err
	}
	for _, now := range again {
		if now.Path == one.Path && !now.Taken.IsZero() {
			return now.Taken, nil
		}
	}
	b, _, err := w.clone.Store.Board(ctx)
	if err != nil {
		return time.Time{}, err
	}
	if c := b.Settings().Control; !c.NeedsDecision() && !c.IsDecided() && !c.State.IsStopped() {
		if made, err := w.makeCheckpoint(ctx, b, one); !made {
			return time.Time{}, err
		}
	}
	at = w.clone.Store.Now()
	return at, w.files.NoteTaken(one, at)
}

// makeCheckpoint makes the checkpoint of a switch file. made is false if no agent has
// joined yet, or none may: then the error is the refusal of the last one.
func (w *switchWatch) makeCheckpoint(ctx context.Context, b *board.Board, one work.Switch) (made bool, err error) {
	m := &flow.CheckpointMove{Reason: "the file " + one.Path + one.Reason(), Cause: board.CauseFile}
	for _, s := range w.rush.idle.supervisors() {
		p, active := s.presence.current()
		if !active {
			continue
		}
		clone, asErr := w.clone.As(ctx, board.Actor(p.Agent), p.Generation)
		if asErr != nil {
			return false, asErr
		}
		_, err = clone.Make(ctx, board.ActCheckpoint, "", m)
		if err == nil || !flow.IsRefused(err) {
			return err == nil, err
		}
	}
	return false, err
}
