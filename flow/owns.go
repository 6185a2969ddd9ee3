package flow

import (
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/git-liza/git-liza/flow/lists"
)

// A glob is a path pattern, parsed once for many comparisons.
type glob struct {
	text        string
	literal     int // length before its first wildcard
	segments    []string
	first, last int // places of its first and last **, -1 if it has none
	vast        bool
}

// Bounds of the globs of a task, checked when they are written. Within them the
// comparison of two tasks takes milliseconds at worst. The longest path that
// Windows accepts by default has 260 bytes.
const (
	maxSegments = 32
	maxStars    = 4       // ** in one glob
	maxGlobs    = 8 << 10 // bytes of all globs of a list
)

func parseGlob(text string) glob {
	g := glob{text: text, literal: literal(text), segments: segments(text), first: -1}
	g.last, g.first = lastAny(g.segments), slices.Index(g.segments, anySegments)
	g.vast = len(g.segments) > maxSegments || stars(g.segments) > maxStars
	return g
}

func parseGlobs(texts []string) []glob {
	return lists.Of(texts, parseGlob)
}

// anySegments matches any number of whole segments.
const anySegments = "**"

func stars(segments []string) int {
	return len(lists.Where(segments, func(s string) bool { return s == anySegments }))
}

func lastAny(segments []string) int {
	for i := len(segments) - 1; i >= 0; i-- {
		if segments[i] == anySegments {
			return i
		}
	}
	return -1
}

// Match reports whether a path matches a glob, segment by segment: *, ? and […]
// match inside a segment, ** matches any number of whole segments, and a slash
// at the end matches everything below.
func Match(pattern, name string) bool {
	return parseGlob(pattern).matches(name)
}

// Overlap reports whether some path can match both globs, which are of the form that
// [Match] takes.
func Overlap(one, other string) bool {
	return parseGlob(one).overlaps(parseGlob(other), true, new(int))
}

func (g glob) matches(name string) bool {
	parts := strings.Split(name, "/")
	return align(g, glob{segments: parts, first: slices.Index(parts, anySegments), last: lastAny(parts)}, matchSegment)
}

func matchSegment(g, n string) bool {
	if g == "*" {
		return true
	}
	ok, err := path.Match(g, n)
	return ok && err == nil
}

// overlaps reports whether some path can match both globs. doubt is the answer
// if one of them exceeds the bounds and comparing both ends does not decide.
// spent grows by the number of segments that may have been compared.
func (g glob) overlaps(other glob, doubt bool, spent *int) bool {
	*spent++
	if n := min(g.literal, other.literal); g.text[:n] != other.text[:n] {
		return false
	}
	n, m := len(g.segments), len(other.segments)
	*spent += min(n, m)
	if (g.first < 0) != (other.first < 0) {
		if g.vast || other.vast {
			return doubt && alignEnds(g, other, overlapSegment)
		}
		*spent += n * m / 4 // a run of half of the segments, tried at half of the positions
	}
	return align(g, other, overlapSegment)
}

