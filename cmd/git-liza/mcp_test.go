package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A coder and its reviewer do their work by tools alone, apart from what supervisors
// do. Every tool of theirs is called.
func TestMCPWorks(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	p.add("two")
	coder, reviewer := p.client("coder-1"), p.client("code-reviewer-1")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	coder.everybodys("one")
	coder.does("intent", `{"id": "one", "summary": "S", "validation": "V", "files": ["one.txt"]}`)
	coder.does("handoff", `{"id": "one", "summary": "half", "next_action": "the rest"}`)
	coder.refused("ask", `{"to": "nobody", "text": "how?"}`, "not_found")
	p.answers(coder.does("ask", `{"to": "code-reviewer", "text": "how?"}`)["question"].(string))

	// Files must be committed before they are submitted; a client without a shell
	// commits by a tool.
	tree := filepath.Join(p.repo, ".worktrees", "one")
	require.NoError(t, os.WriteFile(filepath.Join(tree, "one.txt"), []byte("a"), 0o644))
	require.Equal(t, "commit", coder.refused("submit", `{"id": "one"}`, "clean")["tool"])
	coder.refused("commit", `{"id": "two", "message": "M"}`, "not_holder")
	commit := coder.does("commit", `{"id": "one", "message": "Add one\n\nIt was missing."}`)["commit"].(string)
	require.Equal(t, "coder-1 <coder-1@liza.invalid> Add one", p.must("git", "log", "-1", "--format=%an <%ae> %s", "liza/one"))
	require.Equal(t, commit, p.must("git", "rev-parse", "liza/one"))
	require.Equal(t, commit, coder.does("submit", `{"id": "one"}`)["commit"])

	p.must("git-liza", "review", "one", "--as", "code-reviewer-1")
	reviewer.everybodys("one")
	require.Contains(t, reviewer.does("show", `{"id": "one", "patch": -1}`)["patch"], "+a")
	reviewer.does("reject", fmt.Sprintf(`{"id": "one", "commit": %q, "blockers": [{"file": "one.txt", "line": 1, "issue": "too short"}]}`, commit))
	verdict := coder.does("await", `{"id": "one"}`)
	require.Equal(t, "REJECTED", verdict["status"])
	require.Equal(t, "git liza claim one", verdict["next"].([]any)[0].(map[string]any)["command"])

	p.must("git-liza", "claim", "one", "--as", "coder-1")
	coder.does("intent", `{"id": "one", "summary": "S", "validation": "V"}`)
	commit = p.commit("one", "ab")
	coder.does("submit", `{"id": "one"}`)
	require.Equal(t, "READY_FOR_REVIEW", reviewer.does("await", `{"id": "one", "for": "resubmission"}`)["status"])
	p.must("git-liza", "review", "one", "--as", "code-reviewer-1")
	reviewer.does("approve", fmt.Sprintf(`{"id": "one", "commit": %q, "message": "good"}`, commit))
	require.Equal(t, "APPROVED", p.show("one")["status"])

	p.must("git-liza", "claim", "two", "--as", "coder-1")
	coder.does("block", `{"id": "two", "reason": "R", "question": ["Q?"]}`)
	coder.allCalled()
	reviewer.allCalled()
	p.must("git-liza", "fsck", "--full")
}

