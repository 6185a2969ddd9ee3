package lesson

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// A Conflict is two lessons that cannot both hold.
type Conflict struct{ One, Other string } // names, sorted

// Conflicts are the lessons that contradict others that are there, sorted.
func Conflicts(all []Lesson) (list []Conflict) {
	for _, l := range all {
		for _, name := range l.Contradicts {
			if slices.ContainsFunc(all, func(o Lesson) bool { return o.Name == name }) {
				list = append(list, Conflict{min(l.Name, name), max(l.Name, name)})
			}
		}
	}
	slices.SortFunc(list, func(a, b Conflict) int { return cmp.Or(cmp.Compare(a.One, b.One), cmp.Compare(a.Other, b.Other)) })
	return slices.Compact(list)
}

// For are the lessons that concern paths or globs, those that say it most exactly first, then
// those that concern one of some roles.
// Nobody is told those that contradict one another before a person has decided.
func For(all []Lesson, paths []string, roles ...board.Role) []Lesson {
	open := Conflicts(all)
	exact := map[string]int{}
	var list []Lesson
	for _, l := range all {
		if slices.ContainsFunc(open, func(c Conflict) bool { return c.One == l.Name || c.Other == l.Name }) {
			continue
		}
		n := l.concerns(paths)
		if n >= 0 || slices.ContainsFunc(roles, func(r board.Role) bool { return slices.Contains(l.Roles, string(r)) }) {
			exact[l.Name] = n
			list = append(list, l)
		}
	}
	slices.SortStableFunc(list, func(a, b Lesson) int {
		return cmp.Or(exact[b.Name]-exact[a.Name], cmp.Compare(a.Name, b.Name))
	})
	return list
}

// concerns says how many characters of a glob of the lesson that meets one of some paths
// are literal, -1 if none does.
func (l Lesson) concerns(paths []string) int {
	most := -1
	for _, pattern := range l.Paths {
		if slices.ContainsFunc(paths, func(p string) bool { return glob.Overlap(pattern, p) }) {
			most = max(most, len(pattern)-strings.Count(pattern, "*"))
		}
	}
	return most
}

// Within returns texts that are together no longer than some bytes, whole ones in their
// order, and says how many are left out.
func Within(texts []string, bytes int) (list []string, left int) {
	for _, text := range texts {
		if len(text) > bytes {
			left++
			continue
		}
		bytes -= len(text)
		list = append(list, text)
	}
	return list, left
}

// Told is a lesson as a prompt has it, with its source.
func (l Lesson) Told() string {
	return fmt.Sprintf("%s (%s, from %s)\n%s", l.Name, l.Path, strings.Join(l.Sources(), ", "), l.Text)
}
