package gitstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
	"github.com/git-liza/git-liza/internal/killpoint"
	"github.com/git-liza/git-liza/internal/torture"
)

func permitAll(context.Context, *flow.Board, flow.Move) error { return nil }

// served has a resident make moves until the test ends.
func (d *desk) served(permit Permit) *Resident {
	d.t.Helper()
	r := NewResident(d.open())
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(ctx)
	}()
	d.t.Cleanup(func() {
		cancel()
		<-done
	})
	d.store.FindResident = finding(r.handOver(permit))
	return r
}

// handOver is a client in the same process.
func (r *Resident) handOver(permit Permit) HandOver {
	return func(ctx context.Context, h Handover) (Answer, bool) {
		gone := make(chan struct{})
		stop := context.AfterFunc(ctx, func() { close(gone) })
		defer stop()
		answer, taken := r.Take(h, gone, permit)
		if !taken {
			return AnswerRefuse, false
		}
		return answer(), true
	}
}

// finding finds a resident whenever it is asked.
func finding(send HandOver) func(context.Context) (HandOver, func()) {
	return func(context.Context) (HandOver, func()) { return send, func() {} }
}

// counting counts the answers of a resident.
func counting(send HandOver, count map[Answer]int) func(context.Context) (HandOver, func()) {
	return finding(func(ctx context.Context, h Handover) (Answer, bool) {
		a, sent := send(ctx, h)
		count[a]++
		return a, sent
	})
}

func renewal(id flow.TaskID, by flow.Actor) Build {
	return constant(flow.Move{Act: flow.ActRenew, Task: id, By: by, Detail: &flow.RenewMove{Lease: flow.Duration(time.Hour)}})
}

// A move that is handed over is on the board as if its own process had made it.
func TestHandedOver(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	d.claim("task-1", coder)
	count := map[Answer]int{}
	d.store.FindResident = counting(d.served(permitAll).handOver(permitAll), count)
	tip := d.at(layout.State)
	r, err := d.store.DoAct(context.Background(), flow.ActRenew, renewal("task-1", coder))
	require.NoError(t, err)
	require.Equal(t, map[Answer]int{AnswerLanded: 1}, count)
	require.False(t, r.Already)
	require.Equal(t, d.at(layout.State), r.Commit)
	require.Equal(t, flow.ActRenew, r.Move.Act)
	require.Equal(t, coder, r.Move.By)
	require.NotNil(t, r.Before.Task("task-1"))
	require.Equal(t, r.Move.At.Add(time.Hour), r.After.Task("task-1").Claim.Lease)
	require.NotEmpty(t, r.After.Changes(), "commands name what they wrote")
	e, err := d.store.ReadEvent(r.Commit)
	require.NoError(t, err)
	require.Equal(t, tip, e.Parent)
	d.sound()
}

// Moves that wait for a resident share a transaction, each built on the one before. One that
// the rules refuse is its own process's to explain, and takes nothing from the others.
func TestHandedOverTogether(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2", "task-3")
	d.claim("task-1", coder)
	r := d.served(permitAll)
	release, err := d.store.Repo.Turns.Queue(context.Background())
	require.NoError(t, err)
	tip, before := d.at(layout.State), d.transactions()
	var answers []func() Answer
	for _, build := range []Build{renewal("task-1", coder), claim("task-2", "coder-2"), claim("task-2", "coder-3"), note("one"), note("two")} {
		h := d.handover(build)
		answer, taken := r.Take(h, nil, permitAll)
		require.True(t, taken)
		answers = append(answers, answer)
	}
	require.Equal(t, tip, d.at(layout.State))
	release()
	for i, want := range []Answer{AnswerLanded, AnswerLanded, AnswerRefuse, AnswerLanded, AnswerLanded} {
		require.Equal(t, want, answers[i](), i)
	}
	require.Equal(t, "4", gittest.Git(t, d.dir, "rev-list", "--count", string(tip)+"..refs/liza/state"))
	require.LessOrEqual(t, d.transactions()-before, 2) // the first may be taken before the others wait
	d.sound()
}

// handover is what a process hands over.
func (d *desk) handover(build Build) Handover {
	d.t.Helper()
	h, err := d.client(build).prepareHandover(context.Background())
	require.NoError(d.t, err)
	return h
}

func (d *desk) client(build Build) *proposal {
	d.t.Helper()
	request, err := RandomID()
	require.NoError(d.t, err)
	return &proposal{store: d.open(), request: flow.Request(request), build: build}
}

