package artifacts

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// A chain has each artifact once, whatever refers to what; what leads nowhere is said.
func TestTrace(t *testing.T) {
	t.Parallel()
	text := func(path, front string) Source { return SourceOf(path, record, []byte("---\n"+front+"---\n# X\n")) }
	all := []Source{
		SourceOf("plan.yaml", &Type{Name: "plan", Format: Plan}, []byte("feature: F\nid: PLAN-1\nbased_on: [RFC-1]\ntasks:\n  - {id: task-1}\n  - {title: none}\n")),
		text("rfc.md", "id: RFC-1\ntitle: R\nstatus: approved\nbased_on:\n  - ADR-1\n  - ADR-2\n  - notes.md#x\n"),
		text("a1.md", "id: ADR-1\nbased_on: prd.md\nsuperseded_by: ADR-2\n"),
		text("a2.md", "id: ADR-2\nbased_on: [prd.md, ADR-1, ADR-9]\n"),
		text("prd.md", "id: PRD-1\nbased_on: [TWICE]\n"),
		text("t1.md", "id: TWICE\n"), text("t2.md", "id: TWICE\n"),
		text("broken.md", "id: [\n"),
	}
	require.Equal(t, []string{"task-1"}, all[0].Tasks)
	chain := Trace(all, []Ref{{To: "plan.yaml"}, {To: "gone.md#x", Field: "spec"}}, func(path string) bool { return path == "notes.md" })
	var links, dangling []string
	for _, one := range chain.Links {
		links = append(links, strings.Repeat(" ", one.Depth)+one.Path)
	}
	for _, one := range chain.Dangling {
		dangling = append(dangling, one.Path+":"+one.Field+":"+one.To)
	}
	require.Equal(t, []string{"plan.yaml", " rfc.md", "  a1.md", "   prd.md", "    t1.md", "    t2.md", "   a2.md", "  notes.md"}, links)
	require.Equal(t, []string{"prd.md:based_on:TWICE", "a2.md:based_on:ADR-9", ":spec:gone.md#x"}, dangling)
	require.Equal(t, 6, chain.Dangling[0].Line+chain.Dangling[1].Line)
}
