package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// mostComparisons bounds the comparisons of path patterns, which otherwise grow with
// the square of their number.
const mostComparisons = 1_000_000

// pathFault says why a text cannot be the path of a file in a repository, "" if it can.
func pathFault(name string) string {
	clean := clean(name)
	switch {
	case name == "":
		return "is empty"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "has control characters"
	case strings.HasPrefix(name, "/"), clean == "..", strings.HasPrefix(clean, "../"):
		return "leads out of the repository"
	case clean == ".":
		return "is the whole repository"
	}
	if isInGit(clean) {
		return "is in a folder of git"
	}
	return ""
}

func isInGit(path string) bool {
	return slices.ContainsFunc(strings.Split(path, "/"), func(part string) bool { return strings.EqualFold(part, ".git") })
}

func clean(name string) string { return path.Clean(name) }

// A claim is a path or pattern that tasks write.
type claim struct {
	text    string // clean; of a folder with a slash at its end
	literal string // what all paths begin with that it matches
	exact   bool   // one path, not a pattern or folder
	tasks   []int  // in the order of work
}

// overlaps reports whether two claims, of which the literal part of the first begins that
// of the second, can be about one file. A file is in conflict with what lies in a folder
// of its name.
func (a *claim) overlaps(b *claim) bool {
	switch {
	case a.exact && b.exact:
		return strings.HasPrefix(b.text, a.text+"/")
	case a.exact:
		return glob.Match(b.text, a.text)
	case b.exact:
		return glob.Match(a.text, b.text)
	}
	return glob.Overlap(a.text, b.text)
}

// checkPaths checks the files of all tasks: each path alone, which tasks write the
// same, and whether what they change is there.
func (c *checker) checkPaths() {
	var u usage
	for i := range c.plan.Tasks {
		t := &c.plan.Tasks[i]
		for entry, name := range t.files().Create {
			if c.checkPath(i, "files.create", entry, name) {
				u.write(i, name)
				u.create(i, clean(name), Place{i, "files.create", entry})
			}
		}
		for entry, name := range t.files().Modify {
			if c.checkPath(i, "files.modify", entry, name) {
				u.write(i, name)
				u.uses = append(u.uses, use{Place{i, "files.modify", entry}, clean(name)})
			}
		}
		for entry, name := range t.files().Read {
			if c.checkPath(i, "files.read", entry, name) {
				u.uses = append(u.uses, use{Place{i, "files.read", entry}, clean(name)})
			}
		}
		for entry, pattern := range t.Owns {
			if isInGit(pattern) {
				c.add(Path, Place{i, "owns", entry}, "%s owns %q, which is in a folder of git", c.name(i), pattern)
			}
			u.own(i, pattern)
		}
	}
	claims := u.sorted(c.Graph)
	c.checkOwners(claims)
	c.warnOfCase(claims)
	c.checkFiles(&u, claims)
}

// checkPath reports whether a path can be that of a file.
func (c *checker) checkPath(i int, key string, entry int, name string) bool {
	reason := fileFault(name)
	if reason != "" {
		c.add(Path, Place{i, key, entry}, "the path %q of %s %s", name, c.name(i), reason)
	}
	return reason == ""
}

func fileFault(name string) string {
	if reason := pathFault(name); reason != "" {
		return reason
	}
	if strings.ContainsAny(name, "*?") {
		return "is a pattern: name the files, and put the pattern into owns"
	}
	return ""
}

// plainFiles are the files of a task without those that are no paths.
func (t *Task) plainFiles() *board.Files {
	isNone := func(name string) bool { return fileFault(name) != "" }
	f := t.files()
	for _, list := range []*[]string{&f.Create, &f.Modify, &f.Read} {
		*list = slices.DeleteFunc(slices.Clone(*list), isNone)
	}
	return &f
}

// A usage is which task writes, creates and uses which paths.
type usage struct {
	claims  map[string]*claim
	created map[string][]Place // by path
	folders map[string][]Place // of created files, by each folder above
	uses    []use
}

// A use of a path that must be there.
type use struct {
	Place
	path string
}

func (u *usage) write(i int, name string) {
	text := clean(name)
	if strings.HasSuffix(name, "/") {
		u.claim(claim{text: escape(text) + "/", literal: text + "/"}, i)
		return
	}
	u.claim(claim{text: text, literal: text, exact: true}, i)
}

