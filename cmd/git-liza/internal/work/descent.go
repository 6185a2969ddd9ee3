package work

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A CommandMark marks a command that is run for a board, so that moves of its
// descendants are recognised whatever actor they claim. By is zero for a gate,
// whose descendants make no moves.
type CommandMark struct {
	Board string // its id
	By    board.Actor
	board.Generation
}

// Records returns the folder of the records of a repository's marked
// commands.
func Records(repo *git.Repo) string { return filepath.Join(repo.CommonDir(), layout.Private, "guards") }

// NewMark returns the mark of a command that is run for a store's board, as an
// agent with the generation of its session; "" for a gate.
func NewMark(ctx context.Context, store *gitstore.Store, by board.Actor, g board.Generation) (*proc.Mark, error) {
	b, _, err := store.Board(ctx)
	if err != nil {
		return nil, err
	}
	place, err := proc.Place(store.Repo.CommonDir())
	return &proc.Mark{Place: place, Words: []string{b.Settings().Board, string(by), string(g)}}, err
}

// MarksAbove returns the marked commands of the repository's board that this
// process descends from, the nearest first. /proc does not show for the doubtful
// ones whether it does. board is the id of the board, "" if unknown; another
// clone may have the same board.
func MarksAbove(repo *git.Repo, board string) (above, doubtful []CommandMark, err error) {
	marks, unsure, err := proc.Above(Records(repo))
	if err != nil {
		return nil, nil, err
	}
	return commandMarks(repo, board, marks, unsure)
}

// commandMarks are those of the marks that are of the repository's board.
func commandMarks(repo *git.Repo, board string, marks, unsure []proc.Mark) (above, doubtful []CommandMark, err error) {
	if len(marks)+len(unsure) == 0 {
		return nil, nil, nil
	}
	place, err := proc.Place(repo.CommonDir())
	for _, m := range marks {
		if w, ok := parseMark(m); ok && (m.Place == place || board != "" && w.Board == board) {
			above = append(above, w)
		}
	}
	for _, m := range unsure {
		if w, ok := parseMark(m); ok {
			doubtful = append(doubtful, w)
		}
	}
	return above, doubtful, err
}

func parseMark(m proc.Mark) (CommandMark, bool) {
	if len(m.Words) != 3 {
		return CommandMark{}, false
	}
	return CommandMark{m.Words[0], board.Actor(m.Words[1]), board.Generation(m.Words[2])}, true
}

// CheckActor refuses (rule identity) an actor other than the agent of the session
// that this process descends from; the generation must be the session's too. If the
// session is doubtful, the actor must be the agent of some living session.
func CheckActor(repo *git.Repo, board string, by board.Actor, g board.Generation) error {
	above, doubtful, err := MarksAbove(repo, board)
	if err != nil {
		return fmt.Errorf("whom this process descends from: %w", err)
	}
	return checkActor(above, doubtful, by, g)
}

var gateMoves = &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza help", Reason: "a command of a gate or a hook makes no moves: its exit code is all that it says"}

// IsGate reports whether [CheckActor] has refused a command of a gate or a hook.
func IsGate(err error) bool { return err == error(gateMoves) }

func checkActor(above, doubtful []CommandMark, by board.Actor, g board.Generation) error {
	for _, w := range above {
		if w.By == "" {
			return gateMoves
		}
		if w.By != by || w.Generation != g {
			return &flow.Refusal{Rule: flow.RuleIdentity, Hint: fmt.Sprintf("export LIZA_AGENT_ID=%s LIZA_GENERATION=%s", w.By, w.Generation),
				Reason: fmt.Sprintf("a process that descends from the session of %s acts as that agent and as nobody else", w.By)}
		}
	}
	for _, w := range doubtful {
		if w.By == by && w.Generation == g {
			return nil
		}
	}
	if len(above) == 0 && len(doubtful) > 0 {
		return &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza agents",
			Reason: fmt.Sprintf("this process may descend from the session of %s: /proc does not show it here; move from where it does", doubtful[0].By)}
	}
	return nil
}

// CheckPeer refuses (rule identity) a process at the other end of a connection that belongs
// to another user, or descends from a session of the board or may do so. what says what
// only a person does: agents are steered.
func CheckPeer(repo *git.Repo, board string, p proc.Peer, what string) error {
	refusal := &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza help block"}
	if p.UID != os.Getuid() {
		refusal.Reason = what + " by the user whom agents run for"
		return refusal
	}
	marks, unsure, err := proc.AbovePeer(Records(repo), p)
	if err != nil {
		return fmt.Errorf("whom process %d descends from: %w", p.PID, err)
	}
	above, doubtful, err := commandMarks(repo, board, marks, unsure)
	if err == nil && len(above)+len(doubtful) > 0 {
		refusal.Reason = what + " by a human on this machine, not by a process of an agent's session: ask"
		err = refusal
	}
	return err
}

// permitMoves is [CheckActor] for the moves of a store.
func permitMoves(store *gitstore.Store) func(context.Context, *board.Board, flow.Move) error {
	return func(_ context.Context, b *board.Board, m flow.Move) error {
		return cmp.Or(CheckActor(store.Repo, b.Settings().Board, m.By, m.Generation), checkWatched(store.Repo, b), checkTerminal(b, m))
	}
}

// checkTerminal refuses (rule doubt) what a process without a terminal does as a person, while
// there is doubt about a task, so that a session may have left it: moves on that task, and those of people alone.
func checkTerminal(b *board.Board, m flow.Move) error {
	tty, err := os.Open("/dev/tty")
	if tty.Close(); err == nil || !m.By.IsHuman() {
		return nil
	}
	for _, t := range b.Tasks() {
		if t.Doubt != "" && (t.ID == m.Task || flow.HumansOnly(m.Act)) {
			return &flow.Refusal{Rule: flow.RuleDoubt, Hint: "git liza inbox",
				Reason: b.Doubt(t.ID, t.Doubt) + ": this may be a process that it left, so type it at a terminal"}
		}
	}
	return nil
}

// checkWatched refuses (rule identity) a process from which all others are hidden, where the
// folder of the records of sessions is gone, while agents of this machine are supervised.
func checkWatched(repo *git.Repo, b *board.Board) error {
	if !proc.IsBlind(Records(repo)) {
		return nil
	}
	for id, here := range registeredAgents(b) {
		if host, _ := os.Hostname(); id != "" && here.Host == host {
			return &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza agents",
				Reason: fmt.Sprintf("this process may descend from the session of %s: the records of sessions are gone; move from where /proc shows all", here.ID)}
		}
	}
	return nil
}
