package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

type sessionCommands struct {
	List sessionListCommand `cmd:"" default:"withargs" help:"The sessions that are kept here, the last one first; the default."`
	Show sessionShowCommand `cmd:"" help:"One session: what is recorded of it, and the end of what it printed."`
	Add  sessionAddCommand  `cmd:"" help:"Record a session that no supervisor ran."`

	Prompt   sessionPromptCommand   `cmd:"" help:"The prompt that an agent of a role would get."`
	Diagnose sessionDiagnoseCommand `cmd:"" help:"Why something failed: causes with their evidence, and what to do."`
}

type sessionListCommand struct {
	Task  board.TaskID  `placeholder:"ID" help:"Only sessions on this task."`
	Agent board.AgentID `placeholder:"ID" help:"Only sessions of this agent."`
	Count int           `short:"n" placeholder:"N" help:"At most so many."`
}

func (c *sessionListCommand) Run(inv *invocation) error {
	if c.Count < 0 {
		return usagef("git liza help session list", "-n takes a number from 1 on, not %d", c.Count)
	}
	repo, err := openRecords(inv)
	if err != nil {
		return err
	}
	list, err := gitstore.Sessions(inv.ctx, repo, gitstore.SessionFilter{Task: c.Task, Agent: c.Agent, Limit: c.Count})
	if err != nil {
		return err
	}
	sessions := append([]view.Object{}, lists.Of(list, view.Session)...)
	return inv.answer("", map[string]any{"sessions": sessions}, view.SessionTable(list).Text(inv.width()))
}

// openRecords opens a repository that has a blackboard. It does not read the
// board, which may be broken.
func openRecords(inv *invocation) (*git.Repo, error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, err
	}
	_, err = clone.Store.Tip(inv.ctx)
	return clone.Repo, err
}

type sessionShowCommand struct {
	ID     string `arg:"" help:"The id that the list shows, or an agent or a task for its last session."`
	Prompt bool   `xor:"part" help:"What it was told."`
	Output bool   `xor:"part" help:"All that it printed, for people."`
	Raw    bool   `xor:"part" help:"What it printed as it came: records, a line each."`
	JSONL  bool   `name:"jsonl" xor:"part" help:"One JSON object a line: the session, what it was told, and each line that it printed."`
}

func (c *sessionShowCommand) Run(inv *invocation) error {
	repo, err := openRecords(inv)
	if err != nil {
		return err
	}
	id, err := c.find(inv, repo)
	if err != nil {
		return err
	}
	rec, prompt, output, err := gitstore.Session(inv.ctx, repo, id)
	if errors.Is(err, git.ErrNoCommit) {
		return c.none(fmt.Sprintf("%s is no session", id.Short()))
	}
	if err != nil {
		return err
	}
	said := readable(rec.Format, output)
	if inv.json {
		return inv.answer("", view.Session(rec).With("prompt", shown(string(prompt))).With("said", said).With("output", shown(string(output))), "")
	}
	switch {
	case c.JSONL:
		return c.printLines(inv, rec, prompt, output)
	case c.Prompt:
		return inv.answer("", nil, shown(string(prompt)))
	case c.Output:
		return inv.answer("", nil, said)
	case c.Raw:
		_, err := inv.stdout.Write(output)
		return err
	}
	lines := strings.Split(said, "\n")
	text := view.SessionText(rec, inv.width())
	if n := len(lines) - glanceOutput; n > 0 {
		text += fmt.Sprintf("\n%s before: git liza session show %s --output\n", view.Count(n, "line"), rec.ID.Short())
		lines = lines[n:]
	}
	return inv.answer("", nil, text+"\n"+strings.Join(lines, "\n"))
}

// shown is a text of a session as people are shown what others wrote.
func shown(text string) string { return plaintext.Lines(board.Clean(text)) }

// printLines prints the session as one JSON object a line, each with its kind: session,
// prompt, record for a line that is JSON itself, else output.
func (c *sessionShowCommand) printLines(inv *invocation, rec gitstore.SessionRecord, prompt, output []byte) error {
	err := inv.encode(append(view.Object{{Key: "kind", Value: "session"}}, view.Session(rec)...))
	if err == nil {
		err = inv.encode(view.Object{{Key: "kind", Value: "prompt"}, {Key: "text", Value: shown(string(prompt))}})
	}
	for line := range bytes.Lines(output) {
		line = bytes.TrimSpace(line)
		if err != nil || len(line) == 0 {
			continue
		}
		if line[0] == '{' && json.Valid(line) {
			err = inv.encode(view.Object{{Key: "kind", Value: "record"}, {Key: "record", Value: json.RawMessage(line)}})
			continue
		}
		err = inv.encode(view.Object{{Key: "kind", Value: "output"}, {Key: "text", Value: shown(string(line))}})
	}
	return err
}

func (c *sessionShowCommand) none(why string) error {
	return &flow.Refusal{Rule: flow.RuleNotFound, Reason: why, Hint: "git liza session list"}
}

// find returns the session that the argument names: the last one of an agent or
// task, or the one with that id.
func (c *sessionShowCommand) find(inv *invocation, repo *git.Repo) (git.ID, error) {
	f := gitstore.SessionFilter{Limit: 1}
	if agent := board.AgentID(c.ID); agent.Role() != "" {
		f.Agent = agent
	} else if err := f.Task.UnmarshalText([]byte(c.ID)); err != nil {
		f.Limit = 0
	}
	if f.Limit > 0 {
		list, err := gitstore.Sessions(inv.ctx, repo, f)
		if err != nil {
			return "", err
		}
		if len(list) > 0 {
			return list[0].ID, nil
		}
	}
	id, err := repo.ParseCommit(inv.ctx, c.ID)
	if errors.Is(err, git.ErrNoCommit) {
		return "", c.none("there is no session " + board.Excerpt(c.ID, 80))
	}
	return id, err
}

// glanceOutput is the number of lines of a session's output that people are
// shown.
const glanceOutput = 30

// readable formats a session's output for people: the agent's messages, and a
// line for each tool.
func readable(format string, output []byte) string {
	records, err := transcript.New(format)
	if err != nil || format == "plain" {
		return shown(string(output))
	}
	var said bytes.Buffer
	records.Follow(&said)
	_, _ = records.Write(append(output, '\n')) // takes everything
	return shown(said.String())
}
