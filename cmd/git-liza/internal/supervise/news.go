package supervise

import (
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
)

// sessionNews finds what others write for an agent while its session runs: notes, and
// changes of the texts that its work stands on. The agent hears of it after its next
// command.
type sessionNews struct {
	worker *worker
	about  PromptInput
	seen   *board.Board // that was looked at last
	next   int          // the number of its next record
	notes  map[board.RecordID]bool
	texts  map[string]textState
	told   map[board.RecordID]bool // the questions of the agent about its task; whether they are closed
}

// A textState is what the board knows of a text.
type textState struct {
	blob    board.ObjectID
	changes int // that were recorded
}

// newsSince returns the news of a session whose prompt was made of a board.
func newsSince(w *worker, b *board.Board, in PromptInput) *sessionNews {
	n := &sessionNews{worker: w, about: in, seen: b, next: b.Settings().Next.Record, notes: map[board.RecordID]bool{}, texts: map[string]textState{}, told: map[board.RecordID]bool{}}
	_ = n.answered(b) // which the prompt has
	for _, note := range notesFor(b, in) {
		n.notes[note.ID] = true
	}
	for _, path := range n.paths(b) {
		n.texts[path] = n.textOf(b, path)
	}
	return n
}

// paths returns the texts that the work stands on: those of the task, else that of the goal.
func (n *sessionNews) paths(b *board.Board) (list []string) {
	var refs []string
	if t := b.Task(n.about.Task); t != nil {
		refs = append([]string{t.Spec}, t.BasedOn...)
	} else if g := b.Goal(n.goal(b)); g != nil {
		refs = []string{g.Spec}
	}
	for _, ref := range refs {
		if path, _, _ := strings.Cut(ref, "#"); path != "" {
			list = append(list, path)
		}
	}
	return list
}

// goal returns the goal that the session works for.
func (n *sessionNews) goal(b *board.Board) board.GoalID {
	if id := n.about.goal(b); id != "" {
		return id
	}
	return b.Settings().Goal
}

// textOf returns what a board knows of a text now, without what the agent itself recorded.
func (n *sessionNews) textOf(b *board.Board, path string) (state textState) {
	if doc := b.Tracked(path); doc != nil {
		state.blob = doc.Blob
	}
	if g := b.Goal(n.goal(b)); g != nil {
		for _, c := range g.Changes {
			if spec, _, _ := strings.Cut(c.Spec, "#"); spec == path && c.By != board.Actor(n.worker.id) {
				state.changes++
			}
		}
	}
	return state
}

// answered returns lines for the answers that are new, of questions that the agent has asked about
// its task: of one that was asked and answered between two looks too. The command that waits for
// one prints it itself.
func (n *sessionNews) answered(b *board.Board) (lines []string) {
	if n.about.Task == "" {
		return nil
	}
	for _, q := range board.QuestionsAbout(b, n.about.Task) {
		if q.From != board.Actor(n.worker.id) || n.told[q.ID] {
			continue
		}
		n.told[q.ID] = !q.IsOpen()
		if q.Answer != "" && !work.Awaiting(n.worker.clone.Repo.CommonDir(), n.worker.id) {
			lines = append(lines, work.ToldAnswer(q.ID))
		}
	}
	return lines
}

// tell has the agent told what is new on a board. A failure is no reason to end the
// session: the next prompt has it.
func (n *sessionNews) tell(b *board.Board) {
	if b == n.seen {
		return
	}
	n.seen = b
	var lines []string
	if next := b.Settings().Next.Record; next != n.next {
		n.next = next
		for _, note := range notesFor(b, n.about) {
			if !n.notes[note.ID] && note.By != board.Actor(n.worker.id) {
				lines = append(lines, work.ToldNote(note.ID))
			}
			n.notes[note.ID] = true
		}
	}
	lines = append(lines, n.answered(b)...)
	for _, path := range n.paths(b) {
		now := n.textOf(b, path)
		if was, known := n.texts[path]; known && was != now {
			lines = append(lines, work.ToldText(path))
		}
		n.texts[path] = now
	}
	if len(lines) == 0 {
		return
	}
	if err := work.Tell(n.worker.clone.Repo, n.worker.id, lines...); err != nil {
		n.worker.log.note("\n--- %s is not told what is new: %v\n", n.worker.id, err)
	}
}
