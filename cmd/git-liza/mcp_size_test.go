package main

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// Clients show the description of each tool to their model in every turn. A ceiling is
// 5 % above what there was when it was set.
func TestMCPSizes(t *testing.T) {
	t.Parallel()
	p := newPlayground(t)
	for as, ceiling := range map[string]int{"coder-1": 10_136, "code-reviewer-1": 7_835, "planner-1": 17_329, "": 19_862} {
		list, err := p.client(as).ListTools(t.Context(), nil)
		require.NoError(t, err)
		text, err := json.Marshal(list)
		require.NoError(t, err)
		t.Logf("%-15q %5d bytes", as, len(text))
		if len(text) > ceiling {
			t.Errorf("the tools of %q take %d bytes, more than %d", as, len(text), ceiling)
		}
	}
}
