package board

import "slices"

// TextUsers are the ids of the open goals and tasks that stand on each path, goals
// first, tasks in order of creation.
func TextUsers(b *Board) map[string][]string {
	users := map[string][]string{}
	for _, id := range b.IDs(Goals) {
		if g := b.Goal(GoalID(id)); g != nil && g.Status == InProgress {
			users[SpecPath(g.Spec)] = append(users[SpecPath(g.Spec)], id)
		}
	}
	for _, s := range b.Summaries() {
		if s.Status.Final() || s.Status == Draft {
			continue
		}
		for _, ref := range append([]string{s.Spec}, s.BasedOn...) {
			path := SpecPath(ref)
			if n := len(users[path]); n == 0 || users[path][n-1] != string(s.ID) {
				users[path] = append(users[path], string(s.ID))
			}
		}
	}
	return users
}

// AffectedBy is what it means that paths hold these texts from now on: the paths
// whose approval ends, and the tasks in work that stand on a text, or on a section
// of it, that changes.
func AffectedBy(b *Board, now []Text) (approvals []string, tasks []TaskID) {
	changes := map[string]Text{}
	for _, text := range now {
		doc := b.Tracked(text.Path)
		if doc == nil || doc.Blob == text.Blob {
			continue
		}
		changes[text.Path] = text
		if doc.Approved() {
			approvals = append(approvals, text.Path)
		}
	}
	if len(changes) == 0 {
		return nil, nil
	}
	for _, s := range b.Summaries() {
		if !s.Status.Final() && !AnyOf(Draft, Unclaimed).Has(s.Status) && slices.ContainsFunc(append([]string{s.Spec}, s.BasedOn...), func(ref string) bool {
			path, anchor := SplitRef(ref)
			text, changed := changes[path]
			return changed && b.Tracked(path).differs(text, anchor)
		}) {
			tasks = append(tasks, s.ID)
		}
	}
	return approvals, tasks
}

// differs reports whether a text has another section of that anchor than the board
// knows; another text if the board knows no such section.
func (d *TrackedPath) differs(text Text, anchor string) bool {
	was := d.Section(anchor)
	if was == nil {
		return d.Blob != text.Blob
	}
	return !slices.Contains(text.Sections, Section{Anchor: anchor, Hash: was.Hash})
}
