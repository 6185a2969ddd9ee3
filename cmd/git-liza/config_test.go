package main

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
)

// The page on configuration has a row with the default for every setting of the
// board, and no other. role_paths is shown beside them.
func TestSettingsOnThePage(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/configuration.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(text), "## Settings of the board")
	table, _, _ = strings.Cut(table, "\n##")
	rows := map[string]string{}
	for _, cells := range regexp.MustCompile("(?m)^\\| (`[^|]*) \\|[^|]*\\| ([^|]*) \\|").FindAllStringSubmatch(table, -1) {
		for _, key := range strings.Split(strings.Trim(cells[1], "`"), "`, `") {
			rows[key] = strings.Trim(cells[2], "`")
		}
	}
	c := flow.DefaultConfig()
	c.Gates = []flow.Gate{{Name: "NAME", Required: true, Timeout: defaultGateTimeout}}
	keys := []string{"role_paths"}
	for _, one := range settings(&c) {
		keys = append(keys, one.key)
		switch want := formatValue(one.pointer); {
		case one.key == "tests": // the first of them
			require.True(t, strings.HasPrefix(rows[one.key], strings.Fields(want)[0]))
		case want != "":
			require.Equal(t, want, rows[one.key], one.key)
		}
	}
	require.ElementsMatch(t, keys, slices.Collect(maps.Keys(rows)))
}
