package flow

import (
	"path"
	"strings"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
)

// checkGlobs refuses path patterns that are not clean or lead out of the
// repository.
func checkGlobs(globs []string, hint string) *Refusal {
	return firstRefusal(globs, func(g string) *Refusal { return checkGlob(g, hint) })
}

func checkGlob(g, hint string) *Refusal {
	plain := strings.TrimSuffix(g, "/")
	if plain == "" || strings.HasPrefix(g, "/") || path.Clean(plain) != plain ||
		plain == "." || plain == ".." || strings.HasPrefix(plain, "../") {
		return refuse(RuleForm, hint, "%q is not a clean path pattern relative to the repository", board.Clip(g))
	}
	for _, segment := range strings.Split(plain, "/") {
		if _, err := path.Match(segment, ""); err != nil {
			return refuse(RuleForm, hint, "%q is not a path pattern: %v", board.Clip(g), err)
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
		if glob.Parse(g).Vast {
			return refuse(RuleLimit, hint, "%s has the path pattern %q: at most %d segments are allowed, %d of them **", what, board.Clip(g), glob.MaxSegments, glob.MaxStars)
		}
		total += len(g)
	}
	if total > glob.MaxBytes {
		return refuse(RuleLimit, hint, "the path patterns of %s have %d bytes, at most %d are allowed", what, total, glob.MaxBytes)
	}
	return nil
}
