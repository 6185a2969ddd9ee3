package web

import (
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

func showAgents(v *visit) (any, error) {
	return struct {
		Agents []view.Agent `json:"agents"`
	}{v.frame.Agents}, nil
}

// An agentPage is one agent: what it does, its sessions, and what the last one prints.
type agentPage struct {
	Agent    view.Agent    `json:"agent"`
	Sessions []view.Object `json:"sessions"`
	Output   string        `json:"output"`

	Note *Form `json:"-"` // nil if there are no forms
}

// The bounds of an agent's page.
const (
	glanceSessions = 20
	glanceOutput   = 200 // lines
)

func showAgent(v *visit) (any, error) {
	i := slices.IndexFunc(v.frame.Agents, func(a view.Agent) bool { return string(a.ID) == v.id })
	if i < 0 {
		return nil, &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza agents", Reason: "no agent " + board.Excerpt(v.id, 80) + " is registered"}
	}
	page := agentPage{Agent: v.frame.Agents[i], Sessions: []view.Object{}}
	list, err := gitstore.Sessions(v.request.Context(), v.server.Clone.Repo, gitstore.SessionFilter{Agent: page.Agent.ID, Limit: glanceSessions})
	if err != nil {
		return nil, err
	}
	for _, rec := range list {
		page.Sessions = append(page.Sessions, view.Session(rec).With("dollars", view.SpentIn(rec.Usage).Dollars()))
	}
	if v.server.Output != nil && !v.frame.Past {
		page.Output = lastLines(v.server.Output(page.Agent), glanceOutput)
	}
	if v.Acts() {
		page.Note = &Form{Act: board.ActNote, Subject: v.id}
	}
	return page, nil
}

// lastLines returns the last lines of a text.
func lastLines(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// A sessionPage is one session: what it was told, and what it printed.
type sessionPage struct {
	Session view.Object `json:"session"`
	Prompt  string      `json:"prompt"`
	Said    string      `json:"said"`
}

func showSession(v *visit) (any, error) {
	none := &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza session list", Reason: "there is no session " + board.Excerpt(v.id, 80)}
	id, err := v.server.Clone.Repo.ParseCommit(v.request.Context(), v.id)
	if errors.Is(err, git.ErrNoCommit) {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	rec, prompt, output, err := gitstore.Session(v.request.Context(), v.server.Clone.Repo, id)
	if errors.Is(err, git.ErrNoCommit) {
		return nil, none
	}
	if err != nil {
		return nil, err
	}
	return sessionPage{view.Session(rec), string(prompt), v.server.Said(rec.Format, output)}, nil
}
