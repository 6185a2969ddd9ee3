package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/glob"
)

// checkFiles holds what tasks create and use against the tree and against what other
// tasks create.
func (c *checker) checkFiles(u *usage, claims []*claim) {
	c.checkCreated(u.created)
	patterns := slices.DeleteFunc(claims, func(one *claim) bool { return one.exact })
	var pairs []pair
	var asked []use
	for _, one := range u.uses {
		maker, made := c.maker(u, one)
		switch {
		case made && maker == one.Task:
		case made && c.find(one.path) == Nothing:
			if one.Key == "files.modify" { // tasks in no order write the same path: that is told already
				pairs = append(pairs, pair{one.Task, maker})
			} else {
				pairs = append(pairs, pair{maker, one.Task})
			}
			asked = append(asked, one)
		case made:
		case c.ground.Find != nil:
			c.checkThere(one, patterns)
		}
	}
	for n, ordered := range c.precede(pairs) {
		one, modify := asked[n], asked[n].Key == "files.modify"
		if ordered != modify {
			continue
		}
		maker := pairs[n].first
		if modify {
			maker = pairs[n].then
		}
		c.add(File, one.Place, "%s uses %s, which %s creates, and does not depend on it", c.name(one.Task), one.path, c.name(maker))
	}
}

// maker is the first task that creates a path, or something in a folder of its name.
func (c *checker) maker(u *usage, one use) (task int, made bool) {
	places := u.created[one.path]
	if one.Key == "files.read" {
		places = slices.Concat(places, u.folders[one.path])
	}
	if len(places) == 0 {
		return 0, false
	}
	first := slices.MinFunc(places, func(a, b Place) int { return c.turn[a.Task] - c.turn[b.Task] })
	return first.Task, true
}

// checkCreated checks the paths that tasks create.
func (c *checker) checkCreated(created map[string][]Place) {
	var pairs []pair
	var again []Place
	for _, path := range slices.Sorted(maps.Keys(created)) {
		places := created[path]
		for _, at := range places {
			if c.isNamed(at.Task, path) {
				continue
			}
			if c.find(path) != Nothing {
				c.add(File, at, "%s creates %s, which is there already", c.name(at.Task), path)
				continue
			}
			c.checkAbove(at, path)
		}
		slices.SortStableFunc(places, func(a, b Place) int { return c.turn[a.Task] - c.turn[b.Task] })
		for n := 1; n < len(places); n++ {
			pairs, again = append(pairs, pair{places[n-1].Task, places[n].Task}), append(again, places[n])
		}
	}
	for n, ordered := range c.precede(pairs) {
		if at, first := again[n], pairs[n].first; ordered || first == at.Task {
			path := clean(c.plan.Tasks[at.Task].Files.Create[at.Entry])
			c.add(File, at, "%s creates %s, which %s has created before", c.name(at.Task), path, c.name(first))
		}
	}
}

// checkThere checks a path that no task creates.
func (c *checker) checkThere(one use, patterns []*claim) {
	if c.isNamed(one.Task, one.path) || c.find(one.path) != Nothing || c.ground.Owned != nil && c.ground.Owned(one.path) {
		return
	}
	mayBeMade := slices.ContainsFunc(patterns, func(other *claim) bool {
		return strings.HasPrefix(one.path, other.literal) && glob.Match(other.text, one.path) &&
			slices.ContainsFunc(other.tasks, func(i int) bool { return i != one.Task })
	})
	if !mayBeMade && c.checkAbove(one.Place, one.path) {
		c.add(File, one.Place, "%s uses %s, which is not there, and no task creates it", c.name(one.Task), one.path)
	}
}

// checkAbove reports whether a path that is not there has no file or link above it.
func (c *checker) checkAbove(at Place, path string) bool {
	for above := parent(path); above != ""; above = parent(above) {
		found := c.find(above)
		if found == Folder {
			return true
		}
		if found != Nothing {
			c.add(Path, at, "the path %s of %s leads through %s, which is a file or a link", path, c.name(at.Task), above)
			return false
		}
	}
	return true
}

// isNamed reports whether a file of a task may be there, and may be missing: the board's
// task names it, so that its work may be done, or the task does reverted work again.
func (c *checker) isNamed(i int, path string) bool {
	t := &c.plan.Tasks[i]
	return t.Reopens != "" || c.ground.Names != nil && c.ground.Names(t.ID, path)
}

func (c *checker) find(path string) Found {
	if c.ground.Find == nil {
		return Nothing
	}
	return c.ground.Find(path)
}