const wild = `*?[\`

// literal is the length of a glob before its first wildcard.
func literal(glob string) int {
	if i := strings.IndexAny(glob, wild); i >= 0 {
		return i
	}
	return len(glob)
}

// segments splits a glob. A ** at its end matches what lies below a folder, not
// the folder itself, so that one more segment is needed.
func segments(glob string) []string {
	if strings.HasSuffix(glob, "/") {
		glob += anySegments
	}
	list := strings.Split(glob, "/")
	if list[len(list)-1] == anySegments {
		list = append(list, "*")
	}
	return list
}

// align reports whether the segments of both match side by side; ** matches any
// number of segments of the other. It is linear unless only one of them has **:
// then it searches the other for each run of segments between two **.
func align(a, b glob, same func(x, y string) bool) bool {
	if !alignEnds(a, b, same) {
		return false
	}
	switch {
	case a.first < 0 && b.first < 0, a.first >= 0 && b.first >= 0:
		return true // the ** of each matches the middle of the other
	case a.first < 0:
		return findRuns(b, a.segments, func(x, y string) bool { return same(y, x) })
	}
	return findRuns(a, b.segments, same)
}

// alignEnds compares the segments before the first ** of either and after the
// last.
func alignEnds(a, b glob, same func(x, y string) bool) bool {
	n, m := len(a.segments), len(b.segments)
	switch {
	case a.first < 0 && b.first < 0 && n != m, a.first >= 0 && b.first < 0 && n-stars(a.segments) > m,
		a.first < 0 && b.first >= 0 && m-stars(b.segments) > n:
		return false
	}
	for i := range min(before(a), before(b)) {
		if !same(a.segments[i], b.segments[i]) {
			return false
		}
	}
	if a.first < 0 && b.first < 0 {
		return true
	}
	for i := 1; i <= min(n-1-a.last, m-1-b.last); i++ {
		if !same(a.segments[n-i], b.segments[m-i]) {
			return false
		}
	}
	return true
}

// before is the number of segments before the first **.
func before(g glob) int {
	if g.first < 0 {
		return len(g.segments)
	}
	return g.first
}

// findRuns searches the names between the ends of a glob for the runs between
// its **, and takes the first position of each.
func findRuns(g glob, names []string, same func(x, y string) bool) bool {
	names = names[g.first : len(names)-(len(g.segments)-1-g.last)]
	runs := g.segments[g.first : g.last+1]
	for len(runs) > 0 {
		runs = runs[1:] // a **
		n := slices.Index(runs, anySegments)
		if n < 0 {
			return true
		}
		for !slices.EqualFunc(runs[:n], names[:min(n, len(names))], same) {
			if len(names) <= n {
				return false
			}
			names = names[1:]
		}
		runs, names = runs[n:], names[n:]
	}
	return true
}

func overlapSegment(a, b string) bool {
	if a == "*" || b == "*" {
		return true
	}
	i, j := strings.IndexAny(a, wild), strings.IndexAny(b, wild)
	switch {
	case i < 0 && j < 0:
		return a == b
	case i < 0:
		ok, err := path.Match(b, a)
		return ok || err != nil
	case j < 0:
		ok, err := path.Match(a, b)
		return ok || err != nil
	}
	if n := min(i, j); a[:n] != b[:n] {
		return false
	}
	if strings.ContainsAny(a, `[\`) || strings.ContainsAny(b, `[\`) {
		return true
	}
	x, y := a[strings.LastIndexAny(a, wild)+1:], b[strings.LastIndexAny(b, wild)+1:]
	n := min(len(x), len(y))
	return x[len(x)-n:] == y[len(y)-n:]
}

// checkGlobs refuses path patterns that are not clean or lead out of the
// repository.
func checkGlobs(globs []string, hint string) *Refusal {
	return firstRefusal(globs, func(g string) *Refusal { return checkGlob(g, hint) })
}

func checkGlob(g, hint string) *Refusal {
	plain := strings.TrimSuffix(g, "/")
	if plain == "" || strings.HasPrefix(g, "/") || path.Clean(plain) != plain ||
		plain == "." || plain == ".." || strings.HasPrefix(plain, "../") {
		return refuse(RuleForm, hint, "%q is not a clean path pattern relative to the repository", clip(g))
	}
	for _, segment := range strings.Split(plain, "/") {
		if _, err := path.Match(segment, ""); err != nil {
			return refuse(RuleForm, hint, "%q is not a path pattern: %v", clip(g), err)
		}
	}
	return nil
}

// GlobFault says why a text is no glob as tasks own them, "" if it is one.
func GlobFault(glob string) string {
	if r := checkGlob(glob, ""); r != nil {
		return r.Reason
	}
	if r := boundGlobs("the list", []string{glob}, ""); r != nil {
		return r.Reason
	}
	return ""
}

// boundGlobs refuses lists of globs that take long to compare. It applies when
// a move is made or admitted, not on replay.
func boundGlobs(what string, globs []string, hint string) *Refusal {
	total := 0
	for _, g := range globs {
		if parseGlob(g).vast {
			return refuse(RuleLimit, hint, "%s has the path pattern %q: at most %d segments are allowed, %d of them **", what, clip(g), maxSegments, maxStars)
		}
		total += len(g)
	}
	if total > maxGlobs {
		return refuse(RuleLimit, hint, "the path patterns of %s have %d bytes, at most %d are allowed", what, total, maxGlobs)
	}
	return nil
}

// overlapping finds the first pair of globs that overlap; doubt and spent are
// as in [glob.overlaps].
func overlapping(mine, theirs []glob, doubt bool, spent *int) (a, b string, ok bool) {
	for _, a := range mine {
		for _, b := range theirs {
			if a.overlaps(b, doubt, spent) {
				return a.text, b.text, true
			}
		}
	}
	return "", "", false
}

// overlappingFiles is overlapping for paths as they are, or in upper or lower case and another
// Unicode form: some file systems take those for the same file, and a board is used on several.
func overlappingFiles(mine, theirs []glob, doubt bool, spent *int) (a, b string, ok bool) {
	if a, b, ok = overlapping(mine, theirs, doubt, spent); ok {
		return a, b, ok
	}
	same := lists.Of(theirs, glob.folded)
	for _, one := range mine {
		is := one.folded()
		if i := slices.IndexFunc(same, func(other glob) bool { return is.overlaps(other, doubt, spent) }); i >= 0 {
			return one.text, theirs[i].text, true
		}
	}
	return "", "", false
}

// folded is the glob of which texts that a file system may take for the same are equal. A segment
// in which one character stands for others, and one that is not UTF-8, stay as they are.
func (g glob) folded() glob {
	parts := strings.Split(g.text, "/")
	for i, part := range parts {
		if strings.ContainsAny(unescaped.Replace(part), "?[") || !utf8.ValidString(part) {
			continue
		}
		parts[i] = norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFD.String(part))))
	}
	return parseGlob(strings.Join(parts, "/"))
}

var unescaped = strings.NewReplacer(`\\`, "", `\[`, "", `\?`, "")

func matchesAny(globs []glob, name string) bool {
	return slices.ContainsFunc(globs, func(g glob) bool { return g.matches(name) })
}
