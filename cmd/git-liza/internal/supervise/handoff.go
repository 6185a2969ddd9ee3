package supervise

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/worktrees"
)

// handoffRequest is what an agent is told that shall leave its work to another session.
func handoffRequest(id board.TaskID) string {
	return fmt.Sprintf(`Your context is nearly full. Do not go on with the task: another session will. Commit what is good, leave a handoff, and end your turn:

git liza handoff %s --summary SUMMARY --next-action PHRASE --approach TEXT --dead-end TEXT
`, id)
}

// leaveHandoff records a handoff for an agent that left none: what it committed, what it
// did not, and what it said last.
func leaveHandoff(ctx context.Context, reg *registration, a *assignment, ending provider.Ending) error {
	h := board.Handoff{Summary: "the agent's context was used up before it left a handoff", NextAction: "look at the worktree and go on from there"}
	if tail := lastOutput(ending.Excerpt); tail != "" {
		h.Approach = "its last output: " + tail
	}
	committed, err := committedText(ctx, reg.clone, a)
	if err != nil {
		return err
	}
	b, _, err := reg.clone.Store.Board(ctx)
	if err != nil {
		return err
	}
	h.Summary += committed + explainWorktree(ctx, reg.clone, a)
	for _, text := range []*string{&h.Summary, &h.Approach} {
		*text = board.Excerpt(reg.rush.mask.String(*text), min(maxSessionError, b.Settings().Config.TextLimit))
	}
	_, err = reg.clone.Make(ctx, board.ActHandoff, a.task.ID, &flow.HandoffMove{Handoff: h})
	return err
}

// maxCommitted is how many commits a handoff of the supervisor names, the latest ones.
const maxCommitted = 10

// committedText returns what the attempt has committed: "" or lines that each begin with
// a line feed.
func committedText(ctx context.Context, c *work.Clone, a *assignment) (string, error) {
	if a.task.Attempt == nil {
		return "", nil
	}
	base := a.task.Attempt.Base
	head, err := c.Repo.Refs.Resolve(ctx, "refs/heads/"+a.taskID().Branch())
	if err != nil || head == "" || head == base {
		return "", err
	}
	out, err := c.Repo.Git(ctx, "log", "--format=%h %s", "--max-count="+strconv.Itoa(maxCommitted), string(base)+".."+string(head), "--")
	if err != nil {
		return "", err
	}
	return "\nCommitted, the latest first:\n" + strings.TrimSpace(string(out)), nil
}

// explainWorktree returns what the next prompt says about the worktree that a session
// left: "" or lines that each begin with a line feed.
func explainWorktree(ctx context.Context, c *work.Clone, a *assignment) string {
	var b strings.Builder
	status, err := c.Checkouts.Trees.Contents.Status(ctx, a.dir)
	switch {
	case worktrees.Missing(a.dir): // repair adds it
	case err != nil:
		fmt.Fprintf(&b, "\nThe worktree cannot be read: %v", err)
	case !status.Clean():
		changed := status.Changed()
		fmt.Fprintf(&b, "\n%d files are not committed: %s", len(changed), git.VisibleList(changed, 10))
	case a.task.Attempt != nil && status.Head == a.task.Attempt.Base:
		b.WriteString("\nNothing is committed.")
	}
	if t := a.task; a.capacity == board.Does && err == nil && status.Branch != t.ID.Branch() {
		fmt.Fprintf(&b, "\nThe worktree is not on its branch %s but on %s.", t.ID.Branch(), cmp.Or(status.Branch, "none"))
	}
	return b.String()
}
