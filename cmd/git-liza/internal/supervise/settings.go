package supervise

import (
	"context"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// sessionSettings are the settings of git's configuration from before the sessions that
// run. Sessions that run at once share them, so that no session keeps what another one
// changed.
type sessionSettings struct {
	mu      sync.Mutex
	running int
	base    work.Settings
	looked  time.Time // at the board, for what the user typed
}

// beginSession reads the settings, unless a session runs already.
func (k *sessionSettings) beginSession(ctx context.Context, c *work.Clone) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == 0 {
		if k.base, err = work.ReadSettings(ctx, c.Repo); err != nil {
			return err
		}
		k.looked = c.Store.Now()
	}
	k.running++
	return nil
}

// endSession puts the settings back after a session, as [work.Settings.PutBack] says. What the
// user's own moves allowed is expected.
func (k *sessionSettings) endSession(ctx context.Context, c *work.Clone, user board.Actor) (back, told, named []string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running--
	since := k.looked.Truncate(time.Second)
	k.looked = c.Store.Now()
	if tip, err := c.Store.Tip(ctx); err == nil {
		_ = c.Store.Events(tip, func(e gitstore.Event) (bool, error) {
			for _, command := range work.Verifying(flow.Described(e.Move.Detail)) {
				if e.Move.By == user {
					c.Repo.Config.Expect(work.TrustKey, work.CommandHash(command))
				}
			}
			return !e.Move.At.Before(since), nil
		})
	}
	k.base, back, told, named, err = k.base.PutBack(ctx, c.Repo)
	return back, told, named, err
}

// wasOn reports whether a switch was on before the running sessions began.
func (k *sessionSettings) wasOn(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.base.On(key)
}
