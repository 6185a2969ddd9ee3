package gitstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
)

// remoteLimit is how long one talk with a remote may take, unless `git config
// liza.remoteTimeout` says otherwise.
const remoteLimit = time.Minute

// Remotes talks to the remotes of a clone.
type Remotes struct {
	repo  *git.Repo
	clock clock
}

// runGit runs a git process that talks to a remote, in the main work tree: that
// is where a relative path of a remote begins.
func (r *Remotes) runGit(ctx context.Context, l git.Leftovers, args ...string) ([]byte, error) {
	limit, err := r.Timeout(ctx)
	if err != nil {
		return nil, err
	}
	// Git LFS takes the repository that the environment names for a remote that is a folder.
	out, err := r.repo.Run(ctx, git.Cmd{Dir: r.repo.MainWorkTree(), Args: args, Remote: true, WorkTree: args[0] == "lfs", Limit: limit, Leaves: l})
	var e *git.Error
	switch {
	case err == nil:
		r.repo.NoteReached(r.clock.Now())
	case errors.As(err, &e) && saysFull(remoteWords(e.Stderr)):
		err = fmt.Errorf("%w: %w", ErrRemoteFull, err)
	}
	return out, err
}

// ErrRemoteFull is wrapped when a remote says that its disk is full. The command
// line tests it for its hint: there is nothing to clear on this machine.
var ErrRemoteFull = errors.New("the disk of the remote is full, and the operator of that machine has to make room")

// saysFull reports whether words of git, or of the system, are about a full disk.
func saysFull(words string) bool {
	return strings.Contains(strings.ToLower(words), "no space left on device")
}

// Timeout returns how long a conversation with a remote may take: liza.remoteTimeout, a
// duration such as 90s or a number of seconds.
func (r *Remotes) Timeout(ctx context.Context) (time.Duration, error) {
	text, err := r.repo.Config.Config(ctx, "liza.remoteTimeout")
	if err != nil || text == "" {
		return remoteLimit, err
	}
	if _, numeric := strconv.Atoi(text); numeric == nil {
		text += "s"
	}
	limit, err := time.ParseDuration(text)
	if err != nil || limit <= 0 {
		return 0, fmt.Errorf("git config liza.remoteTimeout: %q is no length of time such as 60s", text)
	}
	return limit, nil
}

// offlineError says that a remote could not be reached, or lets nobody in; a time limit, a call to
// stop and a lock here stay what they are.
func offlineError(name string, err error) error {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) || errors.Is(err, git.ErrMissing) || errors.Is(err, git.ErrRefLocked) || errors.Is(err, git.ErrDamaged) {
		return fmt.Errorf("remote %s: %w", name, err)
	}
	if isRefusedLogin(err) {
		return fmt.Errorf("%w: %s: %w", ErrLogin, name, err)
	}
	return fmt.Errorf("%w: %s: %w", ErrOffline, name, err)
}

// pushArgs are what no configuration of the user's may change in a push: the
// user's pre-push hook would run on every claim, and a mirror would delete.
func pushArgs(name string, updates []git.RefUpdate, options []string) []string {
	args := []string{"-c", "remote." + name + ".mirror=false", "-c", "push.pushOption=", "push", "--porcelain", "--atomic", "--no-verify",
		"--no-follow-tags", "--no-signed", "--recurse-submodules=no"}
	args = append(args, lists.Of(options, func(o string) string { return "--push-option=" + o })...)
	var specs []string
	for _, u := range updates {
		spec := string(u.New) + ":" + u.Name
		switch {
		case !u.Any:
			args = append(args, "--force-with-lease="+u.Name+":"+string(u.Old))
		case u.New != "":
			spec = "+" + spec
		}
		specs = append(specs, spec)
	}
	return append(append(args, "--", name), specs...)
}