// Whatever a resident says, the board decides, and the move is made once.
func TestResidentsThatLie(t *testing.T) {
	t.Parallel()
	other := func(d *desk) HandOver {
		return func(ctx context.Context, h Handover) (Answer, bool) {
			m, err := h.decode(flow.RulesVersion)
			require.NoError(d.t, err)
			m.Detail = &flow.NoteMove{For: "all", Text: "another one"}
			s := d.open()
			_, err = s.tryMove(ctx, h.Tip, h.Request, constant(m))
			require.NoError(d.t, err)
			return AnswerLanded, true
		}
	}
	quiet := func(a Answer, sent bool) func(d *desk) HandOver {
		return func(d *desk) HandOver {
			return func(ctx context.Context, h Handover) (Answer, bool) {
				m, err := h.decode(flow.RulesVersion)
				require.NoError(d.t, err)
				_, err = d.open().tryMove(ctx, h.Tip, h.Request, constant(m))
				require.NoError(d.t, err)
				return a, sent
			}
		}
	}
	say := func(a Answer, sent bool) func(*desk) HandOver {
		return func(*desk) HandOver {
			return func(context.Context, Handover) (Answer, bool) { return a, sent }
		}
	}
	for name, one := range map[string]struct {
		resident func(*desk) HandOver
		moves    int
	}{
		"landed, and did nothing":   {say(AnswerLanded, true), 1},
		"always again":              {say(AnswerAgain, true), 1},
		"refused for no reason":     {say(AnswerRefuse, true), 1},
		"an unknown answer":         {say("perhaps", true), 1},
		"unsynced, and did nothing": {say(AnswerUnsynced, true), 1},
		"not sent":                  {say(AnswerLanded, false), 1},
		"made it, and denies it":    {quiet(AnswerRefuse, true), 1},
		"made it, and asks again":   {quiet(AnswerAgain, true), 1},
		"made another move":         {other, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, gittest.Seeded(t))
			d.store.FindResident = finding(one.resident(d))
			tip := d.at(layout.State)
			r, err := d.store.DoAct(context.Background(), flow.ActNote, note("mine"))
			require.NoError(t, err)
			require.Equal(t, "mine", r.Move.Detail.(*flow.NoteMove).Text)
			require.Equal(t, r.Commit, d.at(layout.State))
			require.Equal(t, fmt.Sprint(one.moves), gittest.Git(t, d.dir, "rev-list", "--count", string(tip)+"..refs/liza/state"))
			d.sound()
		})
	}
}

// Moves that rest on commits, that are signed or that bring refs are made by their own
// processes. Those that are known to be so before are built once.
func TestNotHandedOver(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	found, asked := 0, 0
	d.store.FindResident = func(context.Context) (HandOver, func()) {
		found++
		return func(context.Context, Handover) (Answer, bool) {
			asked++
			return AnswerRefuse, false
		}, func() {}
	}
	built := 0
	counted := func(build Build) Build {
		return func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
			built++
			return build(b, at)
		}
	}
	_, err := d.store.DoAct(t.Context(), flow.ActClaim, counted(claim("task-1", coder)))
	require.NoError(t, err)
	require.Equal(t, []int{1, 1, 2}, []int{found, asked, built})
	found, asked, built = 0, 0, 0
	_, err = d.store.DoAct(t.Context(), flow.ActStop, counted(constant(flow.Move{Act: flow.ActStop, By: ann, Detail: &flow.StopMove{Reason: "R"}})))
	require.NoError(t, err)
	_, err = d.store.Do(t.Context(), counted(note("of an act that nobody named")))
	require.NoError(t, err)
	require.Equal(t, []int{0, 0, 2}, []int{found, asked, built})
	branch := git.RefUpdate{Name: "refs/heads/extra", New: d.at("refs/heads/main")}
	_, err = d.store.DoAct(t.Context(), flow.ActNote, func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		m, _, err := note("with a ref")(b, at)
		return m, []git.RefUpdate{branch}, err
	})
	require.NoError(t, err)
	require.Equal(t, branch.New, d.at(branch.Name))
	require.Equal(t, []int{1, 0}, []int{found, asked})
}

