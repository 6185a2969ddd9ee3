package supervise

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// killedError is by what a session ended that was cut off with its supervisor.
const killedError = "The session was cut off: its supervisor was killed while it ran."

// recordKilled records the session that an agent had when its supervisor was killed, with what its
// presence and its log tell, before what it holds is given back. It returns false if there was none,
// or if the supervisor had recorded it.
func recordKilled(ctx context.Context, r *Rush, own *work.Clone, id flow.AgentID, g flow.Generation) (bool, error) {
	was, ok := gitstore.LastBeat(own.Repo, id)
	if !ok || was.Generation != g || !slices.Contains([]string{coding, reviewing, planning, answering}, was.Doing) {
		return false, nil
	}
	last, err := gitstore.Sessions(ctx, own.Repo, gitstore.SessionFilter{Agent: id, Limit: 1})
	b, _, unread := own.Store.Board(ctx)
	if err = errors.Join(err, unread); err != nil || len(last) > 0 && last[0].Generation == g && !last[0].Began.Before(was.Since.Add(-time.Second)) {
		return false, err
	}
	d := &flow.SessionMove{Provider: was.Provider, Model: was.Model, Role: id.Role(), Outcome: "killed", Usage: was.Usage, Error: killedError}
	kept := gitstore.SessionRecord{Agent: id, Generation: g, Role: d.Role, Task: was.Task, Provider: d.Provider, Model: d.Model, Format: "plain",
		Began: was.Since, Ended: was.At, Outcome: d.Outcome, Ending: killedError}
	prompt, output := lastLogged(own.Repo, id)
	if row := r.Known.FindRow(was.Provider); row != nil && !row.ACP {
		kept.Format = row.Output
		if records, err := transcript.New(row.Output); err == nil {
			_, _ = records.Write(append(slices.Clone(output), '\n')) // takes everything
			told := records.Report()
			kept.Session = told.Session
			for _, home := range []string{proc.Value(r.Environ, "HOME"), filepath.Join(own.Repo.CommonDir(), filepath.FromSlash(confine.Folder), string(id))} {
				told = row.AddLedger(told, append(slices.Clone(r.Environ), "HOME="+home), was.Since)
			}
			if used := told.Usage; row.Usage != provider.PerSession && used.Tokens() > d.Usage.Tokens() {
				d.Usage.Input, d.Usage.Cached, d.Usage.Output, d.Usage.Cost = used.Input, used.Cached, used.Output, max(used.Cost, d.Usage.Cost)
			}
		}
	}
	d.Usage.Sessions, d.Usage.Seconds = 0, int64(was.At.Sub(was.Since).Seconds())
	if d.Usage.Tokens() > 0 || d.Usage.Cost > 0 {
		d.Usage.Sessions = 1
	}
	d.Usage = d.Usage.Bounded()
	kept.Usage = d.Usage
	if t, row := b.Task(was.Task), b.Role(d.Role); t != nil && row != nil && row.Capacity == flow.Does {
		kept.Dir = own.Checkouts.Folder(t)
	}
	if d.Record, err = gitstore.SaveSession(ctx, own.Repo, kept, r.mask.Bytes(prompt), r.mask.Bytes(output)); err != nil {
		return false, err
	}
	_, err = own.Make(ctx, flow.ActSession, was.Task, d)
	return err == nil, err
}

// lastLogged returns what the log of an agent has of the last session: its prompt and its output.
func lastLogged(repo *git.Repo, id flow.AgentID) (prompt, output []byte) {
	text, _ := os.ReadFile(logPath(repo.CommonDir(), id))
	if i := bytes.LastIndex(text, []byte("\n--- output\n")); i >= 0 {
		prompt, output = text[:i+1], text[i+len("\n--- output\n"):]
	}
	if i := bytes.LastIndex(prompt, []byte(": prompt\n")); i >= 0 {
		prompt = prompt[i+len(": prompt\n"):]
	}
	return prompt, output
}
