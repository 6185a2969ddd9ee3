package supervise

import (
	"context"
	"fmt"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
)

// fitness is what is known of the providers' programs: each is asked once for
// its version, however many agents there are of it.
type fitness struct {
	mu    sync.Mutex
	known map[string]string // provider → why it cannot be used, "" if it can
}

// fit degrades the agent of a provider whose program is not there, or too old
// for what it would be told: nothing is claimed for it.
func (s *supervisor) fit(ctx context.Context) error {
	why := s.rush.fitness.of(ctx, s.provider, s.rush.Environ)
	if why == "" || ctx.Err() != nil {
		return nil
	}
	return s.degrade(ctx, &unfitError{"", fmt.Errorf("provider %s: %s", s.provider.Name, why)})
}

// of is why a provider's program cannot be used. One that says nothing of its
// version may be all right.
func (f *fitness) of(ctx context.Context, p provider.Provider, environ []string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if why, ok := f.known[p.Name]; ok {
		return why
	}
	found := provider.Catalogue{p.Row}.Detect(ctx, environ)[0]
	why := ""
	switch {
	case found.Path == "" && found.Problem != "":
		why = fmt.Sprintf("%s is not on the PATH", p.Binary)
		if p.Install != "" {
			why += "; " + p.Install
		}
	case found.Old:
		why = fmt.Sprintf("%s is version %s, older than %s; %s, or to try it all the same git config liza.provider.%s.minimum %s",
			found.Path, found.Reported, p.Minimum, p.Install, p.Name, found.Reported)
	}
	if f.known == nil {
		f.known = map[string]string{}
	}
	f.known[p.Name] = why
	return why
}
