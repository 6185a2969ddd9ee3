package supervise

import (
	"context"
	"fmt"
	"strings"
	"time"
)

// orphanLook is how often a rush looks whether another supervisor of this machine
// has died and left its agent on the board.
const orphanLook = 2 * time.Second

// startOrphanRelease gives back what agents hold whose supervisors died on this machine:
// once before it returns, and then until ctx is done, in a goroutine whose end
// it returns.
func (r *Rush) startOrphanRelease(ctx context.Context) <-chan struct{} {
	said := map[string]bool{}
	r.releaseOrphans(ctx, said)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		look := time.NewTicker(orphanLook)
		defer look.Stop()
		for {
			select {
			case <-look.C:
				r.releaseOrphans(ctx, said)
			case <-ctx.Done():
				return
			}
		}
	}()
	return ended
}

// releaseOrphans is one look. What does not work out is said once, and tried again.
func (r *Rush) releaseOrphans(ctx context.Context, said map[string]bool) {
	if r.link.isDown() {
		return
	}
	clone, err := r.Clone.As(ctx, r.Clone.By, r.Clone.Generation)
	if err == nil {
		done, failed := clone.ReleaseOrphans(ctx)
		for _, s := range done {
			line := fmt.Sprintf("%s: its supervisor, process %d, is dead", s.Agent, s.PID)
			var gave []string
			for _, id := range s.Gave {
				gave = append(gave, string(id))
			}
			if len(gave) > 0 {
				line += "; it gave " + strings.Join(gave, ", ") + " back"
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
