package worktrees_test

func child() int { return 0 }
