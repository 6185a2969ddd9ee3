package supervise

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/launcher"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/shell"
)

// Unfit says why a provider's program cannot be used. The zero value means that it can.
type Unfit struct {
	Reason   string // the provider's name, and why
	Hint     string // the command that installs it, or a later version; "" if none is known
	Override string // the command that allows the version that is installed; "" if there is no program

	mayStart bool // it cannot be started now, and may be later
}

// String returns the reason with the commands.
func (u Unfit) String() string {
	text := u.Reason
	if u.Hint != "" {
		text += "; " + u.Hint
	}
	if u.Override != "" {
		text += ", or to try it anyway " + u.Override
	}
	return text
}

// A Program is the program of a provider as it was found on this machine, where its
// sessions run here.
type Program struct {
	provider.Found
	Launcher launcher.Launcher
	Roles    []board.Role // of its agents
	Unfit    Unfit
}

// Programs looks at the programs of the slots, each once, in the order of the slots. Of
// one that only some of its roles may use there are two.
func (r *Rush) Programs(ctx context.Context, b *board.Board, slots []Slot) []Program {
	var list []Program
	var providers []provider.Provider
	places := map[string]int{}
	for _, slot := range slots {
		wrong := checkRow(b, slot.Role, slot.Provider)
		key := programKey(slot.Provider) + "\x00" + wrong.Reason
		i, known := places[key]
		if !known {
			i = len(list)
			places[key] = i
			list, providers = append(list, Program{Unfit: wrong, Launcher: slot.Provider.Launcher}), append(providers, slot.Provider)
		}
		if p := &list[i]; !slices.Contains(p.Roles, slot.Role) {
			p.Roles = append(p.Roles, slot.Role)
		}
	}
	var all sync.WaitGroup
	for i := range list {
		all.Go(func() {
			found, why := checkStart(ctx, r, providers[i])
			noteFitness(r, providers[i], why)
			list[i].Found, list[i].Unfit = found, cmp.Or(list[i].Unfit, why)
		})
	}
	all.Wait()
	return list
}

// programKey is what providers with the same program have in common.
func programKey(p provider.Provider) string {
	return strings.Join(append([]string{p.Name, p.Launcher.Engine, p.Launcher.Image}, p.Args...), "\x00")
}

// checkProgram says why a provider's program cannot be used. A program that does not
// tell its version is not refused, nor one in the image of a container: what keeps that
// from starting is said by its first session. What may be started later is asked again.
func checkProgram(ctx context.Context, r *Rush, p provider.Provider) Unfit {
	if known := r.fitness.at(programKey(p)); known != nil {
		return *known
	}
	_, why := checkStart(ctx, r, p)
	noteFitness(r, p, why)
	return why
}

// noteFitness remembers what is known of a program, unless it may be started later.
func noteFitness(r *Rush, p provider.Provider, why Unfit) {
	if !why.mayStart {
		r.fitness.put(programKey(p), &why)
	}
}

// checkStart asks the program for its version, or the launcher of its containers whether it
// works.
func checkStart(ctx context.Context, r *Rush, p provider.Provider) (provider.Found, Unfit) {
	if p.Launcher.Contains() {
		if why, ok := errors.AsType[*launcher.Unable](p.Launcher.Check(ctx)); ok {
			return provider.Found{Row: p.Row}, Unfit{Reason: fmt.Sprintf("provider %s: %s", p.Name, why.Reason), Hint: why.Hint, mayStart: true}
		}
		return provider.Found{Row: p.Row}, Unfit{}
	}
	found := provider.Catalogue{p.Row}.Detect(ctx, r.Environ)[0]
	switch {
	case found.Path == "" && found.Problem != "":
		return found, Unfit{Reason: fmt.Sprintf("provider %s: %s is not on the PATH", p.Name, p.Binary), Hint: p.Install, mayStart: true}
	case found.Fails:
		return found, Unfit{Reason: fmt.Sprintf("provider %s: %s %s when it is asked for its version", p.Name, found.Path, found.Problem), Hint: shell.Join(append([]string{found.Path}, p.Version...)...), mayStart: true}
	case found.Old:
		return found, Unfit{Reason: fmt.Sprintf("provider %s: %s is version %s, older than %s", p.Name, found.Path, found.Reported, p.Minimum),
			Hint: p.Install, Override: fmt.Sprintf("git config liza.provider.%s.minimum %s", p.Name, found.Reported)}
	}
	return found, cmp.Or(missingProgram(ctx, p, r.Environ), checkConfined(ctx, r, p, found))
}

// checkConfined says that a program which starts here does not where its sessions are confined.
func checkConfined(ctx context.Context, r *Rush, p provider.Provider, found provider.Found) Unfit {
	settings, err := confine.ReadSettings(ctx, &r.Clone.Repo.Config.Configuration, r.Environ)
	if err != nil || !p.Confines() || found.Path == "" {
		return Unfit{}
	}
	place, err := settings.Place(ctx, r.Clone.Repo, r.Environ, "", "start")
	if err != nil || place.Domain == nil {
		return Unfit{} // sessions say why
	}
	defer place.Close()
	starts, said := found.StartsIn(ctx, r.Environ, place)
	if starts {
		return Unfit{}
	}
	return Unfit{Reason: fmt.Sprintf("provider %s: %s does not start where sessions are confined: %s; what it needs is opened by git config --add liza.confine.read PATH", p.Name, found.Path, lastOutput(said)),
		Hint: "git config liza.confine off", mayStart: true}
}