// trackedRefs are the refs of this clone that git moves after a push, because the
// user has configured where a fetch keeps what the remote has.
func (r *Remotes) trackedRefs(ctx context.Context, name string, updates []git.RefUpdate) ([]git.RefUpdate, error) {
	settings, err := r.repo.Config.ConfigUnder(ctx, "remote."+name+".fetch")
	if err != nil {
		return nil, err
	}
	var list []git.RefUpdate
	for _, one := range settings {
		from, to, ok := strings.Cut(strings.TrimPrefix(one.Value, "+"), ":")
		before, after, pattern := strings.Cut(from, "*")
		for _, u := range updates {
			name, to := u.Name, to
			switch {
			case !ok || strings.HasPrefix(from, "^") || !pattern && name != from:
				continue
			case pattern && (len(name) < len(before)+len(after) || !strings.HasPrefix(name, before) || !strings.HasSuffix(name, after)):
				continue
			case pattern:
				to = strings.Replace(to, "*", name[len(before):len(name)-len(after)], 1)
			}
			list = append(list, git.RefUpdate{Name: to, New: u.New, Any: true})
		}
	}
	return list, nil
}

// A rejection is a push that the remote answered with no: nothing has moved.
type rejection struct {
	refused  []refusedLine // what the remote's own judge said, if it is one
	said     string        // by the remote
	declined bool          // not for a lost race, nor for a lock
}

// A refusedLine is what a server's judge says of one commit or ref.
type refusedLine struct {
	what    string
	refusal *flow.Refusal
}

func (r *rejection) Error() string {
	if saysFull(r.said) {
		return ErrRemoteFull.Error() + ": " + r.said
	}
	return ErrDeclined.Error() + ": " + r.said
}

// Unwrap is a *Locked where a lock file of the remote was in the way: git says
// so in the one line that it has for each ref. Of a full disk it is ErrRemoteFull, of
// another no ErrDeclined.
func (r *rejection) Unwrap() error {
	for _, l := range r.refused {
		if !l.judged() {
			return l.err()
		}
	}
	if saysFull(r.said) {
		return ErrRemoteFull
	}
	if r.declined {
		return ErrDeclined
	}
	_, rest, found := strings.Cut(r.said, "Unable to create '")
	path, _, whole := strings.Cut(rest, "': File exists")
	if !found || !whole || !strings.HasSuffix(path, ".lock") {
		return nil
	}
	gitDir, _, relative := strings.Cut(path, "/./")
	if !relative {
		gitDir = path[:max(strings.LastIndex(path, "/refs/"), 0)]
	}
	if !filepath.IsAbs(gitDir) {
		return nil
	}
	return &git.Locked{Reason: fmt.Sprintf("%s: %s", git.ErrRefLocked, path), Hint: git.UnlockThere(gitDir)}
}

// err is the answer as an error. What kept the remote from judging is no refusal:
// of a lock it is a *Locked, of a full disk it wraps ErrRemoteFull.
func (l refusedLine) err() error {
	switch l.refusal.Rule {
	case flow.RuleLocked:
		return &git.Locked{Reason: l.refusal.Reason, Hint: l.refusal.Hint}
	case flow.RuleFull:
		return fmt.Errorf("%w: %s", ErrRemoteFull, l.refusal.Reason)
	}
	return l.refusal
}

// judged reports whether the line says something of what was pushed.
func (l refusedLine) judged() bool {
	return l.refusal.Rule != flow.RuleLocked && l.refusal.Rule != flow.RuleFull
}

// push moves refs of a remote, all or none. After a *rejection none has moved;
// after any other error nobody knows.
func (r *Remotes) push(ctx context.Context, name string, updates []git.RefUpdate, options ...string) error {
	tracked, err := r.trackedRefs(ctx, name, updates)
	if err != nil {
		return err
	}
	// git moves the refs that track the remote without syncing them.
	args, err := r.repo.Flusher.SyncArgs(ctx, "reference")
	if err != nil {
		return err
	}
	if err := r.pushContents(ctx, name, updates); err != nil {
		return err
	}
	args = append(args, pushArgs(name, updates, options)...)
	out, err := r.runGit(ctx, git.Leftovers{Locks: r.repo.Refs.LockFiles(tracked)}, args...)
	rejected, accepted := parsePush(string(out))
	if err == nil && accepted && len(rejected) == 0 {
		return nil
	}
	if err == nil {
		err = fmt.Errorf("git push answered %q", out)
	}
	var e *git.Error
	if !errors.As(err, &e) || e.Code < 0 {
		return err
	}
	lines := refusedLines(e.Stderr)
	if len(rejected) == 0 && len(lines) == 0 {
		if forbids().MatchString(e.Stderr) {
			err = fmt.Errorf("%w: %w", ErrDeclined, err)
		}
		return err
	}
	said := strings.Join(rejected, ", ")
	if words := remoteWords(e.Stderr); words != "" {
		said += ": " + words
	}
	return &rejection{lines, strings.TrimPrefix(said, ": "), slices.ContainsFunc(rejected, func(ref string) bool { return !passes().MatchString(ref) })}
}

