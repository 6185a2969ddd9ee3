package main

import (
	"errors"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

type providersCommand struct {
	List   providersListCommand   `cmd:"" default:"1" help:"The programs that can be agents: which are installed here and which are chosen, and the commands that choose or install one."`
	Resume providersResumeCommand `cmd:"" help:"End the pause of a provider whose quota was used up, or whose service or login failed."`
}

// A providerView is a provider as lists show it.
type providerView struct {
	Name     string            `json:"name"`
	About    string            `json:"about"`
	State    string            `json:"state"` // ready, paused, or a problem
	Path     string            `json:"path"`
	Version  string            `json:"version"`
	Minimum  string            `json:"minimum"`
	Model    string            `json:"model"`
	Contract provider.Contract `json:"contract"`
	Commit   provider.Commit   `json:"commit"`
	Output   string            `json:"output"`
	Pause    *provider.Pause   `json:"pause"`
	Roles    []board.Role      `json:"roles"` // the roles for which it is configured
	Install  string            `json:"install"`

	old bool // too old for the prompts that its agents get
}

// findProviders returns the providers of the catalogue with their state on this
// machine. It also works outside of a repository, where no provider is paused.
func findProviders(inv *invocation) ([]providerView, error) {
	conf, common := git.UserConfiguration(inv.dir), ""
	switch repo, err := git.Open(inv.ctx, inv.dir); {
	case err == nil:
		conf, common = &repo.Config.Configuration, repo.CommonDir()
	case !errors.Is(err, git.ErrNoRepository):
		return nil, err
	}
	choice := providerChoice{inv, conf}
	known, err := choice.catalogue()
	if err != nil {
		return nil, err
	}
	chosen, err := choice.perRole()
	if err != nil {
		return nil, err
	}
	list := []providerView{}
	for _, f := range known.Detect(inv.ctx, inv.environ) {
		v := providerView{Name: f.Name, About: f.About, State: "ready", Path: f.Path, Version: f.Reported, Minimum: f.Minimum, Model: f.Model,
			Contract: f.Contract, Commit: f.Commit, Output: f.Output, Install: f.Install, Roles: []board.Role{}, old: f.Old}
		if f.Problem != "" {
			v.State = f.Problem
		}
		v.pause(common, inv.now())
		for _, c := range chosen {
			if providerName(c.text) == f.Name {
				v.Roles = append(v.Roles, c.row.Name)
			}
		}
		list = append(list, v)
	}
	return list, nil
}

// pause fills in the pause of the provider in a clone, if there is a clone.
func (v *providerView) pause(common string, now time.Time) {
	if common == "" {
		return
	}
	if v.Pause = provider.Paused(common, v.Name, now); v.Pause != nil && v.State == "ready" {
		v.State = "paused"
	}
}

type providersListCommand struct{}

func (c *providersListCommand) Run(inv *invocation) error {
	list, err := findProviders(inv)
	if err != nil {
		return err
	}
	t := view.Table{Rows: [][]string{{"PROVIDER", "STATE", "VERSION", "CONTRACT", "COMMITS", "OUTPUT", "FOR"}}}
	var missing view.Table
	choice := ""
	for _, v := range list {
		t.Add(v.Name, v.state(), v.Version, string(v.Contract), string(v.Commit), v.Output, view.JoinIDs(v.Roles))
		if v.Install != "" && (v.Path == "" || v.old) {
			missing.Add(v.Name, v.Install)
		} else if choice == "" && v.Path != "" {
			choice = v.Name
		}
	}
	text := t.Text(inv.width())
	if choice != "" {
		text += "\nTo choose one: git config liza.provider " + choice + "\n"
	}
	if len(missing.Rows) > 0 {
		text += "\nNot installed, or too old; to install one:\n" + missing.Text(inv.width())
	}
	return inv.answer("", map[string]any{"providers": list}, text)
}

// state formats the state for people.
func (v providerView) state() string {
	switch {
	case v.Pause == nil || v.State != "paused":
		return v.State
	case v.Pause.Until.IsZero():
		return "paused (" + v.Pause.Kind.String() + ")"
	}
	return "paused (" + v.Pause.Kind.String() + ") until " + v.Pause.Until.UTC().Format(time.RFC3339)
}

type providersResumeCommand struct {
	Name string `arg:"" help:"As git liza providers list names it."`
}

func (c *providersResumeCommand) Run(inv *invocation) error {
	repo, err := git.Open(inv.ctx, inv.dir)
	if err != nil {
		return err
	}
	known, err := providerChoice{inv, &repo.Config.Configuration}.catalogue()
	if err != nil {
		return err
	}
	if known.FindRow(c.Name) == nil {
		return &flow.Refusal{Rule: flow.RuleNotFound, Reason: "there is no provider " + board.Excerpt(c.Name, 80), Hint: "git liza providers list"}
	}
	paused, err := provider.Resume(repo.CommonDir(), c.Name)
	if err != nil {
		return err
	}
	text := c.Name + " is no longer paused"
	if !paused {
		text = c.Name + " is not paused"
	}
	return inv.answer(madeOutcome(!paused), map[string]any{"provider": c.Name}, text)
}