// A move that was built on an older state is made on the present one if the documents that it
// rests on are as they were, and else is built again.
func TestHandoverOfAnOlderState(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2")
	d.claim("task-1", coder)
	h := d.handover(renewal("task-1", coder))
	d.claim("task-2", "coder-2")
	r := d.served(permitAll)
	d.store.FindResident = nil
	require.Equal(t, AnswerLanded, d.take(r, h))
	h = d.handover(func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		require.Equal(t, coder, b.Task("task-1").Claim.By)
		return renewal("task-1", coder)(b, at)
	})
	d.now = d.now.Add(time.Minute)
	_, err := d.store.Do(context.Background(), renewal("task-1", coder))
	require.NoError(t, err)
	tip := d.at(layout.State)
	require.Equal(t, AnswerAgain, d.take(r, h))
	require.Equal(t, tip, d.at(layout.State))
	stale := d.handover(note("stale"))
	for made := 0; made <= mostSearched; {
		var answers []func() Answer
		for range mostJoined {
			answer, taken := r.Take(d.handover(note("later")), nil, permitAll)
			require.True(t, taken)
			answers = append(answers, answer)
		}
		for _, answer := range answers {
			require.Equal(t, AnswerLanded, answer())
			made++
		}
	}
	require.Equal(t, AnswerRefuse, d.take(r, stale))
	d.sound()
}

func (d *desk) take(r *Resident, h Handover) Answer {
	d.t.Helper()
	answer, taken := r.Take(h, nil, permitAll)
	require.True(d.t, taken)
	return answer()
}

// A handover whose client is gone, whom its client may not make, or that is not of this
// program or this configuration makes no move.
func TestHandoversThatAreNotMade(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	close(gone)
	for name, one := range map[string]struct {
		gone   <-chan struct{}
		permit Permit
		change func(*Handover)
	}{
		"the client is gone": {gone: gone},
		"the client may not": {permit: func(context.Context, *flow.Board, flow.Move) error { return &flow.Refusal{Rule: flow.RuleIdentity} }},
		"other settings":     {change: func(h *Handover) { h.Settings = strings.Repeat("0", 64) }},
		"no committer":       {change: func(h *Handover) { h.Committer = [2]string{} }},
		"a hostile committer": {change: func(h *Handover) {
			h.Committer = [2]string{"x> 1 +0000\nparent 0000000000000000000000000000000000000000", "y"}
		}},
		"no move":         {change: func(h *Handover) { h.Move = "" }},
		"not YAML":        {change: func(h *Handover) { h.Move = "note\n\nact: [\n" }},
		"another request": {change: func(h *Handover) { h.Request = "0011223344556677" }},
		"an act of commits": {change: func(h *Handover) {
			h.Move = strings.NewReplacer("act: note", "act: stop", "note ", "stop ").Replace(h.Move)
		}},
		"what its actor saw": {change: func(h *Handover) {
			h.Move = strings.TrimSuffix(h.Move, "\n") + "\nseen: " + string(h.Tip) + "\n"
		}},
		"an unknown state": {change: func(h *Handover) { h.Tip = git.ID(strings.Repeat("1", 40)) }},
		"no state":         {change: func(h *Handover) { h.Tip = "" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, gittest.Seeded(t))
			r := d.served(permitAll)
			h := d.handover(note("mine"))
			if one.change != nil {
				one.change(&h)
			}
			permit := one.permit
			if permit == nil {
				permit = permitAll
			}
			tip := d.at(layout.State)
			answer, taken := r.Take(h, one.gone, permit)
			require.True(t, taken)
			require.Equal(t, AnswerRefuse, answer())
			require.Equal(t, tip, d.at(layout.State))
			d.sound()
		})
	}
}

// What is signed, and what a remote decides, is not the resident's, whoever asks for it.
func TestResidentSignsNothing(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	r := d.served(permitAll)
	h := d.handover(note("mine"))
	d.keep("ann", testKey(1))
	m, err := h.decode(flow.RulesVersion)
	require.NoError(t, err)
	m.Principal = "ann"
	h.Move, err = encodeMove(m, flow.RulesVersion)
	require.NoError(t, err)
	h.Tip = d.at(layout.State)
	h.Settings, err = d.open().Repo.Config.Digest(context.Background())
	require.NoError(t, err)
	tip := d.at(layout.State)
	require.Equal(t, AnswerRefuse, d.take(r, h))

	h = d.handover(note("mine"))
	gittest.Git(t, d.dir, "config", "liza.remote", "origin")
	h.Settings, err = d.open().Repo.Config.Digest(context.Background())
	require.NoError(t, err)
	require.Equal(t, AnswerRefuse, d.take(r, h))
	require.Equal(t, tip, d.at(layout.State))
}

