package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// A mcpClient is the SDK's own client of a server in a process of its own.
type mcpClient struct {
	*sdk.ClientSession
	p      *playground
	as     string
	called map[string]bool
	told   chan string // what came while calls went on
	heard  chan string // addresses that have changed
}

// server is the program as a server for somebody, "" for the human.
func (p *playground) server(as string) *exec.Cmd {
	args := []string{"mcp"}
	if as != "" {
		args = append(args, "--as", as)
	}
	cmd := exec.Command(filepath.Join(p.bin, "git-liza"), args...)
	cmd.Dir, cmd.Env = p.repo, p.env
	return cmd
}

func (p *playground) client(as string) *mcpClient { return p.clientOf(as, "") }

// clientOf speaks a version of the protocol, "" for the latest.
func (p *playground) clientOf(as, protocol string) *mcpClient {
	p.t.Helper()
	c := &mcpClient{p: p, as: as, called: map[string]bool{}, told: make(chan string, 100), heard: make(chan string, 100)}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, &sdk.ClientOptions{
		ResourceUpdatedHandler:      func(_ context.Context, r *sdk.ResourceUpdatedNotificationRequest) { c.heard <- r.Params.URI },
		ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) { c.told <- r.Params.Message }})
	var err error
	c.ClientSession, err = client.Connect(p.t.Context(), &sdk.CommandTransport{Command: p.server(as)}, &sdk.ClientSessionOptions{ProtocolVersion: protocol})
	require.NoError(p.t, err)
	p.t.Cleanup(func() { c.Close() })
	return c
}

// ask calls a tool; arguments are JSON.
func (c *mcpClient) ask(tool, arguments string) *sdk.CallToolResult {
	c.p.t.Helper()
	c.called[tool] = true
	r, err := c.CallTool(c.p.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	require.NoError(c.p.t, err, "%s %s", tool, arguments)
	return r
}

// does calls a tool that does what it is asked, and returns its data.
func (c *mcpClient) does(tool, arguments string) map[string]any {
	c.p.t.Helper()
	r := c.ask(tool, arguments)
	require.False(c.p.t, r.IsError, "%s %s: %s", tool, arguments, textOf(r))
	return r.StructuredContent.(map[string]any)
}

// refused calls a tool that refuses.
func (c *mcpClient) refused(tool, arguments, rule string) map[string]any {
	c.p.t.Helper()
	r := c.ask(tool, arguments)
	require.True(c.p.t, r.IsError, "%s %s: %s", tool, arguments, textOf(r))
	data := r.StructuredContent.(map[string]any)
	require.Equal(c.p.t, rule, data["rule"], data["reason"])
	require.NotEmpty(c.p.t, data["hint"])
	require.Contains(c.p.t, textOf(r), data["reason"])
	return data
}

func textOf(r *sdk.CallToolResult) string { return r.Content[0].(*sdk.TextContent).Text }

// tools are the names that the server lists.
func (c *mcpClient) tools() (names []string) {
	list, err := c.ListTools(c.p.t.Context(), nil)
	require.NoError(c.p.t, err)
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// allCalled holds that the test has called every tool that there is.
func (c *mcpClient) allCalled() {
	c.p.t.Helper()
	for _, name := range c.tools() {
		require.True(c.p.t, c.called[name], "nobody has called %s as %q", name, c.as)
	}
}

const newTask = `{"id": %q, "title": "T", "done_when": "D", "spec": "specs/vision.md", "scope": "S", "kind": "docs"}`

// commit changes a file of a task's worktree, and returns the branch's tip.
func (p *playground) commit(id, text string) string {
	tree := filepath.Join(p.repo, ".worktrees", id)
	require.NoError(p.t, os.WriteFile(filepath.Join(tree, id+".txt"), []byte(text), 0o644))
	p.must("git", "-C", tree, "add", "-A")
	p.must("git", "-C", tree, "commit", "-q", "-m", text)
	return p.must("git", "-C", tree, "rev-parse", "HEAD")
}

// everybodys calls the tools that all have.
func (c *mcpClient) everybodys(task string) (discovery string) {
	c.does("show", fmt.Sprintf(`{"id": %q}`, task))
	c.does("list", `{"ready": true, "status": ["UNCLAIMED"]}`)
	c.does("note", `{"text": "mind the gap", "for": "planner"}`)
	require.Contains(c.p.t, c.does("recall", `{"query": "minding gaps", "source": "move", "count": 2}`)["hits"].([]any)[0].(map[string]any)["excerpt"], "mind the gap")
	c.does("record", `{"kind": "anomaly", "type": "workaround", "detail": {"cause": "C"}}`)
	return c.does("record", fmt.Sprintf(`{"kind": "discovery", "text": "a gap", "severity": "low", "during": %q}`, task))["record"].(string)
}

// answers answers a question of coder-1 to a code-reviewer in a session for that alone,
// which asks for it without naming it.
func (p *playground) answers(question string) {
	p.t.Helper()
	p.must("git-liza", "take", question, "--as", "code-reviewer-2")
	apart := *p
	apart.env = append(slices.Clone(p.env), "LIZA_QUESTION="+question)
	c := apart.client("code-reviewer-2")
	require.Equal(p.t, []string{"answer", "ask", "list", "recall", "show"}, c.tools())
	c.refused("ask", `{"to": "coder", "text": "you?"}`, "circle")
	c.does("ask", `{"to": "human", "text": "you?"}`)
	require.Contains(p.t, p.must("git-liza", "record", "list", "questions", "--json"), `"text":"you?"`)
	c.does("answer", fmt.Sprintf(`{"question": %q, "text": "so"}`, question))
	c.refused("answer", fmt.Sprintf(`{"question": %q, "text": "thus"}`, question), "exists")
}
