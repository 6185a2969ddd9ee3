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

// agent is the agent on whose behalf the program runs, "" for a human. Below a
// session it is that agent, whatever the environment says.
func (s *session) agent() string {
	repo, err := git.Open(s.ctx, s.dir)
	if err != nil {
		return s.getenv("LIZA_AGENT_ID")
	}
	defer repo.Close()
	above, _, err := work.Wards(repo, "")
	if err != nil || len(above) == 0 {
		return s.getenv("LIZA_AGENT_ID")
	}
	return string(above[0].By)
}

// suit is a hint as whoever reads it may type it: an agent is not told what
// only a human decides, and can ask one instead.
func (s *session) suit(hint string) string {
	agent := s.agent()
	if agent == "" {
		return s.asTyped(hint)
	}
	hint, _, _ = strings.Cut(hint, " # ")
	if _, other, named := strings.Cut(hint, " --as "); named && strings.Fields(other + " -")[0] != agent {
		return s.question()
	}
	for _, command := range humanCommands() {
		if strings.Contains(hint+" ", command+" ") {
			return s.question()
		}
	}
	return hint
}

// lizaCommand finds the commands of ours that a hint is made of.
var lizaCommand = regexp.MustCompile(`(?:^|&& |; )git liza\s[a-z-]+`)

// asTyped is a hint for somebody who acts as an agent by --as: it goes on with
// its task or review as that agent.
func (s *session) asTyped(hint string) string {
	var by flow.AgentID
	if s.as == s.getenv("LIZA_AGENT_ID") || by.UnmarshalText([]byte(s.as)) != nil || strings.Contains(hint, " --as ") {
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

// question is how an agent asks a human: the holder of a task by blocking it.
func (s *session) question() string {
	if task := s.getenv("LIZA_TASK"); task != "" && s.getenv("LIZA_ROLE") == flow.Coder.String() {
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

// suited is what git is told of a rejected push or ref transaction, with hints
// that whoever reads it may type.
func (s *session) suited(r *hooks.Rejection) *hooks.Rejection {
	list := slices.Clone(r.Refused)
	for i, one := range list {
		refusal := *one.Refusal
		refusal.Hint = s.suit(refusal.Hint)
		list[i].Refusal = &refusal
	}
	return &hooks.Rejection{Refused: list}
}

// explain is an error as whoever asked is told of it.
func (s *session) explain(err error) failure {
	f := s.elsewhere(err, classify(err))
	f.hint = s.suit(f.hint)
	return f
}