// A move that the rules refuse on the board that it was built on may have been built in part
// only, such as a claim that comes a second too early, without what it would save. It is not
// handed over, since a second later the rules may let it pass.
func TestRefusedMovesAreNotHandedOver(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1")
	d.claim("task-1", coder)
	taking := func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		if b.Opens(flow.ActClaim, "task-1", flow.Caller{By: "coder-2"}, at) == nil {
			return flow.Move{}, nil, fmt.Errorf("saved at %s", at)
		}
		return claim("task-1", "coder-2")(b, at)
	}
	d.now = d.board().Task("task-1").Claim.Lease
	for early := true; early; d.now = d.now.Add(time.Second) {
		_, err := d.client(taking).prepareHandover(context.Background())
		var refusal *flow.Refusal
		if early = errors.As(err, &refusal); !early {
			require.ErrorContains(t, err, "saved at")
		}
	}
}

// The git of a resident that was killed may land its move while the client makes it: the
// result is what is on the board.
func TestMadeByAnOrphan(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	text := func(at time.Time) Build { return note("built at " + at.Format(time.RFC3339)) }
	p := d.client(func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) { return text(at)(b, at) })
	h, err := p.prepareHandover(context.Background())
	require.NoError(t, err)
	orphan := Result{}
	p.build = func(b *flow.Board, at time.Time) (flow.Move, []git.RefUpdate, error) {
		if orphan.Commit == "" {
			m, err := h.decode(flow.RulesVersion)
			require.NoError(t, err)
			orphan, err = d.open().tryMove(context.Background(), h.Tip, h.Request, constant(m))
			require.NoError(t, err)
		}
		return text(at)(b, at)
	}
	d.now = d.now.Add(time.Second)
	p.joined, p.begun, p.looked = true, true, h.Tip
	got, err := p.raceMoves(context.Background())
	require.NoError(t, err)
	require.Equal(t, orphan.Commit, got.Commit)
	require.Equal(t, orphan.Commit, d.at(layout.State))
	require.Equal(t, orphan.Move.Detail, got.Move.Detail)
	d.sound()
}

// A process that goes on by itself, although a resident has its move, makes it once.
func TestMadeByBoth(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	r := d.served(permitAll)
	p := d.client(note("mine"))
	h, err := p.prepareHandover(context.Background())
	require.NoError(t, err)
	p.joined, p.begun, p.looked = true, true, h.Tip
	first, err := p.raceMoves(context.Background())
	require.NoError(t, err)
	require.Equal(t, AnswerLanded, d.take(r, h), "who looks finds it")
	require.Equal(t, first.Commit, d.at(layout.State))

	p = d.client(note("mine too"))
	h, err = p.prepareHandover(context.Background())
	require.NoError(t, err)
	require.Equal(t, AnswerLanded, d.take(r, h))
	p.joined, p.begun, p.looked = true, true, h.Tip
	again, err := p.raceMoves(context.Background())
	require.NoError(t, err)
	require.Equal(t, again.Commit, d.at(layout.State))
	require.Equal(t, h.Request, again.Move.Request)
	d.sound()
}

// A process that is interrupted says that its move is not made only if that is certain.
func TestInterruptedWhileAResidentHasTheMove(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	try := func(then func(Handover) Answer) (Result, error) {
		ctx, cancel := context.WithCancel(t.Context())
		d.store.FindResident = finding(func(_ context.Context, h Handover) (Answer, bool) {
			cancel()
			return then(h), true
		})
		return d.store.DoAct(ctx, flow.ActNote, note("mine"))
	}
	tip := d.at(layout.State)
	_, err := try(func(Handover) Answer { return AnswerRefuse })
	require.Equal(t, context.Canceled, err)
	_, err = try(func(Handover) Answer { return "" })
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, err, ErrMayBeMade)
	require.Equal(t, tip, d.at(layout.State))
	r, err := try(func(h Handover) Answer {
		m, err := h.decode(flow.RulesVersion)
		require.NoError(t, err)
		_, err = d.open().tryMove(context.Background(), h.Tip, h.Request, constant(m))
		require.NoError(t, err)
		return ""
	})
	require.NoError(t, err)
	require.Equal(t, r.Commit, d.at(layout.State))
	d.sound()
}

