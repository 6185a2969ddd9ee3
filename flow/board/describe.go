package board

import (
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
)

// MissingTexts are the texts that the description of a task lacks; a draft needs none.
func (t *Task) MissingTexts() []string {
	needs := [][2]string{{"title", t.Title}, {"done_when", t.DoneWhen}, {"spec", t.Spec}, {"scope", t.Scope}}
	lacking := lists.Where(needs, func(need [2]string) bool { return need[1] == "" })
	return lists.Of(lacking, func(need [2]string) string { return need[0] })
}

// Completion is the command by which a draft goes on: the edit that says all that it lacks,
// or, if it lacks nothing, the one that makes it claimable.
func Completion(b *Board, id TaskID) string {
	if t := b.Task(id); t != nil && len(t.MissingTexts()) > 0 {
		return Completing(t)
	}
	return "git liza task finalize " + string(id)
}

// Unblocking is the command by which an actor lets a blocked task go on.
func Unblocking(b *Board, id TaskID, by Actor) string {
	t := b.Task(id)
	if t == nil || t.Block == nil {
		return "git liza show " + string(id)
	}
	open := OpenQuestionsOf(b, t)
	switch {
	case t.Exhausted(b.Settings().Config.Limits.Over(t.Limits)):
		return "git liza task supersede " + string(id) + " --by FILE --reason R"
	case len(open) == 0 || t.Block.Limit == LimitMergeFails:
		return "git liza task unblock " + string(id)
	}
	return Answering(by, open[0])
}

// Answering is the command by which an actor answers a question: it asks a person for the
// answers to all those of the task, an agent gives the text of one.
func Answering(by Actor, q *Question) string {
	if by.IsHuman() {
		return "git liza answer " + string(q.Task)
	}
	return "git liza answer " + string(q.ID) + " TEXT"
}

// Completing is the command that says all that the description of a task lacks.
func Completing(t *Task) string {
	flags := strings.Join(t.MissingTexts(), " TEXT --") + " TEXT"
	return "git liza task edit " + string(t.ID) + " --" + strings.NewReplacer("_", "-", "spec TEXT", "spec PATH").Replace(flags)
}
