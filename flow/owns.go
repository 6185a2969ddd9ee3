package flow

import (
	"path"
	"strings"
)

// Match reports whether a path lies under a glob: segment by segment, with *,
// ? and […] inside a segment, ** for any number of whole segments, and a
// slash at the end for everything below.
func Match(glob, name string) bool {
	return align(segments(glob), strings.Split(name, "/"), func(g, n string) bool {
		ok, err := path.Match(g, n)
		return ok && err == nil
	})
}

// Overlap reports whether some path may match both globs. It may err only
// towards yes: two segments with wildcards are taken to overlap unless their
// literal beginnings or endings differ.
func Overlap(a, b string) bool {
	if n := min(literal(a), literal(b)); a[:n] != b[:n] {
		return false
	}
	return align(segments(a), segments(b), overlapSegment)
}

const wild = `*?[\`

// literal is the length of a glob before its first wildcard.
func literal(glob string) int {
	if i := strings.IndexAny(glob, wild); i >= 0 {
		return i
	}
	return len(glob)
}

// segments splits a glob; what ends in ** matches what lies below, not the
// folder itself, so one segment is then needed.
func segments(glob string) []string {
	if strings.HasSuffix(glob, "/") {
		glob += "**"
	}
	list := strings.Split(glob, "/")
	if list[len(list)-1] == "**" {
		list = append(list, "*")
	}
	return list
}

// align reports whether the two can be laid side by side, ** standing for any
// number of segments of the other; quadratic, whatever the pattern.
func align(a, b []string, same func(x, y string) bool) bool {
	below := make([]bool, len(b)+1) // a[i+1:] against each rest of b
	for i := len(a); i >= 0; i-- {
		row := make([]bool, len(b)+1)
		for j := len(b); j >= 0; j-- {
			switch {
			case i == len(a) && j == len(b):
				row[j] = true
			case i < len(a) && a[i] == "**":
				row[j] = below[j] || j < len(b) && row[j+1]
			case j < len(b) && b[j] == "**":
				row[j] = row[j+1] || i < len(a) && below[j]
			case i < len(a) && j < len(b):
				row[j] = same(a[i], b[j]) && below[j+1]
			}
		}
		below = row
	}
	return below[0]
}

func overlapSegment(a, b string) bool {
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

// checkGlobs refuses what is not a clean path pattern below the repository.
func checkGlobs(globs []string, hint string) *Refusal {
	for _, g := range globs {
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
	}
	return nil
}

// overlapping finds the first pair of globs that overlap.
func overlapping(mine, theirs []string) (a, b string, ok bool) {
	for _, a = range mine {
		for _, b = range theirs {
			if Overlap(a, b) {
				return a, b, true
			}
		}
	}
	return "", "", false
}

func matchesAny(globs []string, name string) bool {
	for _, g := range globs {
		if Match(g, name) {
			return true
		}
	}
	return false
}

// quotePath makes a path safe to paste into a shell from a hint.
func quotePath(name string) string {
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
