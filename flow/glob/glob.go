// Package glob is about patterns of paths: which paths they match, and whether two of them
// match some path in common.
package glob

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/git-liza/git-liza/flow/lists"
)

// A Glob is a path pattern, parsed once for many comparisons.
type Glob struct {
	Text        string // as it was written
	literal     int    // length before its first wildcard
	segments    []string
	first, last int  // places of its first and last **, -1 if it has none
	Vast        bool // beyond MaxSegments or MaxStars
}

// Bounds of the globs of a task, checked when they are written. Within them the
// comparison of two tasks takes milliseconds at worst. The longest path that
// Windows accepts by default has 260 bytes.
const (
	MaxSegments = 32
	MaxStars    = 4       // ** in one glob
	MaxBytes    = 8 << 10 // bytes of all globs of a list
)

// Parse is the glob of a text. Any text is one: [path.Match] says which are malformed.
func Parse(text string) Glob {
	g := Glob{Text: text, literal: LiteralLength(text), segments: Segments(text), first: -1}
	g.last, g.first = lastAny(g.segments), slices.Index(g.segments, AnySegments)
	g.Vast = len(g.segments) > MaxSegments || stars(g.segments) > MaxStars
	return g
}

// ParseAll are the globs of several texts.
func ParseAll(texts []string) []Glob {
	return lists.Of(texts, Parse)
}

// AnySegments matches any number of whole segments.
const AnySegments = "**"

func stars(segments []string) int {
	return len(lists.Where(segments, func(s string) bool { return s == AnySegments }))
}

func lastAny(segments []string) int {
	for i := len(segments) - 1; i >= 0; i-- {
		if segments[i] == AnySegments {
			return i
		}
	}
	return -1
}

// Match reports whether a path matches a glob, segment by segment: *, ? and […]
// match inside a segment, ** matches any number of whole segments, and a slash
// at the end matches everything below.
func Match(pattern, name string) bool {
	return Parse(pattern).Matches(name)
}

// Overlap reports whether some path can match both globs, which are of the form that
// [Match] takes.
func Overlap(one, other string) bool {
	return Parse(one).overlaps(Parse(other), true, new(int))
}

// Matches reports whether the glob matches a path.
func (g Glob) Matches(name string) bool {
	parts := strings.Split(name, "/")
	return align(g, Glob{segments: parts, first: slices.Index(parts, AnySegments), last: lastAny(parts)}, matchSegment)
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
func (g Glob) overlaps(other Glob, doubt bool, spent *int) bool {
	*spent++
	if n := min(g.literal, other.literal); g.Text[:n] != other.Text[:n] {
		return false
	}
	n, m := len(g.segments), len(other.segments)
	*spent += min(n, m)
	if (g.first < 0) != (other.first < 0) {
		if g.Vast || other.Vast {
			return doubt && alignEnds(g, other, overlapSegment)
		}
		*spent += n * m / 4 // a run of half of the segments, tried at half of the positions
	}
	return align(g, other, overlapSegment)
}

const wild = `*?[\`

// LiteralLength is the length of a glob before its first wildcard.
func LiteralLength(glob string) int {
	if i := strings.IndexAny(glob, wild); i >= 0 {
		return i
	}
	return len(glob)
}

// Segments splits a glob. A ** at its end matches what lies below a folder, not
// the folder itself, so that one more segment is needed.
func Segments(glob string) []string {
	if strings.HasSuffix(glob, "/") {
		glob += AnySegments
	}
	list := strings.Split(glob, "/")
	if list[len(list)-1] == AnySegments {
		list = append(list, "*")
	}
	return list
}

// align reports whether the segments of both match side by side; ** matches any
// number of segments of the other. It is linear unless only one of them has **:
// then it searches the other for each run of segments between two **.
func align(a, b Glob, same func(x, y string) bool) bool {
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
func alignEnds(a, b Glob, same func(x, y string) bool) bool {
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
func before(g Glob) int {
	if g.first < 0 {
		return len(g.segments)
	}
	return g.first
}

// findRuns searches the names between the ends of a glob for the runs between
// its **, and takes the first position of each.
func findRuns(g Glob, names []string, same func(x, y string) bool) bool {
	names = names[g.first : len(names)-(len(g.segments)-1-g.last)]
	runs := g.segments[g.first : g.last+1]
	for len(runs) > 0 {
		runs = runs[1:] // a **
		n := slices.Index(runs, AnySegments)
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

// FirstOverlap finds the first pair of globs that overlap; doubt and spent are
// as in [Glob.overlaps].
func FirstOverlap(mine, theirs []Glob, doubt bool, spent *int) (a, b string, ok bool) {
	for _, a := range mine {
		for _, b := range theirs {
			if a.overlaps(b, doubt, spent) {
				return a.Text, b.Text, true
			}
		}
	}
	return "", "", false
}

// FirstFileOverlap is overlapping for paths as they are, or in upper or lower case and another
// Unicode form: some file systems take those for the same file, and a board is used on several.
func FirstFileOverlap(mine, theirs []Glob, doubt bool, spent *int) (a, b string, ok bool) {
	if a, b, ok = FirstOverlap(mine, theirs, doubt, spent); ok {
		return a, b, ok
	}
	same := lists.Of(theirs, Glob.folded)
	for _, one := range mine {
		is := one.folded()
		if i := slices.IndexFunc(same, func(other Glob) bool { return is.overlaps(other, doubt, spent) }); i >= 0 {
			return one.Text, theirs[i].Text, true
		}
	}
	return "", "", false
}

// folded is the glob of which texts that a file system may take for the same are equal. A segment
// in which one character stands for others, and one that is not UTF-8, stay as they are.
func (g Glob) folded() Glob {
	parts := strings.Split(g.Text, "/")
	for i, part := range parts {
		if strings.ContainsAny(unescaped.Replace(part), "?[") || !utf8.ValidString(part) {
			continue
		}
		parts[i] = norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFD.String(part))))
	}
	return Parse(strings.Join(parts, "/"))
}

var unescaped = strings.NewReplacer(`\\`, "", `\[`, "", `\?`, "")

// MatchesAny reports whether one of the globs matches a path.
func MatchesAny(globs []Glob, name string) bool {
	return slices.ContainsFunc(globs, func(g Glob) bool { return g.Matches(name) })
}

// Quote is a glob that only this path matches.
func Quote(path string) string { return globEscaper().Replace(path) }

var globEscaper = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)
})
