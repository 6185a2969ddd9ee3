package main

import (
	"runtime"

	"github.com/git-liza/git-liza/flow"
)

type versionCommand struct{}

func (c *versionCommand) Run(inv *invocation) error {
	return inv.answer("", map[string]any{"version": version, "format": flow.NewestFormat, "go": runtime.Version()}, "git-liza "+version)
}
