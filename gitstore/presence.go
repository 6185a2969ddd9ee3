package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// MaxPresence bounds the commit of a presence, in bytes. A server takes no
// larger one.
const MaxPresence = 64 << 10

// A Presence is what an agent's supervisor last wrote about the agent. Nothing depends
// on it: it may be late, missing or false. The supervisor has masked the secrets in its
// texts.
type Presence struct {
	Agent      flow.AgentID    `yaml:"agent"`
	Generation flow.Generation `yaml:"generation"` // of the agent's registration
	Host       string          `yaml:"host"`
	PID        int             `yaml:"pid"`   // of the supervisor
	Began      time.Time       `yaml:"began"` // when the supervisor did
	At         time.Time       `yaml:"at"`    // when it said this
	Every      flow.Duration   `yaml:"every"` // within which it says something again
	Provider   string          `yaml:"provider"`
	Model      string          `yaml:"model"`
	Doing      string          `yaml:"doing"` // one word, such as waiting or coding
	Task       flow.TaskID     `yaml:"task"`
	Since      time.Time       `yaml:"since"` // when it began to do this
	Note       string          `yaml:"note"`  // more about it
	Usage      flow.Usage      `yaml:"usage"` // of sessions that are not on the board yet
}

// missedBeats is after how many lengths of Every an agent counts as silent.
const missedBeats = 3

// Silent reports whether the agent should have said something again long ago.
func (p Presence) Silent(at time.Time) bool {
	return at.Sub(p.At) > missedBeats*time.Duration(p.Every)
}

// cutText makes the presence fit into its commit, whatever its texts are.
func (p *Presence) cutText() {
	for _, at := range []*time.Time{&p.Began, &p.At, &p.Since} {
		*at = at.UTC().Truncate(time.Second)
	}
	p.Every = max(flow.Duration(time.Duration(p.Every).Truncate(time.Second)), flow.Duration(time.Second))
	for _, text := range []*string{&p.Host, &p.Provider, &p.Model, &p.Doing, &p.Note} {
		*text = flow.Excerpt(*text, maxWords)
	}
	p.Usage = p.Usage.Bounded()
}

func (p Presence) check() error {
	if err := new(flow.Generation).UnmarshalText([]byte(p.Generation)); err != nil || p.Generation.Spawned() || p.Agent.Role() == 0 {
		return fmt.Errorf("a presence is an agent's with its generation, not of %q with %q", p.Agent, p.Generation)
	}
	return nil
}

func presenceFile(r *git.Repo, id flow.AgentID) string {
	return filepath.Join(r.CommonDir(), layout.Private, "presence", string(id))
}

// Beat notes a presence for this clone, in a file: that costs next to nothing,
// and leaves no object behind.
func Beat(r *git.Repo, p Presence) error {
	if err := p.check(); err != nil {
		return err
	}
	p.cutText()
	text, err := document.Encode(&p)
	if err == nil {
		err = git.ReplaceFile(presenceFile(r, p.Agent), text)
	}
	if err != nil {
		return fmt.Errorf("presence of %s: %w", p.Agent, err)
	}
	return nil
}

// SavePresence puts a presence into the agent's ref, in the place of the one
// before. What it replaces is left to git's gc.
func SavePresence(ctx context.Context, r *git.Repo, p Presence) error {
	if err := p.check(); err != nil {
		return err
	}
	p.cutText()
	id, err := writePresence(ctx, r, &p)
	if err != nil {
		return fmt.Errorf("presence of %s: %w", p.Agent, err)
	}
	return r.MoveRefs(ctx, []git.RefUpdate{{Name: p.Agent.PresenceRef(), New: id, Any: true}}, "presence")
}

// writePresence writes the commit. The document stands in its message, as a
// move does, and its tree is empty: so it is one object.
func writePresence(ctx context.Context, r *git.Repo, p *Presence) (git.ID, error) {
	o, err := r.Objects(ctx)
	if err != nil {
		return "", err
	}
	encoded, err := document.Encode(p)
	if err != nil {
		return "", err
	}
	tree, err := o.WriteTree(nil)
	if err != nil {
		return "", err
	}
	committer, address, err := r.Identity(ctx)
	if err != nil {
		return "", err
	}
	name, email := authorOf(flow.Actor(p.Agent))
	at := p.At.Unix()
	id, err := o.WriteCommit(fmt.Appendf(nil, "tree %s\nauthor %s <%s> %d +0000\ncommitter %s <%s> %d +0000\n\npresence of %s\n\n%s",
		tree, name, email, at, committer, address, at, p.Agent, encoded))
	if err != nil {
		return "", err
	}
	return id, o.Flush()
}

// DropPresence takes back what a registration of an agent said of itself in
// this clone; "" is any registration. What there is of another one stays.
func DropPresence(ctx context.Context, r *git.Repo, id flow.AgentID, g flow.Generation) error {
	name := id.PresenceRef()
	at, err := r.Resolve(ctx, name)
	if err != nil {
		return err
	}
	if p, ok := readBeat(r, id); g == "" || ok && p.Generation == g {
		if err := os.Remove(presenceFile(r, id)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("presence of %s: %w", id, err)
		}
	}
	if p, ok := readPresence(ctx, r, at, id); at == "" || g != "" && (!ok || p.Generation != g) {
		return nil
	}
	err = r.MoveRefs(ctx, []git.RefUpdate{{Name: name, Old: at}}, "presence")
	if errors.Is(err, git.ErrRefMoved) {
		return nil // a newer registration speaks
	}
	return err
}