// While others have the turn, a client that goes, or whose configuration differs, gets its
// answer at once, and its move is not made later.
func TestAnsweredBeforeTheTurn(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	for name, one := range map[string]struct {
		settings string
		first    bool // it is not behind another one
		goes     bool
	}{
		"goes":           {first: true, goes: true},
		"goes, second":   {goes: true},
		"other settings": {first: true, settings: strings.Repeat("0", 64)},
	} {
		r, tip := d.served(permitAll), d.at(layout.State)
		release, err := d.store.Repo.Turns.Queue(t.Context())
		require.NoError(t, err, name)
		want := 0
		answerFirst := func() Answer { return AnswerLanded }
		if !one.first {
			want = 1
			answerFirst, _ = r.Take(d.handover(note("first")), nil, permitAll)
		}
		h := d.handover(note("second"))
		if one.settings != "" {
			h.Settings = one.settings
		}
		gone := make(chan struct{})
		answer, _ := r.Take(h, gone, permitAll)
		if one.goes {
			close(gone)
		}
		answered := make(chan Answer, 1)
		go func() { answered <- answer() }()
		gittest.Until(t, name, func() bool { return len(answered) == 1 })
		require.Equal(t, AnswerRefuse, <-answered, name)
		release()
		require.Equal(t, AnswerLanded, answerFirst(), name)
		require.Equal(t, AnswerLanded, d.take(r, d.handover(note("last"))), name)
		require.Equal(t, fmt.Sprint(want+1), gittest.Git(t, d.dir, "rev-list", "--count", string(tip)+"..refs/liza/state"), name)
	}
	d.sound()
}

// If the disk does not confirm a transaction of a resident, its clients hear of that, as of one of
// their own.
func TestHandedOverToADiskThatFails(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("without strace no call fails")
	}
	d := newDesk(t, gittest.Seeded(t))
	gittest.Git(t, d.dir, "config", "liza.fsync", "all")
	d.store = d.open()
	output := ""
	d.store.FindResident = finding(func(_ context.Context, h Handover) (Answer, bool) {
		file := filepath.Join(t.TempDir(), "handovers.json")
		text, err := json.Marshal([]Handover{h})
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o666))
		// The folder of the ref is synced when the ref has moved.
		c := exec.Command(strace, "-f", "-o", os.DevNull, "-P", filepath.Join(d.dir, ".git", "refs", "liza"), "-e", "trace=fsync", "-e", "inject=fsync:error=EIO",
			os.Args[0], d.dir, file)
		c.Env = append(os.Environ(), "GITSTORE_TEST_CHILD=resident")
		out, err := c.CombinedOutput()
		if output = string(out); err != nil {
			return "", false
		}
		return Answer(strings.TrimSpace(output)), true
	})
	r, err := d.store.DoAct(t.Context(), flow.ActNote, note("mine"))
	if strings.Contains(output, "ptrace") {
		t.Skipf("nobody may trace here: %s", output)
	}
	require.Equal(t, "unsynced\n", output)
	require.ErrorIs(t, err, git.ErrUnsynced)
	require.Empty(t, r.Commit)
	require.Equal(t, "1", gittest.Git(t, d.dir, "rev-list", "--count", "--grep=text: mine", layout.State))
	d.sound()
}

// A resident that ends leaves what waits to its clients.
func TestAResidentThatEnds(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	r := NewResident(d.open())
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var answers []func() Answer
	for range mostJoined {
		answer, taken := r.Take(d.handover(note("mine")), nil, permitAll)
		require.True(t, taken)
		answers = append(answers, answer)
	}
	_, taken := r.Take(d.handover(note("one too many")), nil, permitAll)
	require.False(t, taken)
	r.Run(ctx)
	for _, answer := range answers {
		a := answer()
		require.Contains(t, []Answer{AnswerRefuse, AnswerLanded}, a)
	}
	_, taken = r.Take(d.handover(note("late")), nil, permitAll)
	require.False(t, taken)
	d.sound()
}

func TestResidentBesideOthers(t *testing.T) {
	t.Parallel()
	besideOthers(t, 16, 6)
}

func TestTortureResidentBesideOthers(t *testing.T) {
	torture.Only(t)
	besideOthers(t, 8, 100)
}

