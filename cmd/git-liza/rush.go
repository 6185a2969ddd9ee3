package main

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

type rushCommand struct {
	Planners  *int         `placeholder:"1" help:"How many planners."`
	Coders    *int         `placeholder:"2" help:"How many coders."`
	Reviewers *int         `placeholder:"1" help:"How many code-reviewers."`
	Agents    []string     `placeholder:"ROLE=N,…" help:"How many agents of each of these roles; of roles that are not named, what the other flags say, and one of each that the workflow of a goal names."`
	Provider  []string     `sep:"none" placeholder:"[ROLE=]P" help:"NAME or NAME:MODEL of git liza providers list, or exec:COMMAND, which gets the prompt on standard input; for one role, or for all roles whose row on the board names none; repeatable; default: git config liza.ROLE.provider, liza.provider."`
	UntilIdle bool         `help:"End when every task is final (0), or nothing can move without a human (1)."`
	Goal      board.GoalID `placeholder:"G" help:"Take only work of this goal; default: all goals in progress, by priority."`
	Follow    followed     `placeholder:"AGENT|all" help:"Show the output of this agent, or of all, too."`
	Quiet     bool         `short:"q" help:"Print only what needs a person, and the summary."`
	DryRun    bool         `help:"Begin nothing: print what would keep agents from their work here, what each would do first, and how long the open tasks may take."`
	JSONL     bool         `name:"jsonl" help:"One JSON object a line: each message as it comes, then what --json prints at the end."`

	Add []string `placeholder:"ROLE=N,…" help:"Begin nothing, but add so many agents of each of these roles to the rush that runs in this clone; with --provider also of other programs."`
}

// followed is the agent whose output is shown, or all of them.
type followed board.AgentID

func (f *followed) UnmarshalText(text []byte) error {
	if string(text) == string(supervise.FollowAll) {
		*f = followed(supervise.FollowAll)
		return nil
	}
	return (*board.AgentID)(f).UnmarshalText(text)
}

func (c *rushCommand) Run(inv *invocation) error {
	if len(c.Add) > 0 {
		return c.change(inv)
	}
	team, slots, wrong, err := c.team(inv)
	if err != nil {
		return err
	}
	if c.DryRun {
		return team.dryRun(slots, wrong)
	}
	return team.work(slots)
}

// team returns the supervisors that the flags ask for, with the agents to begin and why
// some of them have no provider, as slots says it.
func (c *rushCommand) team(inv *invocation) (team *supervisors, slots []supervise.Slot, wrong []work.Finding, err error) {
	if team, err = newSupervisors(inv); err != nil {
		return nil, nil, nil, err
	}
	team.isRush = true
	team.rush.UntilIdle, team.rush.Follow = c.UntilIdle, board.AgentID(c.Follow)
	team.out.quiet, team.out.lines = c.Quiet, c.JSONL
	if c.JSONL {
		inv.json = true // errors and the end of the rush too
	}
	if err := team.serve(c.Goal); err != nil {
		return nil, nil, nil, err
	}
	chosen, err := c.providers(team.board)
	if err != nil {
		return nil, nil, nil, err
	}
	counts, err := c.counts(team.board, c.Goal)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, role := range slices.Sorted(maps.Keys(counts)) {
		if err := checkRole(team.board, role); err != nil {
			return nil, nil, nil, err
		}
	}
	if slots, wrong, err = c.slots(team, chosen, counts); err != nil {
		return nil, nil, nil, err
	}
	team.rush.Staff = func(b *board.Board, role board.Role, asked string) (supervise.Slot, error) {
		if err := checkRole(b, role); err != nil {
			return supervise.Slot{}, err
		}
		row := b.Role(role)
		if asked = cmp.Or(asked, chosen[role]); asked == "" && row.Provider == "" {
			asked = chosen[""]
		}
		p, err := team.choices.provider(team.rush.Self, row, asked)
		return supervise.Slot{Role: role, Provider: p}, err
	}
	if len(slots) == 0 {
		return nil, nil, nil, usagef("git liza help rush", "a rush needs at least one agent")
	}
	return team, slots, wrong, nil
}

// slots returns the agents to begin, with the provider of each. Of a dry run it returns why
// agents have none; elsewhere the first of these is the error.
func (c *rushCommand) slots(team *supervisors, chosen map[board.Role]string, counts map[board.Role]int) (slots []supervise.Slot, wrong []work.Finding, err error) {
	for _, row := range team.board.Roles() {
		text := chosen[row.Name]
		if text == "" && row.Provider == "" {
			text = chosen[""]
		}
		for n := range counts[row.Name] {
			p, err := team.provider(row.Name, text)
			switch {
			case err != nil && !c.DryRun:
				return nil, nil, err
			case err != nil && n == 0 && !slices.ContainsFunc(wrong, func(f work.Finding) bool { return f.Text == err.Error() }):
				wrong = append(wrong, team.findingOf("provider", err))
			}
			slots = append(slots, supervise.Slot{Role: row.Name, Provider: p})
		}
	}
	return slots, wrong, nil
}