// pushContents uploads what Git LFS has of the branches that are pushed: its own hook, which
// does that for a person, is not run. The error is a *flow.Refusal if Git LFS fails.
func (r *Remotes) pushContents(ctx context.Context, name string, updates []git.RefUpdate) error {
	if _, err := os.Stat(filepath.Join(r.repo.Config.ContentStore(ctx), "objects")); err != nil {
		return nil
	}
	args := []string{"lfs", "push", name}
	for _, u := range updates {
		if u.New != "" && (strings.HasPrefix(u.Name, "refs/heads/") || strings.HasPrefix(u.Name, layout.SavedRefs)) && !slices.Contains(args, string(u.New)) {
			args = append(args, string(u.New))
		}
	}
	if len(args) == 3 {
		return nil
	}
	out, err := r.runGit(ctx, git.Leftovers{}, args...)
	if err == nil || ctx.Err() != nil {
		return err
	}
	// Git LFS takes what the branches of the last fetch lead to for uploaded.
	in := "git -C " + shell.Quote(cmp.Or(r.repo.MainWorkTree(), r.repo.CommonDir())) + " "
	return &flow.Refusal{Rule: flow.RuleContent, Hint: in + "fetch " + shell.Quote(name) + " && " + in + strings.Join(args, " "),
		Reason: "Git LFS does not upload what is pushed: " + board.Excerpt(board.Clean(strings.Join(strings.Fields(string(out)), " ")+" "+err.Error()), 500)}
}

// parsePush reads `git push --porcelain`: a line FLAG TAB FROM:TO TAB SUMMARY
// for each ref.
func parsePush(out string) (rejected []string, accepted bool) {
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(f) < 3 {
			continue
		}
		if f[0] != "!" {
			accepted = true
			continue
		}
		_, ref, _ := strings.Cut(f[1], ":")
		rejected = append(rejected, ref+" "+f[2])
	}
	return rejected, accepted
}

// remoteWords are the lines that the other side printed.
func remoteWords(stderr string) string {
	var said []string
	for line := range strings.Lines(stderr) {
		if rest, ok := strings.CutPrefix(line, "remote: "); ok && strings.TrimSpace(rest) != "" {
			said = append(said, board.Clean(strings.TrimSpace(rest)))
		}
	}
	return board.Excerpt(strings.Join(said, "; "), 500)
}

// refusedLines finds the lines of a server's judge among what git printed:
//
//	liza-refused: COMMIT-OR-REF RULE: REASON; type: HINT
//
// The hook that runs inside a ref transaction speaks without git's prefix.
func refusedLines(stderr string) []refusedLine {
	var list []refusedLine
	for line := range strings.Lines(stderr) {
		text, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimSpace(line), "remote: "), "liza-refused: ")
		what, text, found := strings.Cut(text, " ")
		rule, text, whole := strings.Cut(text, ": ")
		if !ok || !found || !whole {
			continue
		}
		reason, hint := text, ""
		if i := strings.LastIndex(text, "; type: "); i >= 0 {
			reason, hint = text[:i], strings.TrimSpace(text[i+len("; type: "):])
		}
		list = append(list, refusedLine{what, &flow.Refusal{Rule: flow.Rule(board.Clean(rule)), Reason: board.Clean(reason), Hint: board.Clean(hint)}})
	}
	return list
}