// besideOthers has coders claim the same tasks and write notes in turn, so many times, half of
// them through a resident: each task has one coder, and no move is lost.
func besideOthers(t *testing.T, coders, times int) {
	d := newDesk(t, gittest.Seeded(t))
	tasks := []flow.TaskID{"task-1", "task-2", "task-3", "task-4"}
	d.add(tasks...)
	r := d.served(permitAll)
	tip := d.at(layout.State)
	var mu sync.Mutex
	made := map[flow.Request]git.ID{}
	won := map[flow.TaskID][]flow.Actor{}
	var wait sync.WaitGroup
	for n := range coders {
		s := d.open()
		if n%2 == 0 {
			s.FindResident = finding(r.handOver(permitAll))
		}
		by := flow.Actor(fmt.Sprintf("coder-%d", n+1))
		wait.Go(func() {
			for i := range times {
				act, build := flow.ActClaim, claim(tasks[(n+i)%len(tasks)], by)
				if i%2 == 1 {
					act, build = flow.ActNote, note(fmt.Sprint("by ", n, " number ", i))
				}
				got, err := s.DoAct(context.Background(), act, build)
				mu.Lock()
				if err == nil && !got.Already {
					if _, twice := made[got.Move.Request]; twice {
						t.Errorf("%s was reported twice", got.Move.Request)
					}
					made[got.Move.Request] = got.Commit
					if got.Move.Act == flow.ActClaim {
						won[got.Move.Task] = append(won[got.Move.Task], by)
					}
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	for _, id := range tasks {
		require.Len(t, won[id], 1, id)
		require.Equal(t, won[id][0], d.board().Task(id).Claim.By)
	}
	require.Equal(t, fmt.Sprint(len(made)), gittest.Git(t, d.dir, "rev-list", "--count", string(tip)+"..refs/liza/state"))
	d.nobodyWaits()
	d.sound()
}

// childResident makes the moves of the handovers in a file, as a resident does.
func childResident(ctx context.Context, s *Store, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var list []Handover
	if err := json.Unmarshal(text, &list); err != nil {
		return err
	}
	r := NewResident(s)
	running, end := context.WithCancel(ctx)
	var answers []func() Answer
	for _, h := range list {
		answer, _ := r.Take(h, nil, permitAll)
		answers = append(answers, answer)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.Run(running)
	}()
	for _, answer := range answers {
		fmt.Println(answer())
	}
	end()
	<-done
	return nil
}

// A resident is killed at one of its file operations, with its git or without. Its clients
// make their moves once, whatever was done of them by then.
func TestResidentKilled(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.add("task-1", "task-2")
	d.claim("task-1", coder)
	operations := killResident(t, d.copied(), 0, false)
	require.Greater(t, len(operations), 20)
	for i, n := range torture.Points(len(operations), 6) {
		killResident(t, d.copied(), n, i%2 == 1)
		if torture.Thorough() {
			killResident(t, d.copied(), n, i%2 == 0)
		}
	}
}

// killResident kills a resident at an operation, and requires that all is well. It returns
// the operations up to there.
func killResident(t *testing.T, d *desk, at int, alone bool) []string {
	t.Helper()
	start := d.at(layout.State)
	var clients []*proposal
	var list []Handover
	for _, build := range []Build{claim("task-2", "coder-9"), renewal("task-1", coder), note("third"), note("last")} {
		p := d.client(build)
		h, err := p.prepareHandover(context.Background())
		require.NoError(t, err)
		p.joined, p.begun, p.looked = true, true, h.Tip
		clients, list = append(clients, p), append(list, h)
	}
	text, err := json.Marshal(list)
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "handovers.json")
	require.NoError(t, os.WriteFile(file, text, 0o666))
	ended := killpoint.Trace(t, killpoint.Run{Args: []string{os.Args[0], d.dir, file}, Dir: d.dir, At: at, Alone: alone,
		Env: append(os.Environ(), "GITSTORE_TEST_CHILD=resident")})
	if !ended.Killed { // or it made fewer operations than the time before
		require.Zero(t, ended.Code, ended.Output)
		require.Equal(t, strings.Repeat("landed\n", len(list)), ended.Output)
	}
	for _, p := range clients {
		_, err := p.raceMoves(context.Background())
		require.NoError(t, err, "killed at %s", ended.Operations[len(ended.Operations)-1])
	}
	made := map[flow.Request]int{}
	require.NoError(t, d.store.Events(d.at(layout.State), func(e Event) (bool, error) {
		made[e.Move.Request]++
		return e.Parent != start, nil
	}))
	require.Len(t, made, len(clients))
	for _, p := range clients {
		require.Equal(t, 1, made[p.request], "killed at %s", ended.Operations[len(ended.Operations)-1])
	}
	require.Equal(t, flow.Actor("coder-9"), d.board().Task("task-2").Claim.By)
	d.nobodyWaits()
	d.sound()
	gittest.Git(t, d.dir, "fsck", "--no-dangling")
	return ended.Operations
}
