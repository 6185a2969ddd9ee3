package main

import (
	"regexp"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
)

// hints adapts hints to their reader: a human, a person that acts as an agent, or an
// agent in its session.
type hints struct{ *invocation }

// agent is the agent on whose behalf the program runs, "" for a human. Below a
// session it is that agent, whatever the environment says.
func (h hints) agent() string {
	repo, err := git.Open(h.ctx, h.dir)
	if err != nil {
		return h.getenv("LIZA_AGENT_ID")
	}
	defer repo.Close()
	above, _, err := work.MarksAbove(repo, "")
	if err != nil || len(above) == 0 {
		return h.getenv("LIZA_AGENT_ID")
	}
	return string(above[0].By)
}

// adapt is a hint that its reader may type: instead of a command that only a human may
// use, an agent gets one that asks a human.
func (h hints) adapt(hint string) string {
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

// lizaCommand finds the commands of ours that a hint is made of.
var lizaCommand = regexp.MustCompile(`(?:^|&& |; )git liza\s[a-z-]+`)

// addAs is a hint for a person that acts as an agent by --as: the commands for the
// work of that agent get the option too.
func (h hints) addAs(hint string) string {
	var by flow.AgentID
	if h.as == h.getenv("LIZA_AGENT_ID") || by.UnmarshalText([]byte(h.as)) != nil || strings.Contains(hint, " --as ") {
		return hint
	}
	return lizaCommand.ReplaceAllStringFunc(hint, func(command string) string {
		own := func(act flow.Act) bool {
			return strings.HasSuffix(command, "git liza "+act.Command()) && act.WorkOf(by.Role())
		}
		if slices.ContainsFunc(flow.Acts(), own) {
			return command + " --as " + string(by)
		}
		return command
	})
}

// questionCommand is how an agent asks a human: the holder of a task by blocking it.
func (h hints) questionCommand() string {
	if task := h.getenv("LIZA_TASK"); task != "" && h.getenv("LIZA_ROLE") == flow.Coder.String() {
		return "git liza block " + task + " --reason R --question Q"
	}
	return "git liza note TEXT"
}

// humanCommands are the commands that no agent may type.
func humanCommands() []string {
	list := []string{"git liza trust", work.RepairBoard}
	for _, act := range flow.Acts() {
		shared := func(other flow.Act) bool { return other.Command() == act.Command() && !other.HumansOnly() }
		if act != flow.ActInit && !slices.ContainsFunc(flow.Acts(), shared) {
			list = append(list, "git liza "+act.Command())
		}
	}
	return list
}

// adaptAll is the rejection of a push or ref transaction with hints that their reader
// may type.
func (h hints) adaptAll(r *hooks.Rejection) *hooks.Rejection {
	list := slices.Clone(r.Refused)
	for i, one := range list {
		refusal := *one.Refusal
		refusal.Hint = h.adapt(refusal.Hint)
		list[i].Refusal = &refusal
	}
	return &hooks.Rejection{Refused: list}
}

// explain is an error with a reason and a hint for the caller.
func (h hints) explain(err error) failure {
	f := h.nameRemote(err, classify(err))
	f.hint = h.adapt(f.hint)
	return f
}