// A planner plans by tools; a human has the same tools and some more.
func TestMCPPlans(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"planner-1", ""} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			p := newPlayground(t)
			c := p.client(as)
			data := c.does("task_add", fmt.Sprintf(`{"tasks": [%s, %s]}`, fmt.Sprintf(newTask, "one"), fmt.Sprintf(newTask, "two")))
			require.Equal(t, []any{"one", "two"}, data["tasks"])
			c.does("task_add", `{"tasks": [{"draft": true}]}`)
			const faulty = `{"check": true, "plan": "- {id: six, title: T}\n- {id: six, depends_on: [none]}\n"}`
			require.Len(t, c.refused("plan_import", faulty, "plan")["data"].(map[string]any)["errors"], 4, "all of them")
			require.Contains(t, textOf(c.ask("plan_import", faulty)), "six depends on none, which does not exist", "clients show the text alone")
			const sound = `{"plan": "feature: F\ndefaults: {done_when: D, spec: specs/vision.md, scope: S, kind: docs}\ntasks:\n- {id: five, title: T}\n"}`
			require.Equal(t, []any{"five"}, c.does("plan_import", sound)["added"])
			require.Empty(t, c.does("plan_import", sound)["added"])
			c.does("task_edit", `{"id": "task-1", "title": "T", "done_when": "D", "spec": "specs/vision.md", "scope": "S", "depends_on": ["one"], "priority": 1}`)
			c.does("task_edit", `{"id": "task-1", "clear": ["depends_on"]}`)
			c.does("task_edit", `{"id": "task-1", "depends_on": ["one"]}`)
			require.True(t, c.ask("task_edit", `{"id": "task-1", "depends": ["one"]}`).IsError)
			c.does("task_edit", `{"id": "task-1", "role": "coder", "review_by": ["security-reviewer", "docs-reviewer"], "based_on": ["specs/vision.md"]}`)
			require.Equal(t, []any{"security-reviewer", "docs-reviewer"}, p.show("task-1")["review_by"])
			require.Equal(t, []any{"specs/vision.md"}, p.show("task-1")["based_on"])
			c.does("task_edit", `{"id": "task-1", "level": 2, "labels": ["core"], "estimate": "45m", "acceptance": ["it runs, and ends"], "create": ["a.txt"], "modify": ["specs/vision.md"], "context": "specs/vision.md#top", "consumers": ["two"], "integration_test": "a_test.go"}`)
			planned := p.show("task-1")
			require.Equal(t, []any{float64(2), []any{"core"}, "45m", []any{"it runs, and ends"}, []any{"a.txt", "specs/vision.md"}, "specs/vision.md#top", []any{"two"}},
				[]any{planned["level"], planned["labels"], planned["estimate"], planned["acceptance"], planned["owns"], planned["context"], planned["consumers"]})
			c.does("task_edit", `{"id": "task-1", "clear": ["files", "owns", "labels", "acceptance", "consumers", "context", "estimate"]}`)
			without := `{"id": "task-1", "without": ["code-reviewer"]}`
			if as == "" {
				c.does("task_edit", without)
				require.Equal(t, []any{"code-reviewer"}, p.show("task-1")["without"])
			} else {
				c.refused("task_edit", without, "not_allowed")
			}
			c.does("task_edit", `{"id": "task-1", "clear": ["review_by", "based_on", "without"]}`)
			require.Empty(t, p.show("task-1")["review_by"])
			c.does("finalize", `{"id": ["task-1"]}`)
			require.Equal(t, []any{"one"}, p.show("task-1")["depends_on"])
			require.Equal(t, []any{"one", "task-1"}, c.does("graph", `{"goal": "goal-1"}`)["critical"])
			gap := c.everybodys("one")
			c.does("record", `{"kind": "alignment", "text": "on the way"}`)
			c.refused("record", `{"kind": "alignment", "text": "on the way", "answers": "checkpoint-1"}`, "decision")
			c.does("record", `{"kind": "defer", "id": "`+gap+`", "until": "3d", "reason": "no hurry"}`)
			c.refused("task_add", `{"tasks": [{"id": "anew", "title": "T", "done_when": "D", "spec": "specs/vision.md", "scope": "S", "reverts": ["one"]}]}`, "wrong_state")
			c.refused("task_add", `{"tasks": [{"id": "anew", "title": "T", "done_when": "D", "spec": "specs/vision.md", "scope": "S", "reopens": "one"}]}`, "wrong_state")
			c.does("convert", `{"discovery": "`+gap+`", "id": "gap", "done_when": "D", "spec": "specs/vision.md", "scope": "S"}`)
			c.does("abandon", `{"id": "gap", "reason": "R"}`)
			c.refused("await", `{"id": "gap"}`, "final")

			p.must("git-liza", "claim", "one", "--as", "coder-1")
			p.must("git-liza", "intent", "one", "--as", "coder-1", "--summary", "S", "--validation", "V")
			commit := p.commit("one", "a")
			p.must("git-liza", "submit", "one", "--as", "coder-1")
			p.must("git-liza", "review", "one", "--as", "code-reviewer-1")
			p.must("git-liza", "approve", "one", "--as", "code-reviewer-1", "--commit", commit)
			no := fmt.Sprintf(`{"id": "one", "commit": %q, "blockers": [{"issue": "not what I meant"}]}`, commit)
			if as == "" {
				c.does("reject", no)
				c.does("pause", `{"reason": "lunch"}`)
				c.does("resume", `{"reason": "fed"}`)
			} else {
				_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "reject", Arguments: json.RawMessage(no)})
				require.ErrorContains(t, err, "unknown tool")
				p.must("git-liza", "reject", "one", "--commit", commit, "--reason", "- [blocker] one.txt — no")
			}
			questions := func(n int) map[string]any { return p.show("one")["questions"].([]any)[n].(map[string]any) }
			c.does("block", `{"id": "one", "reason": "R", "question": ["Q?"]}`)
			p.must("git-liza", "answer", questions(0)["id"].(string), "A")
			require.Equal(t, "REJECTED", p.show("one")["status"], "the answer leads on")
			p.must("git-liza", "block", "one", "--question", "Which one?", "--to", "human")
			require.Equal(t, "human", questions(1)["to"])
			c.refused("unblock", `{"id": "one"}`, "wrong_state")
			c.does("answer", fmt.Sprintf(`{"question": %q, "text": "This"}`, questions(1)["id"]))
			c.does("block", `{"id": "one", "reason": "R", "question": ["Where?"]}`)
			if as == "" {
				c.refused("unblock", `{"id": "one"}`, "wrong_state")
			}
			c.does("unblock", `{"id": "one", "unanswered": true}`)
			c.does("supersede", fmt.Sprintf(`{"id": "two", "reason": "R", "tasks": [%s]}`, strings.Replace(fmt.Sprintf(newTask, "three"), `"S"`, `"Less"`, 1)))
			require.Equal(t, []any{"three"}, p.show("two")["superseded_by"])
			c.allCalled()
			p.must("git-liza", "fsck", "--full")
		})
	}
}

