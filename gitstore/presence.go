package gitstore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// MaxPresence bounds the commit of a presence, in bytes. A server refuses
// larger ones.
const MaxPresence = 64 << 10

// A Presence is what an agent's supervisor last wrote about the agent. Nothing depends
// on it: it may be late, missing or false. The supervisor has masked the secrets in its
// texts.
type Presence struct {
	Agent      board.AgentID    `yaml:"agent"`
	Generation board.Generation `yaml:"generation"` // of the agent's registration
	Host       string           `yaml:"host"`
	PID        int              `yaml:"pid"`   // of the supervisor
	Began      time.Time        `yaml:"began"` // when the supervisor did
	At         time.Time        `yaml:"at"`    // when it was written
	Every      board.Duration   `yaml:"every"` // the interval until the next one
	Provider   string           `yaml:"provider"`
	Model      string           `yaml:"model"`
	Doing      string           `yaml:"doing"` // one word, such as waiting or coding
	Task       board.TaskID     `yaml:"task"`
	Since      time.Time        `yaml:"since"`   // when it began to do this
	Note       string           `yaml:"note"`    // more about it
	Usage      board.Usage      `yaml:"usage"`   // of sessions that are not on the board yet
	Context    int              `yaml:"context"` // how full the context of the session is, in percent; 0 is unknown
}

// Failing is what a planner does whose sessions on everything that it should answer
// have failed again and again; the note of the presence says on what.
const Failing = "failing"

// missedBeats is after how many intervals without a beat an agent counts as
// silent.
const missedBeats = 3

// Silent reports whether the next beat of the agent is long overdue.
func (p Presence) Silent(at time.Time) bool { return at.After(p.HeardUntil()) }

// HeardUntil is the time after which the agent is silent, if it does not beat again.
func (p Presence) HeardUntil() time.Time { return p.At.Add(missedBeats * time.Duration(p.Every)) }

// SilentFrom is the first second in which [Presence.Silent] is true.
func (p Presence) SilentFrom() time.Time {
	return p.At.Add(missedBeats * time.Duration(p.Every)).Truncate(time.Second).Add(time.Second)
}

// cutText shortens the texts so that the presence fits into its commit.
func (p *Presence) cutText() {
	for _, at := range []*time.Time{&p.Began, &p.At, &p.Since} {
		*at = at.UTC().Truncate(time.Second)
	}
	p.Every = max(board.Duration(time.Duration(p.Every).Truncate(time.Second)), board.Duration(time.Second))
	for _, text := range []*string{&p.Host, &p.Provider, &p.Model, &p.Doing, &p.Note} {
		*text = board.Excerpt(*text, maxWords)
	}
	p.Usage = p.Usage.Bounded()
	p.Context = min(max(p.Context, 0), 100)
}

func (p Presence) check() error {
	if err := new(board.Generation).UnmarshalText([]byte(p.Generation)); err != nil || p.Generation.Spawned() || p.Agent.Role() == "" {
		return fmt.Errorf("a presence is an agent's with its generation, not of %q with %q", p.Agent, p.Generation)
	}
	return nil
}

func presenceFile(r *git.Repo, id board.AgentID) string {
	return filepath.Join(r.CommonDir(), layout.Private, "presence", string(id))
}

// Beat writes a presence to a file of this clone. That costs almost nothing and
// leaves no object.
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

// SavePresence replaces the presence in the agent's ref. git's gc removes the
// old one.
func SavePresence(ctx context.Context, r *git.Repo, p Presence) error {
	if err := p.check(); err != nil {
		return err
	}
	p.cutText()
	id, err := writePresence(ctx, r, &p)
	if err != nil {
		return fmt.Errorf("presence of %s: %w", p.Agent, err)
	}
	return r.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: p.Agent.PresenceRef(), New: id, Any: true}}, "presence")
}

// writePresence writes the commit. It is one object: the document is in its
// message, like a move, and its tree is empty.
func writePresence(ctx context.Context, r *git.Repo, p *Presence) (git.ID, error) {
	o := r.Objects(ctx)
	encoded, err := document.Encode(p)
	if err != nil {
		return "", err
	}
	tree, err := o.WriteTree(nil)
	if err != nil {
		return "", err
	}
	header, err := agentHeader(ctx, r, p.Agent, p.At)
	if err != nil {
		return "", err
	}
	id, err := o.WriteCommit(fmt.Appendf(nil, "tree %s\n%s\npresence of %s\n\n%s", tree, header, p.Agent, encoded))
	if err != nil {
		return "", err
	}
	return id, o.Flush()
}

// DropPresence removes the presence of a registration of an agent from this
// clone; "" means any registration. The presence of another registration stays.
func DropPresence(ctx context.Context, r *git.Repo, id board.AgentID, g board.Generation) error {
	name := id.PresenceRef()
	at, err := r.Refs.Resolve(ctx, name)
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
	err = r.Refs.MoveRefs(ctx, []git.RefUpdate{{Name: name, Old: at}}, "presence")
	if errors.Is(err, git.ErrRefMoved) {
		return nil // a newer registration has written its own
	}
	return err
}
