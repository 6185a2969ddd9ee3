package shell

import "strings"

// Program is the word that a shell takes for the program of a command, after
// assignments. It is "" if the shell has to expand the word, and for a path below the
// folder in which the command runs: what it names is not known before.
func Program(command string) string {
	for _, word := range strings.Fields(command) {
		if q := word[0]; len(word) > 2 && (q == '\'' || q == '"') && word[len(word)-1] == q {
			word = word[1 : len(word)-1]
		}
		switch {
		case strings.ContainsAny(word, "'\"\\$`*?[]{}()<>|&;~#!"):
			return ""
		case strings.Contains(word, "="):
			continue
		case strings.Contains(word, "/") && word[0] != '/':
			return ""
		}
		return word
	}
	return ""
}