// A refusal says what would be legal instead.
func TestMCPRefusals(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	p.add("two")
	c := p.client("coder-1")
	p.must("git-liza", "claim", "one", "--as", "coder-1")

	data := c.refused("submit", `{"id": "one"}`, "intent")
	require.Equal(t, "refused", data["outcome"])
	moves := data["moves"].([]any)
	require.Contains(t, moves, map[string]any{"act": "intent", "task": "one", "tool": "intent"})
	require.Contains(t, moves, map[string]any{"act": "block", "task": "one", "tool": "block"})
	require.Contains(t, moves, map[string]any{"act": "release", "task": "one"}, "legal, but no tool")
	require.Contains(t, moves, map[string]any{"act": "note", "tool": "note"})
	require.NotContains(t, fmt.Sprint(moves), "approve")

	data = c.refused("intent", `{"id": "two", "summary": "S", "validation": "V"}`, "wrong_state")
	require.Contains(t, data["moves"], map[string]any{"act": "intent", "task": "one", "tool": "intent"}, "what it holds is told")
	c.refused("show", `{"id": "nine"}`, "not_found")
	c.refused("note", `{"text": "-"}`, "text") // there is no standard input to read it from

	// However many tasks there are, the caller's own is among those that are told.
	var many []string
	for n := range 2 * maxLegal {
		many = append(many, fmt.Sprintf(newTask, fmt.Sprintf("a%d", n)))
	}
	p.client("planner-1").does("task_add", `{"tasks": [`+strings.Join(many, ",")+`]}`)
	p.add("late")
	p.must("git-liza", "claim", "late", "--as", "coder-2")
	late := p.client("coder-2")
	data = late.refused("submit", `{"id": "late"}`, "intent")
	require.Contains(t, data["moves"], map[string]any{"act": "intent", "task": "late", "tool": "intent"})
	data = late.refused("handoff", `{"id": "two", "summary": "S", "next_action": "N"}`, "wrong_state")
	require.Contains(t, data["moves"], map[string]any{"act": "intent", "task": "late", "tool": "intent"})
	require.LessOrEqual(t, len(data["moves"].([]any)), maxLegal+len(tools))

	for arguments, want := range map[string]string{
		`{}`:                           "id: it is missing",
		`{"id": "two", "sumary": "S"}`: "sumary: there is no such argument",
		`{"id": "no way"}`:             "id: ",
		`{"id": "one", "summary": 3}`:  "summary: want a value of type string, not number",
		`{"id": "one", "summary": "S", "validation": "V", "files": "a"}`: "files: want a list of strings, not string",
		`[]`: "want an object",
	} {
		data := c.refused("intent", arguments, "usage")
		require.Contains(t, data["reason"], want, arguments)
	}
	for arguments, want := range map[string]string{
		`{"text": "T"}`:                                                  `kind: want anomaly or discovery, not ""`,
		`{"kind": "alignment", "text": "T"}`:                             `kind: want anomaly or discovery, not "alignment"`,
		`{"kind": "discovery", "text": "T"}`:                             "severity: it is missing",
		`{"kind": "anomaly", "type": "workaround", "severity": "low"}`:   "severity: there is no such argument",
		`{"kind": "anomaly", "kind": "anomaly", "type": "debt_created"}`: "kind: it is given twice",
	} {
		require.Contains(t, c.refused("record", arguments, "usage")["reason"], want, arguments)
	}
	c.refused("await", `{"id": "one", "for": "ever"}`, "usage")
	c.refused("await", `{"id": "one", "timeout": "11m"}`, "usage")
	_, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "claim", Arguments: json.RawMessage(`{"id": "two"}`)})
	require.ErrorContains(t, err, "unknown tool")
}

