package main

import (
	"runtime"

	"github.com/git-liza/git-liza/flow"
)

type versionCommand struct{}

func (c *versionCommand) Run(inv *invocation) error {
	return inv.answer("", map[string]any{"version": version, "rules": flow.RulesVersion, "go": runtime.Version()}, "git-liza "+version)
}
