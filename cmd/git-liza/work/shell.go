package work

import "github.com/git-liza/git-liza/gitstore"

// quoted is a path as a shell takes it, for hints that are to be typed.
func quoted(path string) string { return gitstore.ShellWord(path) }