// change adds agents to the rush that runs in this clone.
func (c *rushCommand) change(inv *invocation) error {
	if !reflect.DeepEqual(*c, rushCommand{Add: c.Add, Provider: c.Provider}) {
		return usagef("git liza help rush", "--add stands alone or with --provider: it changes the rush that runs")
	}
	chosen, err := c.providers(nil)
	if err != nil {
		return err
	}
	added, pid := []board.AgentID{}, 0
	for _, text := range c.Add {
		role, n, err := parseCount("--add", text)
		if err != nil {
			return err
		}
		_, r, err := askSupervisors(inv, supervise.Request{Act: supervise.AddAgents, Role: role, Count: n, Provider: cmp.Or(chosen[role], chosen[""])})
		if err != nil {
			return err
		}
		if !r.Taken {
			return &flow.Refusal{Rule: flow.RuleNotFound, Hint: "git liza rush --agents " + text, Reason: "no rush runs in this clone"}
		}
		added, pid = append(added, r.Agents...), r.PID
	}
	return inv.answer("changed", map[string]any{"added": added, "pid": pid}, fmt.Sprintf("%s joined the rush of process %d", view.JoinIDs(added), pid))
}

// parseCount parses ROLE=N of a flag.
func parseCount(flag, text string) (role board.Role, n int, err error) {
	name, number, ok := strings.Cut(text, "=")
	n, err = strconv.Atoi(number)
	if !ok || err != nil || role.UnmarshalText([]byte(name)) != nil {
		return "", 0, usagef("git liza help rush", "%s: %q is no ROLE=N, such as security-reviewer=1", flag, text)
	}
	return role, n, nil
}

// providers returns the provider that the command line names for each role, and
// under "" for all.
func (c *rushCommand) providers(b *board.Board) (map[board.Role]string, error) {
	chosen := map[board.Role]string{}
	for _, text := range c.Provider {
		role, text, err := splitProvider(text)
		if err == nil && role != "" && b != nil {
			err = checkRole(b, role)
		}
		if err != nil {
			return nil, err
		}
		chosen[role] = text
	}
	return chosen, nil
}

// counts returns how many agents of each role the flags ask for, and one of each other role
// that the workflow of a goal asks for, "" for all. What is usual is asked only of roles that
// the board has.
func (c *rushCommand) counts(b *board.Board, goal board.GoalID) (map[board.Role]int, error) {
	counts := map[board.Role]int{}
	for _, text := range c.Agents {
		role, n, err := parseCount("--agents", text)
		if err != nil {
			return nil, err
		}
		if _, twice := counts[role]; twice {
			return nil, usagef("git liza help rush", "--agents names %s twice", role)
		}
		counts[role] = n
	}
	for _, flag := range []struct {
		name  string
		role  board.Role
		n     *int
		usual int
	}{{"planners", board.Planner, c.Planners, 1}, {"coders", board.Coder, c.Coders, 2}, {"reviewers", board.CodeReviewer, c.Reviewers, 1}} {
		_, named := counts[flag.role]
		switch {
		case named && flag.n != nil:
			return nil, usagef("git liza help rush", "--%s and --agents %s=%d both say how many: leave one out", flag.name, flag.role, counts[flag.role])
		case flag.n != nil:
			counts[flag.role] = *flag.n
		case !named && b.Role(flag.role) != nil:
			counts[flag.role] = flag.usual
		}
	}
	for _, role := range board.WorkflowRoles(b, goal) {
		if _, named := counts[role]; !named {
			counts[role] = 1
		}
	}
	for _, n := range counts {
		if n < 0 || n > supervise.MostOfRole {
			return nil, usagef("git liza help rush", "between 0 and %d agents of a role, not %d", supervise.MostOfRole, n)
		}
	}
	return counts, nil
}

// splitProvider parses [ROLE=]P. The role is "" if P is for all roles.
func splitProvider(text string) (board.Role, string, error) {
	name, rest, ok := strings.Cut(text, "=")
	if !ok || strings.Contains(name, ":") {
		return "", text, nil
	}
	var role board.Role
	if err := role.UnmarshalText([]byte(name)); err != nil {
		return "", "", usagef("git liza help rush", "--provider: %v", err)
	}
	return role, rest, nil
}
