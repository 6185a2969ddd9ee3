package view

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/git-liza/git-liza/flow/board"
)

// Whatever a person did last, something is said about how it is taken back.
func TestEveryActHasACompensation(t *testing.T) {
	t.Parallel()
	for _, act := range board.Acts() {
		assert.NotNil(t, compensations[act], act.String())
	}
	assert.Len(t, compensations, len(board.Acts()))
}
