package supervise

import (
	"context"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
)

// sessionSettings are the settings of git's configuration from before the sessions that
// run. Sessions that run at once share them, so that no session keeps what another one
// changed.
type sessionSettings struct {
	mu      sync.Mutex
	running int
	base    work.Settings
}

// beginSession reads the settings, unless a session runs already.
func (k *sessionSettings) beginSession(ctx context.Context, c *work.Clone) (err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.running == 0 {
		if k.base, err = work.ReadSettings(ctx, c.Repo); err != nil {
			return err
		}
	}
	k.running++
	return nil
}

// endSession puts the settings back after a session, as [work.Settings.PutBack] says.
func (k *sessionSettings) endSession(ctx context.Context, c *work.Clone) (back, told []string, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.running--
	k.base, back, told, err = k.base.PutBack(ctx, c.Repo)
	return back, told, err
}

// wasOn reports whether a switch was on before the running sessions began.
func (k *sessionSettings) wasOn(key string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.base.On(key)
}
