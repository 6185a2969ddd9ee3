package supervise

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/templates"
)

// orderOf says by the order of the commits of a submission of code whether its tests came
// first; "" if it has not both.
func orderOf(ctx context.Context, repo *git.Repo, b *board.Board, t *board.Task) (string, error) {
	if t.Kind != board.Code {
		return "", nil
	}
	out, err := repo.Git(ctx, "log", "--reverse", "--topo-order", "--no-merges", "--name-only", "-z", "--format=%x01", string(t.Submission.Base)+".."+string(t.Submission.Commit), "--")
	first := map[bool]int{} // the number of a commit, by whether it changes tests
	for n, commit := range strings.Split(string(out), "\x01") {
		for _, path := range strings.FieldsFunc(commit, func(r rune) bool { return r == 0 || r == '\n' }) {
			isTest := slices.ContainsFunc(b.Settings().Config.Tests, func(pattern string) bool { return glob.Match(pattern, path) })
			first[isTest] = cmp.Or(first[isTest], n)
		}
	}
	switch tests, code := first[true], first[false]; {
	case tests == 0 || code == 0:
		return "", err
	case tests == code:
		return "tests and code in one commit", err
	case tests < code:
		return "tests first, then code", err
	}
	return "code first, then tests", err
}

// readJudged puts the submission of its task into a prompt, and of what the patterns of loads name
// the paths that the checkout of its review has as integration has them.
func readJudged(ctx context.Context, repo *git.Repo, b *board.Board, loads []string, in *templates.Input) (err error) {
	sub := in.Task.Submission
	if in.Order, err = orderOf(ctx, repo, b, in.Task); err == nil {
		err = readSubmission(ctx, repo, sub, in)
	}
	if err != nil {
		return err
	}
	withheld, err := work.Withheld(ctx, repo, b.Settings().Integration.Tip, sub.Commit, loads)
	for _, c := range withheld {
		had, err := repo.BlobAt(ctx, sub.Base, c.Path)
		switch { // what the base lacks integration has since
		case c.Mode != 0:
			in.Withheld = append(in.Withheld, c.Path)
		case had != "" || err != nil:
			in.Withheld = append(in.Withheld, c.Path+" (deleted)")
		}
	}
	return err
}

// readSubmission puts the commits and the changes of a submission into a prompt.
func readSubmission(ctx context.Context, repo *git.Repo, sub *board.Submission, in *templates.Input) error {
	out, err := repo.Git(ctx, "log", "--reverse", "--topo-order", "--no-color", "--no-show-signature", "--max-count=100", "--format=%h by %an: %B", string(sub.Base)+".."+string(sub.Commit), "--")
	if err != nil {
		return err
	}
	in.Log = templates.Cutting(string(out), largestChange/4)
	left := largestChange - len(in.Log.Text)
	out, _, err = repo.Differ.DiffStart(ctx, int64(left)+1, string(sub.Base), string(sub.Commit), "--")
	in.Diff = templates.Cutting(string(out), left)
	return err
}
