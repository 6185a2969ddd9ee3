package supervise

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/git-liza/git-liza/cmd/git-liza/provider"
)

// fitness is what is known of the providers' programs: each is asked once for
// its version, however many agents there are of it.
type fitness struct {
	mu    sync.Mutex
	known map[string]Unfit // by the provider's name and command; the zero value is fit
}

// Unfit is why a provider's program cannot be used. The zero value is that it
// can.
type Unfit struct {
	Reason   string // which provider's, and why
	Hint     string // the command that installs it, or a later version; "" if none is known
	Override string // the command that uses it as it is; "" if there is no program
}

// String is the reason with the commands.
func (u Unfit) String() string {
	text := u.Reason
	if u.Hint != "" {
		text += "; " + u.Hint
	}
	if u.Override != "" {
		text += ", or to try it all the same " + u.Override
	}
	return text
}

// CheckPrograms is why none of the supervisors that are wanted has a program that can
// be used, said of the first; the zero value if one of them has.
func (r *Rush) CheckPrograms(ctx context.Context, slots []Slot) Unfit {
	first := Unfit{}
	for _, slot := range slots {
		why := r.fitness.checkProgram(ctx, slot.Provider, r.Environ)
		if why == (Unfit{}) {
			return why
		}
		first = cmp.Or(first, why)
	}
	return first
}

// checkProgram is why a provider's program cannot be used. One that says nothing of its
// version may be all right.
func (f *fitness) checkProgram(ctx context.Context, p provider.Provider, environ []string) Unfit {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := strings.Join(append([]string{p.Name}, p.Args...), "\x00")
	if why, ok := f.known[key]; ok {
		return why
	}
	found := provider.Catalogue{p.Row}.Detect(ctx, environ)[0]
	why := missingProgram(ctx, p, environ)
	switch {
	case found.Path == "" && found.Problem != "":
		why = Unfit{Reason: fmt.Sprintf("provider %s: %s is not on the PATH", p.Name, p.Binary), Hint: p.Install}
	case found.Old:
		why = Unfit{fmt.Sprintf("provider %s: %s is version %s, older than %s", p.Name, found.Path, found.Reported, p.Minimum),
			p.Install, fmt.Sprintf("git config liza.provider.%s.minimum %s", p.Name, found.Reported)}
	}
	if f.known == nil {
		f.known = map[string]Unfit{}
	}
	f.known[key] = why
	return why
}

// missingProgram is why a command that people gave cannot be started, the zero value
// if it can. One that worked before may be gone by now.
func missingProgram(ctx context.Context, p provider.Provider, environ []string) Unfit {
	if word := p.Missing(ctx, environ); word != "" {
		return Unfit{Reason: fmt.Sprintf("provider %s: there is no program %s", p.Name, word)}
	}
	return Unfit{}
}
