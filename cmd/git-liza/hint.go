package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/shell"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
)

// hints adapts hints to the reader: a human, a person who acts as an agent, or
// an agent in its session.
type hints struct{ *invocation }

// agent returns the agent on whose behalf the program runs, "" for a human. In
// a descendant of a session it is that session's agent, whatever the
// environment says.
func (h hints) agent() string {
	repo := h.opened
	if repo == nil {
		var err error
		if repo, err = git.Open(h.ctx, h.dir); err != nil {
			return h.getenv("LIZA_AGENT_ID")
		}
		defer repo.Close()
	}
	above, _, err := work.MarksAbove(repo, "")
	if err != nil || len(above) == 0 {
		return h.getenv("LIZA_AGENT_ID")
	}
	return string(above[0].By)
}

// adapt returns the hint that the reader may type. An agent gets no command
// that only a human may run, but one that asks a human.
func (h hints) adapt(hint string) string {
	hint = h.ofClone(hint)
	agent := h.agent()
	if agent == "" {
		return h.addAs(hint)
	}
	hint, _, _ = strings.Cut(hint, " # ")
	if _, other, named := strings.Cut(hint, " --as "); named && strings.Fields(other + " -")[0] != agent {
		return h.questionCommand()
	}
	for _, command := range humanCommands() {
		if strings.Contains(hint+" ", command+" ") {
			return h.questionCommand()
		}
	}
	return hint
}

// aboutClone finds commands of git about the clone's settings and refs.
var aboutClone = pattern.Late(`(^|&& |; )git (config |branch |for-each-ref |(?:log|show) ` + layout.Refs + `)`)

// ofClone has the commands about the clone work where a checkout's own repository is too.
func (h hints) ofClone(hint string) string {
	if h.opened == nil || git.Inside(h.opened) == h.opened {
		return hint
	}
	clone := shell.Quote(cmp.Or(h.opened.MainWorkTree(), h.opened.CommonDir()))
	return aboutClone().ReplaceAllString(hint, "${1}git -C "+strings.ReplaceAll(clone, "$", "$$")+" ${2}")
}

// lizaCommand finds the commands of git liza in a hint.
var lizaCommand = pattern.Late(`(?:^|&& |; )git liza\s[a-z-]+`)

// capacities are those of the roles that every board has.
var capacities = map[board.Role]board.Capacity{board.Planner: board.Plans, board.Coder: board.Does, board.CodeReviewer: board.Judges}

// sessionCapacity is the capacity of the role of the agent that runs a command: what its
// supervisor says, else that of a role that every board has; zero if neither is
// known.
func sessionCapacity(getenv func(string) string, role board.Role) board.Capacity {
	var said board.Capacity
	if said.UnmarshalText([]byte(getenv("LIZA_CAPACITY"))) == nil {
		return said
	}
	return capacities[role]
}

// isWorkOf reports whether an act belongs to the work of a role. A role of which
// nothing is known here does tasks or judges them.
func isWorkOf(act board.Act, role board.Role) bool {
	if capacity, known := capacities[role]; known {
		return flow.WorkOf(act, capacity)
	}
	return flow.WorkOf(act, board.Does) || flow.WorkOf(act, board.Judges)
}

// addAs adds --as to a hint for a person who acts as an agent: to the
// commands for that agent's task or review.
func (h hints) addAs(hint string) string {
	var by board.AgentID
	if h.as == h.getenv("LIZA_AGENT_ID") || by.UnmarshalText([]byte(h.as)) != nil || strings.Contains(hint, " --as ") {
		return hint
	}
	return lizaCommand().ReplaceAllStringFunc(hint, func(command string) string {
		own := func(act board.Act) bool {
			return strings.HasSuffix(command, "git liza "+act.Command()) && isWorkOf(act, by.Role())
		}
		if slices.ContainsFunc(board.Acts(), own) {
			return command + " --as " + string(by)
		}
		return command
	})
}

// questionCommand returns the command by which an agent asks a human. The holder of
// a task blocks it.
func (h hints) questionCommand() string {
	task, role := h.getenv("LIZA_TASK"), board.Role(h.getenv("LIZA_ROLE"))
	if h.getenv("LIZA_QUESTION") != "" {
		return "git liza ask human QUESTION"
	}
	if task != "" && sessionCapacity(h.getenv, role) == board.Does {
		return "git liza block " + task + " --reason R --question Q"
	}
	return "git liza note TEXT"
}

// humanCommands returns the commands that no agent may run.
func humanCommands() []string {
	list := []string{"git liza trust", work.RepairBoard}
	for _, act := range board.Acts() {
		shared := func(other board.Act) bool { return other.Command() == act.Command() && !flow.HumansOnly(other) }
		if act != board.ActInit && !slices.ContainsFunc(board.Acts(), shared) {
			list = append(list, "git liza "+act.Command())
		}
	}
	return list
}

// adaptAll returns the rejection of a push or ref transaction with hints that
// the reader may type.
func (h hints) adaptAll(r *hooks.Rejection) *hooks.Rejection {
	list := slices.Clone(r.Refused)
	for i, one := range list {
		refusal := *one.Refusal
		refusal.Hint = h.adapt(refusal.Hint)
		list[i].Refusal = &refusal
	}
	return &hooks.Rejection{Refused: list}
}

// explain turns an error into the failure that the caller is shown.
func (h hints) explain(err error) failure {
	f := h.nameRemote(err, classify(err))
	var ambiguous *git.Ambiguous
	switch {
	case errors.As(err, &ambiguous) && h.call == nil:
		f.hint = h.typedCommand(ambiguous.Rev, ambiguous.Full)
	case f.hint == typeAgain && h.call == nil:
		f.hint = h.typedCommand("", "")
	case f.rule == flow.RuleAncestry && strings.HasPrefix(f.hint, "git merge ") && h.agent() == "" && h.opened != nil && h.opened.IsShallow():
		f.hint = "git fetch --unshallow" // only then it is known what descends from what
	case f.hint == cloneBare:
		f.hint = h.cloneCommand()
	}
	f.hint = h.adapt(f.hint)
	return f
}

// typedCommand is the command as it was typed, with one revision in place of another.
func (h hints) typedCommand(was, is string) string {
	command := "git liza"
	for _, arg := range h.args {
		if flag, named := strings.CutSuffix(arg, was); named && (flag == "" || strings.HasSuffix(flag, "=")) {
			arg = flag + is
		}
		command += " " + shell.Quote(arg)
	}
	return command
}

// cloneCommand makes a clone of the bare repository here, with a work tree.
func (h hints) cloneCommand() string {
	repo, err := git.Open(h.ctx, h.dir)
	if err != nil {
		return cloneBare
	}
	defer repo.Close()
	return "git clone " + shell.Quote(repo.CommonDir()) + " NAME && cd NAME"
}
