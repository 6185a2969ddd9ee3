package supervise

import (
	"cmp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/templates"
)

// maxAnomalies is how many anomalies a prompt repeats.
const maxAnomalies = 10

// anomaliesFor returns the anomalies that a prompt repeats: those of its task, of what
// stands on the same spec, and of work in the same paths; of a planner those of the tasks
// that it was woken for, and of those that a decision holds back. Dismissed and archived
// ones are not repeated, nor what only the person of the clone looks at. Of too many the latest stay, before others those of the tasks
// themselves.
func anomaliesFor(b *board.Board, in templates.Input) []*board.Anomaly {
	ids := b.IDs(board.Anomalies)
	about := in.About
	if in.Task != nil {
		about = []*board.Task{in.Task}
	}
	if len(ids) > 0 {
		for _, id := range in.Held {
			if t := b.Task(id); t != nil && !slices.Contains(about, t) {
				about = append(slices.Clip(about), t)
			}
		}
	}
	var list []*board.Anomaly
	isOwn := map[*board.Anomaly]int{}
	for _, id := range ids {
		a, ok := b.Load(board.Key{Folder: board.Anomalies, ID: id}).(*board.Anomaly)
		if !ok || a.Dismissed != nil || a.Archived || a.Details["assumption"] == board.NoChanges || !slices.ContainsFunc(about, func(t *board.Task) bool { return concerns(b, a, t) }) {
			continue
		}
		list = append(list, a)
		if slices.ContainsFunc(about, func(t *board.Task) bool { return a.Task == t.ID }) {
			isOwn[a] = 1
		}
	}
	slices.SortStableFunc(list, func(x, y *board.Anomaly) int { return cmp.Or(isOwn[x]-isOwn[y], x.At.Compare(y.At)) })
	return list[max(0, len(list)-maxAnomalies):]
}

// concerns reports whether an anomaly is about a task, its spec or its paths.
func concerns(b *board.Board, a *board.Anomaly, t *board.Task) bool {
	if a.Task == t.ID {
		return true
	}
	spec, _, _ := strings.Cut(t.Spec, "#")
	for _, key := range []string{"spec", "spec_ref"} {
		if said, _, _ := strings.Cut(a.Details[key], "#"); said != "" && said == spec {
			return true
		}
	}
	other := b.Task(a.Task)
	if other == nil || other.Goal != t.Goal {
		return false
	}
	if other.Spec == t.Spec || strings.HasPrefix(other.Spec, t.Spec+"#") {
		return true // the same spec, or a part of it
	}
	return slices.ContainsFunc(t.Owns, func(own string) bool {
		return slices.ContainsFunc(other.Owns, func(theirs string) bool { return within(own, theirs) || within(theirs, own) })
	})
}

// within reports whether all paths of a glob lie below the folder of another one, as far
// as their texts tell.
func within(glob, other string) bool {
	folder, _, wild := strings.Cut(other, "*")
	if !wild {
		return glob == other
	}
	return folder != "" && strings.HasPrefix(glob, folder)
}
