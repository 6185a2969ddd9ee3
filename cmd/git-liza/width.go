package main

import (
	"os"
	"strconv"

	"golang.org/x/term"
)

// width is how many characters fit a line: the terminal's, or what COLUMNS
// says; 0 where the output is no terminal, and nothing need be cut.
func (s *session) width() int {
	if n, err := strconv.Atoi(s.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	out, ok := s.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return 0
	}
	n, _, err := term.GetSize(int(out.Fd()))
	if err != nil || n < 20 {
		return 80
	}
	return n
}
