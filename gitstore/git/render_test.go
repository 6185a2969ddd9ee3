package git

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A key that an included file has before any section is none.
func TestRenderedConfigHasSections(t *testing.T) {
	t.Parallel()
	require.Equal(t, "[a \"b\"]\n\tc = \"x\"\n", RenderConfig([]Setting{{Key: "clean", Value: "x"}, {Key: "a.b.c", Value: "x"}}))
}
