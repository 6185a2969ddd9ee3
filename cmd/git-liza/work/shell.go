package work

import "github.com/git-liza/git-liza/gitstore/git"

// quoted is a path as a shell takes it, for hints that are to be typed.
func quoted(path string) string { return git.ShellWord(path) }