// checkRow says why agents of a role cannot use a provider, whatever its program.
func checkRow(b *board.Board, role board.Role, p provider.Provider) Unfit {
	row := b.Role(role)
	if row == nil || p.UnfitReason(row) == "" {
		return Unfit{}
	}
	return Unfit{Reason: "provider " + p.UnfitReason(row), Hint: fmt.Sprintf("git config liza.%s.provider NAME", role)}
}

// missingProgram says which program of a configured command does not exist, the zero
// value if none is missing. A program that worked before may be gone by now. What an
// image lacks is not known.
func missingProgram(ctx context.Context, p provider.Provider, environ []string) Unfit {
	if word := p.Missing(ctx, environ); word != "" && !p.Launcher.Contains() {
		return Unfit{Reason: fmt.Sprintf("provider %s: there is no program %s", p.Name, word), mayStart: true}
	}
	return Unfit{}
}

// An unfitError says that the agent cannot work on this machine, and what it still holds.
type unfitError struct {
	task  board.TaskID // "" if nothing is held
	err   error
	start bool // its program could not be started, which may be another time
}

func (u *unfitError) Error() string { return board.Excerpt(u.err.Error(), 250) }

func (u *unfitError) Unwrap() error { return u.err }

// starts counts how often in a row the program of an agent could not be started.
type starts struct {
	failed int
	next   time.Time // before which it is not tried again
	why    string    // "" if the last one succeeded
	known  bool      // it was looked for and found
}

// startRoleWork does work of the agent's role, if the agent's program can be started.
func startRoleWork(ctx context.Context, s *supervisor, b *board.Board) (lookResult, error) {
	wait, err := tryStart(ctx, s, b)
	if wait != nil || err != nil {
		return *cmp.Or(wait, &lookResult{}), err
	}
	done, err := s.doRoleWork(ctx, b)
	if unfit, ok := errors.AsType[*unfitError](err); ok {
		return noteUnfit(ctx, s, b, unfit)
	}
	return done, err
}

// tryStart looks for the agent's program before anything is claimed. wait is the result of
// the look if the program cannot be used now.
func tryStart(ctx context.Context, s *supervisor, b *board.Board) (wait *lookResult, err error) {
	why := checkRow(b, s.id.Role(), s.provider)
	switch {
	case why != (Unfit{}):
	case s.starts.known:
		return nil, nil
	case time.Now().Before(s.starts.next):
		rest := restUntilStart(s, b)
		return &rest, nil
	default:
		why = checkProgram(ctx, s.rush, s.provider)
	}
	if ctx.Err() != nil {
		return &lookResult{}, nil
	}
	if why == (Unfit{}) {
		s.starts.known = true
		return nil, nil
	}
	look, err := noteUnfit(ctx, s, b, &unfitError{"", errors.New(why.String()), why.mayStart})
	return &look, err
}

// noteUnfit gives back what the agent holds. It degrades the agent, or, if its program may be
// started later, has it tried again as failed work of the board is.
func noteUnfit(ctx context.Context, s *supervisor, b *board.Board, u *unfitError) (lookResult, error) {
	policy := b.Settings().Config.Retry
	s.starts.failed++
	counted := backoff{failed: s.starts.failed, most: policy.Attempts}.counted()
	var look lookResult
	rests := !u.start || s.starts.failed == policy.Attempts
	if rests {
		look = assignmentDone(failed(u.Error()))
	}
	if rests && u.start {
		s.say("%s: its program could not be started (%v), %s", s.id, u, counted)
	}
	if u.task != "" {
		if _, err := s.clone.Release(ctx, u.task, flow.ReleaseMove{}); err != nil {
			return look, err
		}
	}
	if rests {
		s.rush.troubles.note(u.task, errors.New(restText(s.id)))
		_, err := s.clone.Make(ctx, board.ActDegrade, "", &flow.DegradeMove{Agent: s.id, Reason: u.Error()})
		return look, err
	}
	wait := policy.Wait(s.starts.failed)
	s.starts.known, s.starts.next, s.starts.why = false, time.Now().Add(wait), u.Error()
	s.ask("%s: its program could not be started (%v), %s; again in %s", s.id, u, counted, board.Duration(wait))
	return restUntilStart(s, b), nil
}

// restUntilStart is the result of a look while the program waits to be tried again. It
// keeps a rush from its end if there is anything to do.
func restUntilStart(s *supervisor, b *board.Board) lookResult {
	look := lookResult{doing: retrying, why: s.starts.why}
	if len(flow.Triggers(b, s.rush.goals()...)) > 0 || slices.ContainsFunc(b.Tasks(), func(t board.Summary) bool { return !t.Status.Final() && s.rush.serves(b, t.Goal) }) {
		look.due = s.starts.next
	} else {
		look.retry = s.starts.next
	}
	return look
}
