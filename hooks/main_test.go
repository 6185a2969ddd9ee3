package hooks

import (
	"testing"

	"github.com/git-liza/git-liza/internal/gittest"
)

func TestMain(m *testing.M) { gittest.Main(m, nil) }