// A tool answers what the command prints with --json, and changes what the command
// would have changed.
func TestMCPAnswersAsTheCommandLine(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	c := p.client("coder-1")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	for tool, command := range map[string][]string{"show": {"show", "one"}, "list": {"list"}} {
		var want struct{ Data map[string]any }
		require.NoError(t, json.Unmarshal([]byte(p.must(append([]string{"git-liza", "--as", "coder-1", "--json"}, command...)...)), &want))
		arguments := `{"id": "one"}`
		if tool == "list" {
			arguments = "{}"
		}
		require.Equal(t, want.Data, c.does(tool, arguments))
	}
	// A verify command that a model gives as the human is not trusted for that.
	p.add("two")
	p.client("").does("task_edit", `{"id": "two", "verify": "false"}`)
	require.Contains(t, p.must("git-liza", "trust", "--list"), "  not yet  two")
	p.must("git-liza", "task", "edit", "two", "--verify", "true")
	require.Contains(t, p.must("git-liza", "trust", "--list"), "  trusted  two")
}

// Resources and prompts are what the commands print.
func TestMCPResourcesAndPrompts(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	c := p.client("coder-1")
	for uri, key := range map[string]string{"liza:///state": "tasks", "liza:///goal": "title", "liza:///tasks/one": "history"} {
		r, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		require.NoError(t, err, uri)
		var data map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.Contents[0].Text), &data))
		require.NotEmpty(t, data[key], uri)
	}
	for _, uri := range []string{"liza:///tasks/nine", "liza:///tasks/../one", "liza:///nothing"} {
		_, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri})
		require.Error(t, err, uri)
	}
	templates, err := c.ListResourceTemplates(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "liza:///tasks/{id}", templates.ResourceTemplates[0].URITemplate)

	prompts, err := c.ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, prompts.Prompts, 1, "its own role's")
	got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "coder", Arguments: map[string]string{"task": "one"}})
	require.NoError(t, err)
	text := got.Messages[0].Content.(*sdk.TextContent).Text
	require.Equal(t, p.must("git-liza", "session", "prompt", "coder", "one", "--as", "coder-1"), strings.TrimSpace(text))
	for _, arguments := range []map[string]string{nil, {"task": "nine"}, {"task": "no way"}} {
		_, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "coder", Arguments: arguments})
		require.Error(t, err, arguments)
	}
	human, err := p.client("").ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, human.Prompts, 11, "one of each role of the board")

	// An agent of another role has the tools of what its role is for.
	require.Equal(t, p.client("code-reviewer-1").tools(), p.client("security-reviewer-1").tools())
	judge, err := p.client("security-reviewer-1").ListPrompts(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, "security-reviewer", judge.Prompts[0].Name)
}

