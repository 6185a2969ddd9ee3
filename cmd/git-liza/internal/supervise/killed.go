package supervise

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc/confine"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// killedError is by what a session ended that was cut off with its supervisor.
const killedError = "The session was cut off: its supervisor was killed while it ran."

// recordKilled records the sessions of a registration that ended with its supervisor, before what it
// holds is given back: those that were saved and did not reach the board, and the one that was cut off
// with its supervisor. It reports whether there was one.
func recordKilled(ctx context.Context, r *Rush, own *work.Clone, id board.AgentID, g board.Generation) (bool, error) {
	was, ok := gitstore.LastBeat(own.Repo, id)
	saved, err := gitstore.Sessions(ctx, own.Repo, gitstore.SessionFilter{Agent: id})
	if err != nil {
		return false, err
	}
	saved = lists.Where(saved, func(s gitstore.SessionRecord) bool { return s.Generation == g })
	isSaved := func(s gitstore.SessionRecord) bool { return !s.Began.Before(was.Since.Add(-time.Second)) }
	if ok && was.Generation == g && slices.Contains([]string{coding, reviewing, planning, answering}, was.Doing) && !slices.ContainsFunc(saved, isSaved) {
		kept, err := saveKilled(ctx, r, own, id, was)
		if err != nil {
			return false, err
		}
		saved = append(saved, kept)
	}
	return recordSaved(ctx, own, saved)
}

// recordSaved records those of the sessions that are not on the board.
func recordSaved(ctx context.Context, own *work.Clone, saved []gitstore.SessionRecord) (done bool, err error) {
	tip, err := own.Store.Tip(ctx)
	if err != nil || len(saved) == 0 {
		return false, err
	}
	first := slices.MinFunc(saved, func(x, y gitstore.SessionRecord) int { return x.Began.Compare(y.Began) }).Began
	there := map[git.ID]bool{}
	err = own.Store.Log(tip, func(e gitstore.Event) (bool, error) {
		if d, is := e.Move.Detail.(*flow.SessionMove); is {
			there[d.Record] = true
		}
		return !e.Move.At.Before(first), ctx.Err()
	})
	if err != nil {
		return false, err
	}
	for _, s := range saved {
		if there[s.ID] || errors.Is(err, gitstore.ErrOffline) {
			continue
		}
		d := &flow.SessionMove{Provider: s.Provider, Model: s.Model, Role: s.Role, Outcome: s.Outcome, Usage: s.Usage, Record: s.ID, Error: board.Excerpt(s.Error, 1000)}
		if s.Outcome == "killed" {
			d.Error = s.Ending
		}
		_, failed := own.Make(ctx, board.ActSession, s.Task, d)
		done, err = done || failed == nil, errors.Join(err, failed)
	}
	return done, err
}

// saveKilled saves the session that an agent had when its supervisor was killed, with what its
// presence and its log tell.
func saveKilled(ctx context.Context, r *Rush, own *work.Clone, id board.AgentID, was gitstore.Presence) (kept gitstore.SessionRecord, err error) {
	b, _, err := own.Store.Board(ctx)
	if err != nil {
		return kept, err
	}
	used := was.Usage
	kept = gitstore.SessionRecord{Agent: id, Generation: was.Generation, Role: id.Role(), Task: was.Task, Provider: was.Provider, Model: was.Model, Format: "plain",
		Began: was.Since, Ended: was.At, Outcome: "killed", Ending: killedError}
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
			if more := told.Usage; row.Usage != provider.PerSession && more.Tokens() > used.Tokens() {
				used.Input, used.Cached, used.Output, used.Cost = more.Input, more.Cached, more.Output, max(more.Cost, used.Cost)
			}
		}
	}
	used.Sessions, used.Seconds = 0, int64(was.At.Sub(was.Since).Seconds())
	if used.Tokens() > 0 || used.Cost > 0 {
		used.Sessions = 1
	}
	kept.Usage = used.Bounded()
	if t, row := b.Task(was.Task), b.Role(kept.Role); t != nil && row != nil && row.Capacity == board.Does {
		kept.Dir = own.Checkouts.Folder(t)
	}
	kept.ID, err = gitstore.SaveSession(ctx, own.Repo, kept, r.mask.Bytes(prompt), r.mask.Bytes(output))
	return kept, err
}

// lastLogged returns what the log of an agent has of the last session: its prompt and its output.
func lastLogged(repo *git.Repo, id board.AgentID) (prompt, output []byte) {
	text, _ := os.ReadFile(logPath(repo.CommonDir(), id))
	if i := bytes.LastIndex(text, []byte("\n--- output\n")); i >= 0 {
		prompt, output = text[:i+1], text[i+len("\n--- output\n"):]
	}
	if i := bytes.LastIndex(prompt, []byte(": prompt\n")); i >= 0 {
		prompt = prompt[i+len(": prompt\n"):]
	}
	return prompt, output
}