// escape makes a pattern that matches one path only.
func escape(text string) string {
	return strings.NewReplacer(`\`, `\\`, `[`, `\[`, `*`, `\*`, `?`, `\?`).Replace(text)
}

func (u *usage) own(i int, pattern string) {
	text := clean(pattern)
	if strings.HasSuffix(pattern, "/") {
		text += "/"
	}
	wild := strings.IndexAny(text, `*?[\`)
	if wild < 0 && !strings.HasSuffix(text, "/") {
		u.claim(claim{text: text, literal: text, exact: true}, i)
		return
	}
	if wild < 0 {
		wild = len(text)
	}
	u.claim(claim{text: text, literal: text[:wild]}, i)
}

func (u *usage) claim(made claim, i int) {
	if u.claims == nil {
		u.claims = map[string]*claim{}
	}
	key := made.text
	if made.exact {
		key = "=" + key // pages/[id].ts is a path, and a pattern
	}
	if u.claims[key] == nil {
		u.claims[key] = &made
	}
	if known := u.claims[key]; !slices.Contains(known.tasks[max(0, len(known.tasks)-1):], i) {
		known.tasks = append(known.tasks, i)
	}
}

func (u *usage) create(i int, path string, at Place) {
	if u.created == nil {
		u.created, u.folders = map[string][]Place{}, map[string][]Place{}
	}
	u.created[path] = append(u.created[path], at)
	for above := parent(path); above != ""; above = parent(above) {
		if n := len(u.folders[above]); n == 0 || u.folders[above][n-1].Task != i {
			u.folders[above] = append(u.folders[above], at)
		}
	}
}

// parent is the folder of a path, "" at the top.
func parent(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return ""
}

// sorted returns the claims so that one whose literal part begins another's comes
// first, and those between them begin so too.
func (u *usage) sorted(g *Graph) []*claim {
	list := make([]*claim, 0, len(u.claims))
	for _, one := range u.claims {
		slices.SortFunc(one.tasks, func(a, b int) int { return g.turn[a] - g.turn[b] })
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b *claim) int {
		if n := strings.Compare(a.literal, b.literal); n != 0 {
			return n
		}
		return strings.Compare(a.text, b.text)
	})
	return list
}

// An overlap asks whether one of two tasks needs the other, because both write
// something.
type overlap struct {
	pair
	a, b *claim // the same for both if they write the same path or pattern
}

// checkOwners finds tasks of which neither needs the other and that write the same
// path. Of more than two it compares neighbours in the order of work: if each of these
// needs the one before, all are in order.
func (c *checker) checkOwners(claims []*claim) {
	var asked []overlap
	spent := 0
	for n, a := range claims {
		for at := 1; at < len(a.tasks); at++ {
			asked = append(asked, overlap{pair{a.tasks[at-1], a.tasks[at]}, a, a})
		}
		for _, b := range claims[n+1:] {
			if !strings.HasPrefix(b.literal, a.literal) {
				break
			}
			if spent++; spent > mostComparisons {
				c.add(Limit, Place{-1, "tasks", -1}, "the path patterns of the tasks take more than %d comparisons: let fewer of them begin with a wildcard", mostComparisons)
				return
			}
			if a.overlaps(b) {
				spent += len(a.tasks) + len(b.tasks)
				asked = c.across(asked, a, b)
			}
		}
	}
	pairs := make([]pair, len(asked))
	for n := range asked {
		pairs[n] = asked[n].pair
	}
	var wrong []pair // of tasks, the first of the file first
	shared := map[pair][]overlap{}
	for n, ordered := range c.precede(pairs) {
		p := pair{min(pairs[n].first, pairs[n].then), max(pairs[n].first, pairs[n].then)}
		if ordered {
			continue
		}
		if shared[p] == nil {
			wrong = append(wrong, p)
		}
		shared[p] = append(shared[p], asked[n])
	}
	for _, p := range wrong {
		first := shared[p][0]
		c.add(Ownership, c.placeOf(p.then, first.a, first.b), "%s and %s both write %s, and neither depends on the other",
			c.name(p.first), c.name(p.then), listOverlaps(shared[p]))
	}
}

func listOverlaps(list []overlap) string {
	const most = 5
	var names []string
	for _, one := range list[:min(len(list), most)] {
		a, b := one.a, one.b
		if b.exact {
			a, b = b, a
		}
		name := a.text
		if a != b {
			name += " (by " + b.text + ")"
		}
		names = append(names, name)
	}
	text := strings.Join(names, ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// placeOf is where a task names the path or pattern of one of some claims.
func (c *checker) placeOf(i int, claims ...*claim) Place {
	t := &c.plan.Tasks[i]
	for _, list := range []struct {
		key   string
		names []string
	}{{"files.create", t.files().Create}, {"files.modify", t.files().Modify}, {"owns", t.Owns}} {
		for entry, name := range list.names {
			for _, one := range claims {
				if clean(name) == strings.TrimSuffix(one.text, "/") {
					return Place{i, list.key, entry}
				}
			}
		}
	}
	return Place{i, "", -1}
}

// across asks for neighbours of which one has the one claim and one the other.
func (c *checker) across(asked []overlap, a, b *claim) []overlap {
	tasks := slices.Concat(a.tasks, b.tasks)
	slices.SortFunc(tasks, func(x, y int) int { return c.turn[x] - c.turn[y] })
	tasks = slices.Compact(tasks)
	has := func(one *claim, i int) bool {
		_, found := slices.BinarySearchFunc(one.tasks, c.turn[i], func(j, turn int) int { return c.turn[j] - turn })
		return found
	}
	for n := 1; n < len(tasks); n++ {
		x, y := tasks[n-1], tasks[n]
		if has(a, x) && has(b, y) || has(b, x) && has(a, y) {
			asked = append(asked, overlap{pair{x, y}, a, b})
		}
	}
	return asked
}

// warnOfCase warns of paths that are one file where names ignore case.
func (c *checker) warnOfCase(claims []*claim) {
	seen := map[string]*claim{}
	for _, one := range claims {
		folded := strings.ToLower(one.text)
		other := seen[folded]
		if other == nil {
			seen[folded] = one
		} else if other.text != one.text {
			c.faults = append(c.faults, warningAt(Case, c.placeOf(one.tasks[0], one), "%s and %s are one file on systems that ignore case", other.text, one.text))
		}
	}
}