// A client hears of a task when somebody else has changed what it reads of it,
// and of the board with every move.
func TestMCPSubscriptions(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	p.add("two")
	c := p.clientOf("", "2025-06-18") // there a subscription is made when the call returns
	const one, two = "liza:///tasks/one", "liza:///tasks/two"
	subscribe := func(uri string) error { return c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: uri}) }
	require.Error(t, subscribe("liza:///tasks/nine"))
	require.Error(t, subscribe("liza:///nothing"))
	require.NoError(t, subscribe(one))
	require.NoError(t, subscribe(two))
	// Not a claim, which makes the worktree after its move: that is heard of once or twice.
	p.must("git-liza", "task", "edit", "one", "--priority", "2")
	require.Equal(t, one, <-c.heard)
	p.must("git-liza", "task", "edit", "one", "--priority", "3")
	require.Equal(t, one, <-c.heard, "nothing was said of the other")
	require.NoError(t, c.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: one}))
	p.must("git-liza", "claim", "one") // by a person: the other task names the first idle coder, who could take it
	p.must("git-liza", "task", "edit", "two", "--priority", "2")
	require.Equal(t, two, <-c.heard)
	require.NoError(t, c.Unsubscribe(t.Context(), &sdk.UnsubscribeParams{URI: two}))
	require.NoError(t, subscribe("liza:///state"))
	c.does("note", `{"text": "about nothing"}`)
	require.Equal(t, "liza:///state", <-c.heard)
	require.Empty(t, c.heard)
}

// A worktree that appears or goes without a move is heard of too: a claim makes its
// worktree after its move.
func TestMCPSubscriptionToWorktree(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	c := p.clientOf("", "2025-06-18")
	const one = "liza:///tasks/one"
	require.NoError(t, c.Subscribe(t.Context(), &sdk.SubscribeParams{URI: one}))
	tree, away := filepath.Join(p.repo, ".worktrees", "one"), filepath.Join(t.TempDir(), "one")
	require.NoError(t, os.Rename(tree, away))
	require.Equal(t, one, <-c.heard)
	require.NoError(t, os.Rename(away, tree))
	require.Equal(t, one, <-c.heard)
}

// Several servers, each asked for several things at once, and the command line
// beside them: every move is one commit, and none is lost.
func TestMCPTogether(t *testing.T) {
	t.Parallel()
	const clients, calls = 4, 5
	p := newPlayground(t)
	before, err := strconv.Atoi(p.must("git", "rev-list", "--count", "refs/liza/state"))
	require.NoError(t, err)
	var all sync.WaitGroup
	failed := make(chan string, 100)
	for i := range clients {
		c := p.client(fmt.Sprintf("coder-%d", i+1))
		for n := range calls {
			all.Add(1)
			go func() {
				defer all.Done()
				r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "note", Arguments: map[string]any{"text": fmt.Sprintf("%d of %d", n, i)}})
				if err != nil || r.IsError {
					failed <- fmt.Sprint(err, r)
				}
			}()
		}
	}
	for n := range calls {
		if code, stdout, stderr := p.run(nil, "git-liza", "note", fmt.Sprint(n)); code != 0 {
			failed <- stdout + stderr
		}
	}
	all.Wait()
	close(failed)
	for text := range failed {
		t.Error(text)
	}
	after, err := strconv.Atoi(p.must("git", "rev-list", "--count", "refs/liza/state"))
	require.NoError(t, err)
	require.Equal(t, clients*calls+calls, after-before)
	p.must("git-liza", "fsck", "--full")
}

// A task is claimed by hand by several; the tools of all but one are refused.
func TestMCPOneHolder(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	p.client("coder-1").does("intent", `{"id": "one", "summary": "S", "validation": "V"}`)
	other := p.client("coder-2")
	other.refused("intent", `{"id": "one", "summary": "S", "validation": "V"}`, "not_holder")
	other.refused("block", `{"id": "one", "reason": "R", "question": ["Q?"]}`, "not_holder")
}

