package house

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What there is to read, at most: lines of code that are linked into the program, and
// words in documents. make size prints what there is. Confinement may add 1,100 lines to the
// 115,000 before it, and mending what was found broken 1,500 more.
const (
	mostCode  = 117_600
	mostWords = 55_000
)

func TestSizeOfCode(t *testing.T) {
	t.Parallel()
	listed, err := goCommand(".", "list", "-deps", "-f", "{{with .Module}}{{if .Main}}{{$.Dir}}{{end}}{{end}}", "./cmd/git-liza")
	require.NoError(t, err, listed)
	code, folders := 0, strings.Fields(listed)
	for _, dir := range folders {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		require.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			require.NoError(t, err)
			code += codeLines(text)
		}
	}
	require.Greater(t, len(folders), 20)
	t.Logf("%d lines of code in %d packages", code, len(folders))
	require.LessOrEqual(t, code, mostCode)
}

// codeLines counts the lines with a token.
func codeLines(text []byte) int {
	file := token.NewFileSet().AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0)
	lines := map[int]bool{}
	for {
		pos, tok, literal := s.Scan()
		switch {
		case tok == token.EOF:
			return len(lines)
		case tok == token.SEMICOLON && literal == "\n":
			continue // not written
		}
		for i := range strings.Count(literal, "\n") + 1 {
			lines[file.Line(pos)+i] = true
		}
	}
}

func TestSizeOfDocuments(t *testing.T) {
	t.Parallel()
	words, pages := 0, documents(t)
	for _, page := range pages {
		words += len(strings.Fields(read(t, page)))
	}
	t.Logf("%d words in %d documents", words, len(pages))
	require.LessOrEqual(t, words, mostWords)
}

func TestCodeLinesAreCounted(t *testing.T) {
	t.Parallel()
	require.Equal(t, 5, codeLines([]byte("// Package p.\npackage p\n\n/* a\n b */\nvar a = `x\n\ny` // z\nfunc f() {}\n")))
}
