package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// The page on configuration has a row for every setting of the board, and no
// other. role_paths is shown beside them.
func TestSettingsOnThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/configuration.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "## Settings of the board")
	table, _, _ = strings.Cut(table, "\n##")
	var rows []string
	for _, cell := range regexp.MustCompile("(?m)^\\| (`[^|]*)\\|").FindAllStringSubmatch(table, -1) {
		rows = append(rows, strings.Split(strings.Trim(cell[1], "` "), "`, `")...)
	}
	c := flow.DefaultConfig()
	c.Gates = []flow.Gate{{Name: "NAME"}}
	keys := []string{"role_paths"}
	for _, one := range settings(&c) {
		keys = append(keys, one.key)
	}
	require.ElementsMatch(t, keys, rows)
}