// A line that is no message is answered, and the next one is served. Standard
// output holds nothing but messages; its end is the end.
func TestMCPGarbage(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	cmd := p.server("coder-1")
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	say := func(line string) map[string]any {
		t.Helper()
		_, err := io.WriteString(in, line+"\n")
		require.NoError(t, err)
		require.True(t, lines.Scan(), "no answer to %.80s", line)
		var answer map[string]any
		require.NoError(t, json.Unmarshal(lines.Bytes(), &answer), lines.Text())
		return answer
	}
	code := func(answer map[string]any) float64 {
		t.Helper()
		require.Contains(t, answer, "error", answer)
		return answer["error"].(map[string]any)["code"].(float64)
	}
	say(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
	for line, want := range map[string]float64{
		`{garbage`: -32700, "\xff\xfe": -32700, `{"jsonrpc": "2.0", "id": 1`: -32700,
		`[]`: -32600, `7`: -32600, `{}`: -32600, `{"id": 5, "method": "ping"}`: -32600, strings.Repeat("x", 5<<20): -32600,
		`{"jsonrpc":"2.0","id":6,"method":"no/such"}`:                                        -32601,
		`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nothing"}}`:         -32602,
		`{"jsonrpc":"2.0","id":8,"method":"tools/call","params":[]}`:                         -32602,
		`{"jsonrpc":"2.0","id":9,"method":"resources/read","params":{"uri":"liza:///no"}}`:   -32602,
		`{"jsonrpc":"2.0","id":10,"method":"prompts/get","params":{"name":"code-reviewer"}}`: -32602,
	} {
		require.Equal(t, want, code(say(line)), "%.80s", line)
	}
	require.Equal(t, float64(11), say(`{"jsonrpc":"2.0","id":11,"method":"ping"}`)["id"])
	require.NoError(t, in.Close())
	require.False(t, lines.Scan(), lines.Text())
	require.NoError(t, cmd.Wait())
}

// A server ends with its client, and at a signal, whatever it waits for. While
// it waits its agent's supervisor can tell.
func TestMCPEnds(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*exec.Cmd, io.Closer) error{
		"its client leaves": func(_ *exec.Cmd, in io.Closer) error { return in.Close() },
		"a signal":          func(cmd *exec.Cmd, _ io.Closer) error { return cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlayground(t)
			p.add("one")
			p.must("git-liza", "claim", "one", "--as", "coder-1")
			cmd := p.server("coder-1")
			var out bytes.Buffer
			cmd.Stdout = &out
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"await","arguments":{"id":"one","for":"resubmission"}}}
`)
			common := filepath.Join(p.repo, ".git")
			require.Eventually(t, func() bool { return work.Awaiting(common, "coder-1") }, time.Minute, 5*time.Millisecond)
			require.NoError(t, end(cmd, in))
			require.NoError(t, cmd.Wait(), "it ends well")
			require.False(t, work.Awaiting(common, "coder-1"))
		})
	}
}

// A client that waits is told that the wait continues, can do other things
// meanwhile, and hears of the verdict; one that cancels waits no longer.
func TestMCPAwaits(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	p.must("git-liza", "intent", "one", "--as", "coder-1", "--summary", "S", "--validation", "V")
	commit := p.commit("one", "a")
	c := p.client("coder-1")
	c.does("submit", `{"id": "one"}`)
	p.must("git-liza", "review", "one", "--as", "code-reviewer-1")

	waiting := func(ctx context.Context) chan *sdk.CallToolResult {
		came := make(chan *sdk.CallToolResult, 1)
		params := &sdk.CallToolParams{Name: "await", Arguments: json.RawMessage(`{"id": "one"}`)}
		params.SetProgressToken("waiting")
		go func() {
			r, _ := c.CallTool(ctx, params)
			came <- r
		}()
		require.Contains(t, <-c.told, "one is READY_FOR_REVIEW; waiting for verdict up to 10m")
		return came
	}
	cancelled, cancel := context.WithCancel(t.Context())
	first := waiting(cancelled)
	common := filepath.Join(p.repo, ".git")
	require.True(t, work.Awaiting(common, "coder-1"))
	cancel()
	require.Nil(t, <-first)
	require.Eventually(t, func() bool { return !work.Awaiting(common, "coder-1") }, time.Minute, 5*time.Millisecond)

	second := waiting(t.Context())
	c.does("note", `{"text": "meanwhile"}`)
	require.Empty(t, second, "a note is no verdict")
	p.must("git-liza", "approve", "one", "--as", "code-reviewer-1", "--commit", commit, "-m", "fine")
	r := <-second
	require.False(t, r.IsError, textOf(r))
	require.Contains(t, textOf(r), "one APPROVED by code-reviewer-1\nfine")
}

// A tool that a session calls tells it, once, what others wrote for it meanwhile.
func TestMCPTellsNews(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	p.must("git-liza", "claim", "one", "--as", "coder-1")
	note := board.RecordID(strings.Fields(p.must("git-liza", "note", "the port is 8080", "--for", "one"))[1])
	repo, err := git.Open(t.Context(), p.repo)
	require.NoError(t, err)
	require.NoError(t, work.Tell(repo, "coder-1", work.ToldNote(note), work.ToldText("specs/vision.md")))

	p.env = append(p.env, "LIZA_AGENT_ID=coder-1", "LIZA_GENERATION=00112233aabbccdd.child")
	c := p.client("coder-1")
	_, err = c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "liza:///tasks/one"})
	require.NoError(t, err, "which has no place for it")
	news := c.ask("show", `{"id": "one"}`)
	require.Regexp(t, `^\{"id":"one",.*\}\nnote from human:ann: the port is 8080\n`+
		`changed: specs/vision.md, which your work stands on; git liza artifact show specs/vision.md\n$`, textOf(news))
	require.Nil(t, news.StructuredContent, "Claude Code shows its model no text beside it")
	require.NotContains(t, textOf(c.ask("show", `{"id": "one"}`)), "8080")
}

// The line at which a program ends its session is in the answer to the tool that made the move,
// where the program reads it, and in no other.
func TestMCPEndsSessions(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.add("one")
	const generation = board.Generation("00112233aabbccdd")
	repo, err := git.Open(t.Context(), p.repo)
	require.NoError(t, err)
	clone, err := work.Open(t.Context(), repo, time.Now, p.env)
	require.NoError(t, err)
	require.NoError(t, clone.Identify(t.Context(), "coder-1", generation))
	_, err = clone.Make(t.Context(), board.ActRegister, "", &flow.RegisterMove{Agent: "coder-1", Generation: generation})
	require.NoError(t, err)
	p.env = append(p.env, "LIZA_AGENT_ID=coder-1", "LIZA_GENERATION="+string(generation))
	p.must("git-liza", "claim", "one")
	p.env = append(p.env, "LIZA_GENERATION="+string(generation.Child()), "LIZA_ENDS=told submit block handoff")
	c := p.client("")
	const end = "liza: session 00112233aabbccdd.child ends here\n"
	for _, call := range []struct {
		tool, arguments string
		ends            bool
	}{
		{"handoff", `{"id": "one", "summary": "S"}`, false},
		{"intent", `{"id": "one", "summary": "S", "validation": "V"}`, false},
		{"handoff", `{"id": "one", "summary": "half", "next_action": "the rest"}`, true},
		{"block", `{"id": "one", "reason": "R", "question": ["Q?"]}`, true},
	} {
		r := c.ask(call.tool, call.arguments)
		require.Equal(t, call.ends, strings.HasSuffix(textOf(r), "\n"+end), "%s: %s", call.tool, textOf(r))
		require.Equal(t, call.ends, r.StructuredContent == nil, call.tool)
	}
}

// Clients decide by the hints of a tool whether they ask their user, so the hints
// must tell what the tool does to the board.
func TestMCPHints(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	list, err := p.client("").ListTools(t.Context(), nil)
	require.NoError(t, err)
	var reads, ends []string
	for _, tool := range list.Tools {
		require.NotEmpty(t, tool.Description, tool.Name)
		require.False(t, *tool.Annotations.OpenWorldHint, tool.Name)
		if tool.Annotations.ReadOnlyHint {
			reads = append(reads, tool.Name)
		}
		if hint := tool.Annotations.DestructiveHint; hint != nil && *hint {
			ends = append(ends, tool.Name)
		}
		schema := tool.InputSchema.(map[string]any)
		for name, property := range schema["properties"].(map[string]any) {
			require.NotEmpty(t, property.(map[string]any)["description"], "%s of %s", name, tool.Name)
		}
	}
	require.Equal(t, []string{"await", "graph", "list", "recall", "show"}, reads)
	require.Equal(t, []string{"abandon", "pause", "resume", "supersede", "task_edit"}, ends)
	require.False(t, slices.Contains(p.client("coder-1").tools(), "approve"))
	code, _, stderr := p.run([]string{"LIZA_AGENT_ID=no one"}, "git-liza", "mcp")
	require.Equal(t, exitUsage, code, stderr)
}
