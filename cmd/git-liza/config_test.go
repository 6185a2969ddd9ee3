package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/playbook"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/config"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/supervise"
	"github.com/git-liza/git-liza/flow/board"
)

// The defaults of the table are those of the programs that read the keys.
func TestDefaultsOfTheTable(t *testing.T) {
	t.Parallel()
	l := supervise.DefaultLimits()
	span := func(d time.Duration) string { return board.Duration(d).String() }
	for key, want := range map[string]string{
		"liza.idle": span(l.Idle), "liza.wall": span(l.Wall) + " (planner " + span(l.PlannerWall) + ")", "liza.backoff": span(l.Pause),
		"liza.script.playbook": playbook.DefaultPath, "lease": "30m", "limits.iterations": "10", "gates.NAME.timeout": "10m", "allow_self_review": "false",
		"liza.context.handoff": fmt.Sprint(l.Context),
	} {
		k, ok := config.Find(key)
		require.True(t, ok, key)
		require.Equal(t, want, config.Plain(k.Default), key)
	}
}

// Groups of git's configuration are shown as those of the board are, in plain text.
func TestGroupsOfGitAreShown(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git", "config", "liza.notify.every", "3m")
	require.Equal(t, "liza.notify: none (default)\n"+
		"liza.notify.every = 3m (git config of this clone)", p.must("git-liza", "config", "notify"))
	require.Contains(t, p.must("git-liza", "config", "notify", "--json"), `{"group":"notify","place":"git config","values":[{"key":"liza.notify.every"`)
	require.Contains(t, p.must("git-liza", "config"), "\n# notify (git config): where calls go that nobody looks at\n")
}

// What others put on the board is shown with its hidden characters spelled out.
func TestSettingsAreSpelledOut(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	p.must("git-liza", "config", "gates.unit.command", "make \u202etest")
	p.must("git", "config", "liza.notify", "say \u202ehello")
	p.must("sh", "-c", "printf -- '---\\ncapacity: judges\\ntools: [read]\\n---\\nRead \u202ewell.\\n' > auditor.md && git-liza role add auditor.md && git add auditor.md && git commit -qm Auditor && git-liza adopt HEAD --reason R")
	for _, args := range [][]string{{"config"}, {"config", "gates.unit"}, {"config", "gates.unit.command"}, {"config", "--explain", "gates.unit.command"},
		{"config", "liza.notify"}, {"config", "notify"}, {"role", "show", "auditor"}} {
		shown := p.must(append([]string{"git-liza"}, args...)...)
		require.Contains(t, shown, "<U+202E>", "%v", args)
		require.NotContains(t, shown, "\u202e", "%v", args)
	}
}
