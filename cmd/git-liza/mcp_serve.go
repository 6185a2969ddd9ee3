package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/mcp"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

const mcpInstructions = "The tasks of this repository stand on the blackboard of git liza. Read your task with show before you act. " +
	"Report what you did with the tools, not in words: only accepted moves count. A refused move answers with the rule, the reason, a hint and the moves that are legal now."

// Run serves the client of the command.
func (c *mcpCommand) Run(inv *invocation) error {
	repo, err := inv.repo()
	if err != nil {
		return err
	}
	by, _, err := inv.actor(repo)
	if err != nil {
		return err
	}
	rows := inv.roleRows()
	capacity := sessionCapacity(inv.getenv, by.Role())
	for _, row := range rows {
		if row.Name == by.Role() {
			capacity = row.Capacity
		}
	}
	m := toolServer{inv, audienceOf(by, capacity)}
	if inv.getenv("LIZA_QUESTION") != "" && !by.IsHuman() {
		m.client = answerers
	}
	server := mcp.Server{Version: version, Instructions: mcpInstructions, Resources: m.resources(), Prompts: m.prompts(by.Role(), rows), Changes: m.watchBoard}
	server.Tools = m.tools()
	return server.Serve(inv.ctx, inv.stdin, inv.stdout, inv.stderr)
}

// A toolServer serves commands as tools to one client.
type toolServer struct {
	*invocation
	client audience // of whom the client is one
}

// has reports whether the client has a tool.
func (m toolServer) has(row toolRow) bool { return row.whose&m.client != 0 }

// roleRows are the roles of the board, those of every board where there is none
// to read.
func (inv *invocation) roleRows() []*board.RoleRow {
	if l, err := inv.look(); err == nil && len(l.reading.Board.Roles()) > 0 {
		return l.reading.Board.Roles()
	}
	return board.BuiltinRoles()[:len(board.FirstRoles())]
}

// run runs a command on behalf of a client. The command does not read the
// protocol's stream.
func (m toolServer) run(ctx context.Context, c any, tell func(string)) (*call, error) {
	inner := *m.invocation
	inner.ctx, inner.stdin, inner.stdout, inner.json = ctx, strings.NewReader(""), io.Discard, true
	inner.call = &call{data: struct{}{}, tell: tell}
	return inner.call, inner.runCommand(c)
}

// silent drops lines about progress, for requests without any.
func silent(string) {}

// tools makes the client's tools of their rows. Rows of one tool are its kinds.
func (m toolServer) tools() (list []mcp.Tool) {
	kinds := map[string]int{} // the tool's place in the list
	for _, row := range tools {
		if !m.has(row) {
			continue
		}
		t := m.toolOfRow(row)
		name, kind, _ := strings.Cut(row.name, " ")
		at, known := kinds[name]
		switch {
		case kind == "":
		case known:
			list[at].About += " " + kind + ": " + t.About
			list[at].Kinds = append(list[at].Kinds, mcp.Kind{Name: kind, Input: t.Input})
			continue
		default:
			kinds[name] = len(list)
			t.Name, t.About, t.Kinds = name, "Write a record. "+kind+": "+t.About, []mcp.Kind{{Name: kind, Input: t.Input}}
		}
		list = append(list, t)
	}
	return list
}

// toolOfRow makes a tool of a row.
func (m toolServer) toolOfRow(row toolRow) mcp.Tool {
	return mcp.Tool{Name: row.name, About: row.about, Effect: row.effect,
		Input: row.input,
		Call: func(ctx context.Context, input any, tell func(string)) mcp.Answer {
			got, err := m.run(ctx, input, tell)
			if err != nil {
				refused := m.refuse(ctx, row.act, input, err)
				if got.text != "" {
					refused.Text = strings.TrimSuffix(got.text, "\n") + "\n" + refused.Text
				}
				return refused
			}
			var told strings.Builder
			beside := *m.invocation
			beside.stderr = &told
			printTold(&beside)
			noteMove(&beside, row.act.Command(), nil)
			return mcp.Answer{Text: got.text, Data: got.data, Told: told.String()}
		}}
}

