package gitstore

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// moveAuthor is a regular expression for the author of moves and of commits by
// agents.
const moveAuthor = "@liza[.]invalid>"

// A stray is an integration branch that is not where the board says.
type stray struct {
	branch string // its name
	ref    string // the name of its tip for adopt
	remote string // the remote of the branch, "" for this clone
	now    git.ID // "" where it is gone
	want   git.ID
}

// StrayHint is the command to type if this clone's integration branch is at now
// ("" if it is gone) and the board says otherwise. The command puts unreviewed
// work aside. The command that adopts it follows as a shell comment, because it
// would help an agent past the review.
func (s *Settler) StrayHint(ctx context.Context, b *board.Board, now git.ID) string {
	branch := b.Settings().Integration
	return s.strayHint(ctx, b, stray{branch: branch.Name, ref: git.ShortBranch(ctx, s.repo, branch.Name), now: now, want: branch.Tip})
}

// RemoteStrayHint is the same for the integration branch of a remote, as last
// fetched.
func (s *Settler) RemoteStrayHint(ctx context.Context, b *board.Board, remote string, now git.ID) string {
	branch := b.Settings().Integration
	return s.strayHint(ctx, b, stray{branch: branch.Name, ref: layout.RemoteRef(remote, "integration"), remote: remote, now: now, want: branch.Tip})
}

func (s *Settler) strayHint(ctx context.Context, b *board.Board, at stray) string {
	adopt := "git liza adopt " + at.ref + " --reason R"
	if at.now == "" {
		return s.putBackHint(ctx, at)
	}
	if ahead, err := s.repo.IsAncestor(ctx, at.want, at.now); err != nil || !ahead {
		return s.putBackHint(ctx, at)
	}
	if unreviewed, err := s.Unreviewed(ctx, b, at.want, at.now); err == nil && !unreviewed {
		return adopt
	}
	return s.putBackHint(ctx, at) + " # or, if you made that commit yourself: " + adopt
}

// putBackHint is the command that moves the branch to where the board has it,
// and keeps the commits that only the branch had.
func (s *Settler) putBackHint(ctx context.Context, at stray) string {
	if at.remote == "" {
		return "git liza doctor --restore"
	}
	ref := "refs/heads/" + at.branch
	push := fmt.Sprintf("%s %s:%s", at.remote, at.want, ref)
	if at.now == "" {
		return "git push " + push
	}
	if behind, err := s.repo.IsAncestor(ctx, at.now, at.want); err == nil && behind {
		return "git push " + push
	}
	return fmt.Sprintf("git branch %s-outside-%s %s && git push --force-with-lease=%s:%s %s", at.branch, at.now.Short(), at.now, ref, at.now, push)
}

// Unreviewed reports whether the commits between two commits include one that
// an agent made, or that is on a task's branch, and that is not part of an
// approved submission. It is an error if git cannot tell.
func (s *Settler) Unreviewed(ctx context.Context, b *board.Board, from, to git.ID) (bool, error) {
	span := []string{"rev-list", string(to), "^" + string(from)}
	for _, t := range b.Tasks() {
		if !flow.Allows(t.Status, board.ActMerge) {
			continue
		}
		full := b.Task(t.ID)
		if full == nil || !full.Judged() {
			continue
		}
		if err := ctx.Err(); err != nil {
			return true, err
		}
		if _, here, err := s.history.findCommit(full.Submission.Commit); err == nil && here {
			span = append(span, "^"+string(full.Submission.Commit))
		}
	}
	if err := b.Err(); err != nil {
		return true, err
	}
	lists := make([]string, 0, 3)
	for _, only := range [][]string{
		{"--max-count=1", "--author=" + moveAuthor},
		{"--count"},
		{"--count", "--not", "--glob=" + layout.TaskRefs + "*", "--glob=" + layout.SavedRefs + "*"},
	} {
		out, err := s.repo.Git(ctx, append(span[:len(span):len(span)], only...)...)
		if err != nil {
			return true, err
		}
		lists = append(lists, strings.TrimSpace(string(out)))
	}
	return lists[0] != "" || lists[1] != lists[2], nil
}

// A Lead is what one commit has that another one lacks, as one process of git tells.
type Lead struct {
	Commits int  // that are no merges
	Onto    bool // it contains the other
	Apart   bool // the two have no common history
	Cut     bool // there are more than were counted, and nothing else is known

	all     int  // with merges
	byAgent bool // an agent made one of them
}

// leadFormat is how git lists the commits of a lead: the parents, and the author.
const leadFormat = "%P%x00<%ae>"

// Lead counts what to has that from lacks, up to most commits.
func (s *Settler) Lead(ctx context.Context, from, to git.ID, most int) (l Lead, err error) {
	out, err := s.repo.Git(ctx, "rev-list", "--boundary", "--max-count="+strconv.Itoa(most+1), "--format="+leadFormat, string(to), "^"+string(from), "--")
	if err != nil {
		return Lead{}, err
	}
	l.Apart = true
	edge := false
	for line := range strings.Lines(string(out)) {
		id, isCommit := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "commit ")
		if isCommit {
			id, edge = strings.CutPrefix(id, "-")
			l.Apart = l.Apart && !edge
			l.Onto = l.Onto || edge && git.ID(id) == from
			continue
		}
		parents, author, _ := strings.Cut(line, "\x00")
		if edge {
			continue
		}
		l.all++
		l.byAgent = l.byAgent || madeByAgent().MatchString(author)
		if !strings.Contains(parents, " ") {
			l.Commits++
		}
	}
	if l.all > most {
		return Lead{Commits: most, Cut: true}, nil
	}
	return l, nil
}

// madeByAgent matches what moveAuthor matches.
var madeByAgent = pattern.Late(moveAuthor)

// LeadUnreviewed is [Settler.Unreviewed] for a lead of to over from, which answers most of
// its questions.
func (s *Settler) LeadUnreviewed(ctx context.Context, b *board.Board, l Lead, from, to git.ID) (bool, error) {
	if l.Cut || l.byAgent {
		return s.Unreviewed(ctx, b, from, to)
	}
	out, err := s.repo.Git(ctx, "rev-list", "--count", string(to), "^"+string(from), "--not", "--glob="+layout.TaskRefs+"*", "--glob="+layout.SavedRefs+"*")
	if err == nil && strings.TrimSpace(string(out)) == strconv.Itoa(l.all) {
		return false, nil
	}
	return s.Unreviewed(ctx, b, from, to)
}

// CheckAstray returns a *flow.Refusal if the remote's integration branch, as
// last fetched, is where only something other than the board can have moved it.
// Only a merge needs to heed it. A host that runs no hooks allows it.
func (m *Mirror) CheckAstray(ctx context.Context) error {
	name, err := m.history.Authority(ctx)
	if err != nil || name == "" {
		return err
	}
	b, _, err := m.history.Board(ctx)
	if err != nil {
		return err
	}
	branch := b.Settings().Integration
	there, err := m.repo.Refs.Resolve(ctx, layout.RemoteRef(name, "integration"))
	if err != nil || there == "" || board.ObjectID(there) == branch.Tip {
		return err
	}
	return &flow.Refusal{Rule: flow.RuleTip, Hint: m.settler.RemoteStrayHint(ctx, b, name, there),
		Reason: fmt.Sprintf("%s of %s is at %s, where no approved merge has brought it: the board has it at %s", branch.Name, name, there.Short(), branch.Tip.Short())}
}
