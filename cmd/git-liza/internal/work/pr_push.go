package work

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Requested is a branch on a remote that a pull request can be made of.
type Requested struct {
	Remote  string
	Host    string // of the remote, "" if it is a folder
	Project string // on that host, such as owner/name
	Branch  string
	Base    string // the branch that it is to be merged into, "" if the remote has none
	Commit  board.ObjectID
	Already bool // it was there
}

// PushSubmission pushes the submission of a task as its branch to the remote for pull
// requests: liza.pr.remote, else the one that holds the board, else the only one. Where
// another remote has the branch at a commit that the submission does not contain, it is
// replaced there. The base is the integration branch, where the remote has it.
func PushSubmission(ctx context.Context, c *Clone, t *board.Task) (Requested, error) {
	p, err := openRequest(ctx, c, t.ID.BranchRef())
	if err != nil {
		return p.Requested, err
	}
	if t.Claim != nil && p.holdsBoard {
		return p.Requested, &flow.Refusal{Rule: flow.RuleState, Hint: "git liza show " + string(t.ID),
			Reason: fmt.Sprintf("%s is held by %s, whose branch is on %s: its next submission is not there yet", t.ID, t.Claim.By, p.Remote)}
	}
	if err := c.Store.Mirror.BringCommits(ctx, t.ID, t.Submission.Commit); err != nil {
		return p.Requested, err
	}
	if p.Base = p.head; p.there[p.integration.Ref()] != "" {
		p.Base = p.integration.Name
	}
	return p.push(ctx, c, t.Submission.Commit)
}

// PushIntegration pushes the integration branch to the remote for pull requests, from
// where people merge it into the branch that the remote's HEAD stands for.
func PushIntegration(ctx context.Context, c *Clone, b *board.Board) (Requested, error) {
	integration := b.Settings().Integration
	p, err := openRequest(ctx, c, integration.Ref())
	if err != nil {
		return p.Requested, err
	}
	if p.Base = p.head; p.Base == p.Branch {
		return p.Requested, &flow.Refusal{Rule: flow.RuleRef, Hint: "git ls-remote --symref " + p.Remote + " HEAD",
			Reason: fmt.Sprintf("HEAD of %s is %s itself: there is no branch to merge it into", p.Remote, p.Branch)}
	}
	if old := p.there[integration.Ref()]; old != "" && old != integration.Tip {
		if behind, err := c.Repo.IsAncestor(ctx, old, integration.Tip); err != nil || !behind {
			return p.Requested, &flow.Refusal{Rule: flow.RuleAncestry, Hint: "git fetch " + p.Remote + " " + integration.Ref(),
				Reason: fmt.Sprintf("%s of %s is at %s, which %s here does not contain", p.Branch, p.Remote, old.Short(), integration.Tip.Short())}
		}
	}
	return p.push(ctx, c, integration.Tip)
}

// A request is a branch that is to be pushed.
type request struct {
	Requested
	ref         string
	there       map[string]git.ID // what the remote has
	head        string            // the branch that its HEAD stands for
	integration board.Branch
	holdsBoard  bool // the remote is the authority of this clone
}

// openRequest finds the remote for a branch, and asks it what it has.
func openRequest(ctx context.Context, c *Clone, ref string) (request, error) {
	p := request{ref: ref}
	if !c.By.IsHuman() {
		return p, &flow.Refusal{Rule: flow.RuleRole, Hint: "git liza help pr", Reason: fmt.Sprintf("only a person asks a code host for a review, not %s", c.By)}
	}
	b, _, err := c.Store.Board(ctx)
	if err != nil {
		return p, err
	}
	p.integration, p.Branch = b.Settings().Integration, strings.TrimPrefix(ref, "refs/heads/")
	authority, err := c.Store.Authority(ctx)
	if err != nil {
		return p, err
	}
	if p.Remote, err = c.Repo.Config.Config(ctx, "liza.pr.remote"); err == nil && p.Remote == "" {
		p.Remote = authority
	}
	if err == nil && p.Remote == "" {
		p.Remote, err = c.Repo.Config.AnyRemote(ctx)
	}
	if err != nil {
		return p, err
	}
	if p.Remote == "" {
		return p, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git remote add origin URL", Reason: "there is no remote to push to"}
	}
	p.holdsBoard = p.Remote == authority
	at, err := c.Repo.Config.Config(ctx, "remote."+p.Remote+".url")
	if err != nil {
		return p, err
	}
	if at == "" {
		return p, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git remote -v", Reason: fmt.Sprintf("there is no remote %s", git.Visible(p.Remote))}
	}
	p.Host, p.Project = parseRemote(at)
	head := ""
	p.there, head, err = c.Store.Remotes.Branches(ctx, p.Remote, ref, p.integration.Ref())
	p.head = strings.TrimPrefix(head, "refs/heads/")
	return p, err
}

// push brings the branch to a commit.
func (p *request) push(ctx context.Context, c *Clone, commit board.ObjectID) (Requested, error) {
	p.Commit = commit
	old := p.there[p.ref]
	if p.Already = old == commit; p.Already {
		return p.Requested, nil
	}
	return p.Requested, c.Store.Remotes.PushBranch(ctx, p.Remote, git.RefUpdate{Name: p.ref, Old: old, New: commit})
}

var (
	// scpForm is a remote as scp writes it, user@host:path.
	scpForm = pattern.Late(`^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9.-]+):([^/].*)$`)
	// projectForm is the path of a project on a code host.
	projectForm = pattern.Late(`^[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+$`)
)

// parseRemote returns the host of a remote and the project there, "" for a folder and for
// what no code host has.
func parseRemote(text string) (host, project string) {
	if at, err := url.Parse(text); err == nil && at.Host != "" {
		host, project = at.Hostname(), at.Path
	} else if m := scpForm().FindStringSubmatch(text); m != nil && !strings.Contains(text, "://") {
		host, project = m[1], m[2]
	}
	project = strings.TrimSuffix(strings.Trim(project, "/"), ".git")
	if !projectForm().MatchString(project) {
		return "", ""
	}
	return strings.ToLower(host), project
}

// WriteRequest keeps the text of a pull request in this clone, where the command of a code
// host can read it, and returns the path.
func WriteRequest(c *Clone, branch, text string) (string, error) {
	path := filepath.Join(c.Repo.CommonDir(), layout.Private, "pr", strings.ReplaceAll(branch, "/", "-")+".md")
	return path, git.ReplaceFile(path, []byte(text))
}
