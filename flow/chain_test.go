package flow

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// The chain names what stands in the way at the end, one that nobody works on before others.
func TestChain(t *testing.T) {
	t.Parallel()
	s := after(t, "human:ann add task-1 task-2<task-1 task-3<task-2 task-4<task-3 task-5 task-6<task-5,task-2 task-7",
		"coder-1 claim task-1 | coder-2 claim task-5 | coder-2 block task-5 reason=why")
	for id, want := range map[board.TaskID]string{
		"task-1": "",
		"task-2": "task-1, which is CLAIMED",
		"task-3": "task-2, which waits for task-1, which is CLAIMED",
		"task-4": "task-3, which waits for task-2, at the end for task-1, which is CLAIMED",
		"task-6": "task-5, which is BLOCKED: why?",
		"task-9": "",
	} {
		require.Equal(t, want, board.ChainOf(s.board, id).String(), id)
	}
	require.Equal(t, []board.TaskID{"task-3", "task-2", "task-1"}, board.ChainOf(s.board, "task-4").Tasks)
	require.Equal(t, board.TaskID("task-5"), board.ChainOf(s.board, "task-6").Last())
	s = after(t, "human:ann add a | "+merging("a")+" | human:ann add b<a", "human:ann adopt x1 reverts=a")
	require.Equal(t, "a, which is reverted, and nothing does its work again", board.ChainOf(s.board, "b").String())
	require.Empty(t, s.step("human:ann add c reopens=a", &record{}))
	require.Equal(t, "c, which is UNCLAIMED", board.ChainOf(s.board, "b").String())
}
