package supervise

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// orphanInterval is how often a rush looks for agents on the board whose supervisors on
// this machine have died.
const orphanInterval = 2 * time.Second

// startOrphanRelease gives back what agents hold whose supervisors died on this
// machine: once before it returns, then in a goroutine until ctx is done.
func (r *Rush) startOrphanRelease(ctx context.Context) {
	said := map[string]bool{}
	r.releaseOrphans(ctx, said)
	r.beside.Go(func() {
		for git.Wait(ctx, orphanInterval) == nil {
			r.releaseOrphans(ctx, said)
		}
	})
}

// releaseOrphans looks once for such agents and releases what they hold. A failure is
// said once, and tried again at the next look.
func (r *Rush) releaseOrphans(ctx context.Context, said map[string]bool) {
	if r.link.isDown() {
		return
	}
	clone, err := r.Clone.As(ctx, r.Clone.By, r.Clone.Generation)
	if err == nil {
		err = removeContainers(ctx, r)
	}
	killed := map[board.AgentID]bool{}
	if err == nil {
		done, failed := clone.ReleaseOrphans(ctx, func(own *work.Clone, id board.AgentID) error {
			takeBack(r, id, r.Known...)
			recorded, err := recordKilled(ctx, r, own, id, own.Generation)
			if killed[id] = recorded; errors.Is(err, gitstore.ErrOffline) {
				return err // it is recorded when the remote answers
			}
			if err != nil {
				r.say(fmt.Sprintf("%s: its session that was cut off is not recorded: %v", id, err))
			}
			return nil
		})
		for _, s := range done {
			line := fmt.Sprintf("%s: its supervisor, process %d, is dead", s.Agent, s.PID)
			gave := lists.Of(s.Gave, func(id board.TaskID) string { return string(id) })
			if len(gave) > 0 {
				line += "; it gave " + strings.Join(gave, ", ") + " back"
			}
			if killed[s.Agent] {
				line += "; what its session used is recorded: git liza session show " + string(s.Agent)
			}
			r.say(line)
			r.presences.forgetAgents(s.Agent)
		}
		err = failed
	}
	if err != nil && ctx.Err() == nil && !r.noteOffline(err) && !said[err.Error()] {
		said[err.Error()] = true
		r.say(err.Error())
	}
}

// removeContainers removes what dead supervisors of this clone left running in containers.
// Nothing of theirs is given back before: it may still be written.
func removeContainers(ctx context.Context, r *Rush) error {
	removed, err := launcher.RemoveLeftovers(ctx, r.Clone.Repo.CommonDir(), r.Engine, r.Environ, func(generation string) bool {
		return !work.Supervised(r.Clone.Repo, board.Generation(generation))
	})
	for _, name := range removed {
		r.say(fmt.Sprintf("the container %s of a supervisor that is dead is removed", name))
	}
	return err
}
