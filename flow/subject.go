package flow

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// Subject is the short name of the move: ACT TASK by ACTOR.
func (m Move) Subject() string {
	return joinWords(m.Act.String(), m.about(), "by "+string(m.By))
}

func joinWords(words ...string) string {
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// about names what the move is about, "" if that is the whole board.
func (m Move) about() string {
	if named, ok := m.Detail.(titled); ok && m.Task == "" {
		return named.subject()
	}
	return string(m.Task)
}

// maxTold bounds the first line of a commit, in characters.
const maxTold = 100

// Told is the first line of the move's commit: who did what, why, and what came of it on
// the board after it.
//
//	block t1 by coder-2: the API is gone → BLOCKED
//	merge pb for coder-1 by the supervisor of code-reviewer-1 → MERGED 19e8b68c4f
//	config limits.iterations 10 → 3 by human:ann
//
// Every judge makes it again, so these words, and those of [Move.Reason], are part of the
// format: commits with other ones would be refused. The boards' errors are the caller's.
func (m Move) Told(before, after *board.Board) string {
	what := m.about()
	if m.Act == board.ActConfig {
		what = strings.Join(changedKeys(reflect.ValueOf(before.Settings().Config), reflect.ValueOf(after.Settings().Config), ""), ", ")
	}
	if t := after.Task(m.Task); t != nil && t.Attempt != nil && m.Act == board.ActMerge {
		what += " for " + string(t.Attempt.Coder)
	}
	said := joinWords(m.Act.String(), plaintext.Line(what))
	end := " by " + m.Author()
	came := m.outcome(before, after)
	reason := plaintext.Line(strings.TrimSpace(strings.SplitN(m.Reason(), "\n", 2)[0]))
	if reason != "" {
		end += ": "
	}
	const least = 16 // characters that a reason or a name has to say something
	said = cutLine(said, max(least, maxTold-utf8.RuneCountInString(end+came)-min(least, utf8.RuneCountInString(reason))))
	return cutLine(said+end+cutLine(reason, max(0, maxTold-utf8.RuneCountInString(said+end+came)))+came, maxTold)
}

// Author names who made the move: an agent, its supervisor, or a person.
func (m Move) Author() string {
	if m.Generation != "" && !m.Generation.Spawned() && slices.Contains(bySupervisors, m.Act) {
		return "the supervisor of " + string(m.By)
	}
	return string(m.By)
}

// bySupervisors are the acts of which a reader could think that the agent itself made them.
var bySupervisors = []board.Act{board.ActMerge, board.ActIntegrationFail, board.ActBlock, board.ActCheckpoint, board.ActTrip, board.ActRecheck, board.ActComplete, board.ActSprintStart, board.ActSprintClose, board.ActRetro, board.ActLevel, board.ActPhase, board.ActImport, board.ActArchive, board.ActAnswer}

// cutLine is the first part of a text, within n characters.
func cutLine(text string, n int) string {
	if r := []rune(text); len(r) > n {
		return strings.TrimRight(string(r[:max(n-1, 0)]), " ") + "…"
	}
	return text
}

var came = pattern.Late(` → [A-Z_]{4,}( [^→]+)?$`)

// Came is the end of a first line that says to which state the move led.
func Came(told string) string { return came().FindString(told) }

// outcome says to which state the move led what it is about, "" if it led nowhere else.
func (m Move) outcome(before, after *board.Board) string {
	was, t := before.Task(m.Task), after.Task(m.Task)
	switch d := m.Detail.(type) {
	case *AnswerMove:
		if t := ReturnedBy(m, after); t != nil {
			return fmt.Sprintf(", %s → %s", t.ID, t.Status)
		}
	case *MergeMove:
		return fmt.Sprintf(" → %s %s", board.Merged, d.Commit.Short())
	case *CompleteMove, *AbortMove:
		if g := after.Goal(m.Goal); g != nil {
			return " → " + g.Status.String()
		}
	}
	if was, is := before.Settings().Control.State, after.Settings().Control.State; was != is && was != 0 {
		return " → " + is.String()
	}
	if was == nil || t == nil || was.Status == t.Status {
		return ""
	}
	came := " → " + t.Status.String()
	switch {
	case t.Status == board.Blocked && m.Act != board.ActBlock && t.Block != nil:
		came += " (" + cutLine(plaintext.Line(t.Block.Reason), 30) + ")"
	case t.Status == board.Superseded && len(t.SupersededBy) > 0:
		came += " by " + cutLine(strings.Join(lists.Of(t.SupersededBy, func(id board.TaskID) string { return string(id) }), ", "), 30)
	}
	return came
}

// changedKeys are the keys in which two configurations differ, and how.
func changedKeys(was, is reflect.Value, key string) (list []string) {
	switch {
	case was.Kind() == reflect.Struct:
		for i := range was.NumField() {
			name, _, _ := strings.Cut(was.Type().Field(i).Tag.Get("yaml"), ",")
			list = append(list, changedKeys(was.Field(i), is.Field(i), strings.TrimPrefix(key+"."+name, "."))...)
		}
	case reflect.DeepEqual(was.Interface(), is.Interface()):
	case was.Kind() == reflect.Slice || was.Kind() == reflect.Map || was.Kind() == reflect.Pointer:
		list = []string{key} // too long to be said
	default:
		list = []string{fmt.Sprintf("%s %s → %s", key, cmp.Or(fmt.Sprint(was), "none"), cmp.Or(fmt.Sprint(is), "none"))}
	}
	return list
}

// Reason is the reason or summary of the move; of a sprint and of a gate that cannot run
// also which.
func (m Move) Reason() string {
	switch d := m.Detail.(type) {
	case *SprintStartMove:
		return string(d.Sprint)
	case *SprintCloseMove:
		return strings.Join(slices.DeleteFunc([]string{string(d.Sprint), d.Reason}, func(s string) bool { return s == "" }), ", ")
	case *OutageMove:
		if d.Over {
			return "over on " + d.Host
		}
		return "on " + d.Host + ", " + d.Error
	case *LevelMove:
		results := lists.Of(d.Receipts, func(r board.Receipt) string { return fmt.Sprintf(", %s: %s", r.Gate, r.Result) })
		return "at " + d.Tip.Short() + strings.Join(results, "")
	case *ScheduleMove:
		return "barrier " + d.Schedule.Barrier.String()
	case *SessionMove:
		if d.Error != "" {
			return d.Outcome + ", " + d.Error
		}
	case *GoalMove:
		if d.Pivot != "" {
			return d.Title + ", in place of " + string(d.Pivot)
		}
	case *RejectMove:
		if f := d.Feedback; f.Overall == "" && len(f.Blockers) > 0 {
			return f.Blockers[0].Issue
		}
	case *BlockMove:
		if d.Reason == "" && len(d.Questions) > 0 {
			return d.Questions[0]
		}
	}
	return summaryOf(reflect.Indirect(reflect.ValueOf(m.Detail)), true)
}

// summaryOf is the first text of a struct that summarises it, or of one within it.
func summaryOf(v reflect.Value, deep bool) string {
	if v.Kind() != reflect.Struct {
		return ""
	}
	for _, name := range []string{"Reason", "Summary", "Message", "Text", "Overall", "Pattern", "Resolution", "Change", "Title", "Outcome"} {
		field := v.FieldByName(name)
		if !field.IsValid() {
			continue
		}
		text := ""
		if known, ok := field.Interface().(encoding.TextMarshaler); ok {
			said, _ := known.MarshalText()
			text = string(said)
		} else if field.Kind() == reflect.String {
			text = field.String()
		}
		if text != "" {
			return text
		}
	}
	for i := 0; deep && i < v.NumField(); i++ {
		// The text of an intent, a handoff or a rejection is in a struct of its own.
		if text := summaryOf(reflect.Indirect(v.Field(i)), false); text != "" {
			return text
		}
	}
	return ""
}