// A refusal is the answer to a call that failed, with the moves that are
// legal instead.
type refusal struct {
	Outcome string      `json:"outcome"` // as the command line spells it
	Rule    string      `json:"rule"`
	Reason  string      `json:"reason"`
	Hint    string      `json:"hint"`
	Tool    string      `json:"tool,omitempty"` // the caller's tool that does what the hint does
	Moves   []legalMove `json:"moves"`          // legal now; moves on the same task come first
	Data    any         `json:"data,omitempty"`
}

// A legalMove is a move that the rules let the caller begin now.
type legalMove struct {
	Act  board.Act    `json:"act"`
	Task board.TaskID `json:"task,omitempty"`
	Tool string       `json:"tool,omitempty"` // "" if this client has no tool for the move
}

func (m toolServer) refuse(ctx context.Context, act board.Act, input any, err error) mcp.Answer {
	f := hints{m.invocation}.explain(err)
	noteMove(m.invocation, act.Command(), &f)
	r := refusal{Outcome: f.outcome, Rule: string(f.rule), Reason: f.reason, Hint: f.hint, Data: f.data, Moves: []legalMove{}}
	if moves, err := m.legalMoves(ctx, aboutTask(input)); err == nil { // if the board cannot be read, that is why the call failed
		r.Moves = moves
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s\nrule: %s\nhint: %s\n", r.Outcome, r.Reason, r.Rule, r.Hint)
	if r.Tool = m.toolOf(r.Hint); r.Tool != "" {
		fmt.Fprintf(&text, "tool: %s\n", r.Tool)
	}
	var calls []string
	for _, m := range r.Moves {
		if call := strings.TrimSpace(m.Tool + " " + string(m.Task)); m.Tool != "" && !slices.Contains(calls, call) {
			calls = append(calls, call)
		}
	}
	if calls != nil {
		text.WriteString("legal now: " + strings.Join(calls, ", "))
	}
	return mcp.Answer{Failed: true, Text: text.String(), Data: r}
}

// toolOf returns the caller's tool for the command in a hint, "" if there is none.
func (m toolServer) toolOf(hint string) string {
	command, liza := strings.CutPrefix(hint, "git liza ")
	for _, row := range tools {
		words := strings.ReplaceAll(row.name, "_", " ")
		does := liza && (isCommand(command, words) || row.act != 0 && isCommand(command, row.act.Command())) || row.name == "commit" && strings.Contains(hint, " commit") && !liza
		if does && m.has(row) {
			return row.tool()
		}
	}
	return ""
}

// isCommand reports whether a command line is a command, perhaps with arguments.
func isCommand(line, command string) bool {
	return line == command || strings.HasPrefix(line, command+" ")
}

// aboutTask returns the task that a call names, "" if none.
func aboutTask(input any) board.TaskID {
	if named := reflect.ValueOf(input).Elem().FieldByName("ID"); named.IsValid() {
		id, _ := named.Interface().(board.TaskID)
		return id
	}
	return ""
}

// maxLegal bounds the legal moves that a refusal lists, and the tasks that are
// searched for them.
const maxLegal = 40

// legalMoves returns the moves that the rules let the caller begin: on the named
// task, on tasks that it holds, on other open tasks, and moves without a task.
func (m toolServer) legalMoves(ctx context.Context, about board.TaskID) ([]legalMove, error) {
	inner := *m.invocation
	inner.ctx = ctx
	clone, err := inner.clone()
	if err != nil {
		return nil, err
	}
	b, _, err := clone.Store.Board(ctx)
	if err != nil {
		return nil, err
	}
	at := clone.Store.Now()
	mine := map[board.Act]string{}
	moves := []legalMove{}
	for _, row := range tools {
		if row.act == 0 || !m.has(row) {
			continue
		}
		mine[row.act] = row.tool()
	}
	for _, id := range candidates(b, clone.By.Agent(), about) {
		for _, act := range flow.Acts(b, id, clone.Caller, at) {
			if len(moves) < maxLegal {
				moves = append(moves, legalMove{act, id, mine[act]})
			}
		}
	}
	for _, row := range tools {
		if mine[row.act] == row.tool() && flow.Opens(b, row.act, "", clone.Caller, at) == nil {
			moves = append(moves, legalMove{row.act, "", row.tool()})
		}
	}
	return moves, b.Err()
}

// candidates returns the tasks whose legal moves are listed, the most
// relevant first.
func candidates(b *board.Board, agent board.AgentID, about board.TaskID) []board.TaskID {
	list := []board.TaskID{about}
	if a := b.Agent(agent); a != nil {
		list = append(list, a.Task, a.Review)
	}
	for _, t := range b.Tasks() {
		if !t.Status.Final() && len(list) < maxLegal {
			list = append(list, t.ID)
		}
	}
	seen := map[board.TaskID]bool{"": true}
	return slices.DeleteFunc(list, func(id board.TaskID) bool {
		again := seen[id]
		seen[id] = true
		return again
	})
}

// taskURI is the prefix of the address of a task's resource.
const taskURI = "liza:///tasks/"

// resources returns the board's documents in the form in which commands print
// them.
func (m toolServer) resources() []mcp.Resource {
	read := func(c func(uri string) (any, error)) func(context.Context, string) (string, error) {
		return func(ctx context.Context, uri string) (string, error) {
			command, err := c(uri)
			if err != nil {
				return "", err
			}
			return m.documentOf(ctx, command)
		}
	}
	always := func(c any) func(string) (any, error) { return func(string) (any, error) { return c, nil } }
	return []mcp.Resource{
		{Name: "state", About: "The whole blackboard.", URI: "liza:///state", Restless: true, Read: read(always(&stateCommand{}))},
		{Name: "goal", About: "The current goal.", URI: "liza:///goal", Read: read(always(&goalShowCommand{}))},
		{Name: "task", About: "A task with its submissions and its history.", URI: taskURI + "{id}", Read: read(func(uri string) (any, error) {
			text, err := url.PathUnescape(strings.TrimPrefix(uri, taskURI))
			var id board.TaskID
			if err != nil || id.UnmarshalText([]byte(text)) != nil {
				return nil, mcp.ErrNotFound
			}
			return &showCommand{ID: text}, nil
		})},
	}
}

// checkoutLook is the time between two looks at which checkouts there are: a claim makes
// its worktree after its move.
const checkoutLook = 300 * time.Millisecond

// watchBoard watches the board, and which checkouts there are, for clients that
// subscribed to something on it.
func (m toolServer) watchBoard(ctx context.Context) (next func() bool, err error) {
	clone, err := m.clone()
	if err != nil {
		return nil, err
	}
	view, err := clone.FollowTip(ctx)
	if err != nil {
		return nil, err
	}
	_, changed := view.Now()
	there := clone.Checkouts.Names(ctx)
	return func() bool {
		look := time.NewTicker(checkoutLook)
		defer look.Stop()
		for {
			select {
			case <-changed:
				_, changed = view.Now()
				return true
			case <-look.C:
				if now := clone.Checkouts.Names(ctx); !slices.Equal(now, there) {
					there = now
					return true
				}
			case <-ctx.Done():
				return false
			}
		}
	}, nil
}

// documentOf returns the answer of a command as JSON.
func (m toolServer) documentOf(ctx context.Context, c any) (string, error) {
	got, err := m.run(ctx, c, silent)
	if flow.IsRefused(err, flow.RuleNotFound) {
		return "", mcp.ErrNotFound
	}
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(got.data)
	return string(text), err
}

// prompts returns the prompts of the caller's role, or of all roles of the board
// for a human.
func (m toolServer) prompts(of board.Role, rows []*board.RoleRow) []mcp.Prompt {
	var list []mcp.Prompt
	for _, row := range rows {
		role := row.Name
		if of != "" && of != role {
			continue
		}
		list = append(list, mcp.Prompt{Name: role.String(), About: "What a " + role.String() + " is told when it is started.", Task: row.Capacity != board.Plans,
			Text: func(ctx context.Context, task string) (string, error) {
				c := &sessionPromptCommand{Role: role}
				if task != "" {
					if err := c.Task.UnmarshalText([]byte(task)); err != nil {
						return "", err
					}
				}
				document, err := m.documentOf(ctx, c)
				if err != nil {
					return "", err
				}
				var prompt struct{ Text string }
				return prompt.Text, json.Unmarshal([]byte(document), &prompt)
			}})
	}
	return list
}
