package supervise

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// orderOf says by the order of the commits of a submission of code whether its tests came
// first, and whether work of the iteration is older than its intent; "" if there is nothing to say.
func orderOf(ctx context.Context, repo *git.Repo, b *flow.Board, t *flow.Task) (string, error) {
	if t.Kind != flow.Code || t.Intent == nil {
		return "", nil
	}
	out, err := repo.Git(ctx, "log", "--reverse", "--topo-order", "--no-merges", "--name-only", "-z", "--format=%x01%H %ct", string(t.Submission.Base)+".."+string(t.Submission.Commit), "--")
	if err != nil {
		return "", err
	}
	late, begun := "", !strings.Contains(string(out), "\x01"+string(t.Intent.Tip)+" ")
	first := map[bool]string{} // by whether it changes tests
	order := ""
	for _, commit := range strings.Split(string(out), "\x01")[1:] {
		fields := strings.FieldsFunc(commit, func(r rune) bool { return r == 0 || r == '\n' })
		id, date, _ := strings.Cut(fields[0], " ")
		short := flow.ObjectID(id).Short()
		if at, _ := strconv.ParseInt(date, 10, 64); begun && late == "" && at < t.Intent.At.Unix() {
			late = "; " + short + " is older than the intent"
		}
		begun = begun || id == string(t.Intent.Tip)
		for _, path := range fields[1:] {
			isTest := slices.ContainsFunc(b.Settings().Config.Tests, func(glob string) bool { return flow.Match(glob, path) })
			if first[isTest] == "" {
				first[isTest], order = short, map[bool]string{true: "code first, then tests", false: "tests first, then code"}[isTest]
			}
		}
	}
	switch {
	case first[true] == "" || first[false] == "":
		order = ""
	case first[true] == first[false]:
		order = "tests and code in one commit"
	}
	return strings.TrimPrefix(order+late, "; "), nil
}
