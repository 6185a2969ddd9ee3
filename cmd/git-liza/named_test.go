package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/contracts"
)

// A command that a hint, an answer, a page of help or a document names exists,
// with the flags that it is given there.
func TestNamedCommandsExist(t *testing.T) {
	t.Parallel()
	cli, err := kong.New(&commands{}, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))
	require.NoError(t, err)
	seen := 0
	for where, texts := range namingTexts(t) {
		for _, text := range texts {
			for _, words := range namedCommands(text) {
				seen++
				if !slices.Contains(prose, words[0]) {
					requireCommand(t, cli.Model.Node, words, where)
				}
			}
		}
	}
	require.Greater(t, seen, 200)
}

// testdata/commands.txt has every command, hidden ones too, with its flags a line, so that
// a change of what people and scripts type is seen. UPDATE_SCRIPTS=1 writes it. A command
// that is typed differently then gets a row in moved.txt.
func TestCommandsAreListed(t *testing.T) {
	t.Parallel()
	cli, err := kong.New(&commands{})
	require.NoError(t, err)
	var lines []string
	for _, leaf := range cli.Model.Leaves(false) {
		require.Empty(t, leaf.Aliases, leaf.Name)
		line := leaf.Name
		for group := leaf.Parent; group != cli.Model.Node; group = group.Parent {
			line = group.Name + " " + line
		}
		var flags []string
		for _, f := range leaf.Flags {
			flags = append(flags, " --"+f.Name)
		}
		slices.Sort(flags)
		lines = append(lines, line+strings.Join(flags, "")+"\n")
	}
	slices.Sort(lines)
	const file = "testdata/commands.txt"
	if os.Getenv("UPDATE_SCRIPTS") != "" {
		require.NoError(t, os.WriteFile(file, []byte(strings.Join(lines, "")), 0o666))
	}
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	known := slices.Collect(strings.Lines(string(text)))
	for _, line := range lines {
		assert.True(t, slices.Contains(known, line), "it lacks: %s", line)
	}
	for _, line := range known {
		assert.True(t, slices.Contains(lines, line), "it has: %s", line)
	}
}

// A command line that a document or skill of the contract shows parses as it
// stands, with all that it demands.
func TestCommandsOfContractsParse(t *testing.T) {
	t.Parallel()
	word := regexp.MustCompile(`(?:[^\s'"]|'[^']*'|"[^"]*")+`)
	values := strings.NewReplacer("'", "", `"`, "", "ID", "task-1", "$LIZA_REVIEW_COMMIT", strings.Repeat("a", 40))
	seen := 0
	for _, name := range contracts.Names() {
		text, _ := contracts.Document(name)
		for i, block := range strings.Split(text, "```sh\n") {
			block, _, _ = strings.Cut(block, "\n```")
			for line := range strings.Lines(block) {
				line, ok := strings.CutPrefix(line, "git liza ")
				if !ok || i == 0 {
					continue
				}
				line, _, _ = strings.Cut(line, "<<")
				line, _, _ = strings.Cut(line, "  #")
				args := word.FindAllString(line, -1)
				for i, arg := range args {
					args[i] = values.Replace(arg)
				}
				parser, err := kong.New(&commands{}, kong.Exit(func(int) {}), kong.Writers(io.Discard, io.Discard))
				require.NoError(t, err)
				_, err = parser.Parse(args)
				assert.NoError(t, err, "%s: git liza %s", name, line)
				seen++
			}
		}
	}
	require.Greater(t, seen, 50)
}

// prose are words that follow the program's name in a sentence, and words that
// stand for a command, and commands that come with their acts.
var prose = []string{"are", "does", "follows", "COMMAND", "help"}

// requireCommand finds the command that the words begin with, and its flags.
func requireCommand(t *testing.T, node *kong.Node, words []string, where string) {
	t.Helper()
	rest := words
	for len(rest) > 0 && len(node.Children) > 0 {
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == rest[0] })
		if i < 0 {
			break
		}
		node, rest = node.Children[i], rest[1:]
	}
	assert.NotNil(t, node.Parent, "%s names git liza %v", where, words)
	for _, word := range rest {
		if name, ok := strings.CutPrefix(word, "--"); ok && name != "" && !strings.Contains(name, unknownPart) {
			name, _, _ = strings.Cut(name, "=")
			assert.True(t, hasFlag(node, name), "%s names git liza %v", where, words)
		}
	}
}

func hasFlag(node *kong.Node, name string) bool {
	if node.DefaultCmd != nil {
		node = node.DefaultCmd
	}
	for ; node != nil; node = node.Parent {
		if slices.ContainsFunc(node.Flags, func(f *kong.Flag) bool { return f.Name == name || f.Negated && "no-"+f.Name == name }) {
			return true
		}
	}
	return name == "help"
}

// namedCommands are the commands that a text names, each as its words. A
// command ends with its line, its quotes or its clause.
func namedCommands(text string) (calls [][]string) {
	for _, after := range strings.Split(text, "git liza ")[1:] {
		line, _, _ := strings.Cut(strings.ReplaceAll(after, "\\\n", " "), "\n")
		line = strings.TrimSpace(line[:min(len(line), strings.IndexAny(line+";", "`;|#)"))])
		words := strings.Fields(quotedText.ReplaceAllString(line, "TEXT"))
		for i, w := range words {
			words[i] = strings.Trim(w, "[](),.:'\"")
		}
		if len(words) > 0 && startsWithLetter.MatchString(words[0]) && !strings.ContainsAny(words[0], unknownPart+"%") {
			calls = append(calls, words)
		}
	}
	return calls
}

// startsWithLetter tells a command from a flag of all of them, and from a column of a figure.
var startsWithLetter = regexp.MustCompile(`^[A-Za-z]`)

// quotedText are arguments of several words.
var quotedText = regexp.MustCompile(`'[^']*'|"[^"]*"`)

// unknownPart stands for what a text is put together from at run time.
const unknownPart = "…"

// namingTexts are the texts of the program and of its documents, by file.
func namingTexts(t *testing.T) map[string][]string {
	t.Helper()
	texts := map[string][]string{}
	require.NoError(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		raw, name := []byte(nil), d.Name()
		switch ext := filepath.Ext(name); {
		case d.IsDir() && (name == "testdata" || name == ".git"):
			return fs.SkipDir
		case d.IsDir(), !slices.Contains([]string{".go", ".md", ".1", ".txt", ".json"}, ext), strings.HasSuffix(name, "_test.go"):
			return nil
		}
		if raw, err = os.ReadFile(path); err != nil {
			return err
		}
		switch filepath.Ext(name) {
		case ".md":
			texts[path] = codeOf(string(raw))
			return nil
		case ".txt", ".json":
			texts[path] = []string{string(raw)}
			return nil
		case ".1":
			_, block, _ := strings.Cut(string(raw), "\n.nf\n")
			block, _, _ = strings.Cut(block, "\n.fi\n")
			texts[path] = []string{strings.ReplaceAll(block, `\-`, "-")}
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, raw, parser.SkipObjectResolution)
		if err == nil {
			texts[path] = literals(file)
		}
		return err
	}))
	return texts
}

// codeOf are the code blocks and code spans of a document in Markdown.
func codeOf(text string) (code []string) {
	for i, block := range strings.Split(text, "```") {
		if i%2 == 1 {
			code = append(code, block)
			continue
		}
		for j, span := range strings.Split(block, "`") {
			if j%2 == 1 {
				code = append(code, span)
			}
		}
	}
	return code
}

// literals are the texts of a source file, joined where the source joins them.
func literals(file *ast.File) (texts []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.ADD {
				texts = append(texts, literal(n))
				return false
			}
		case *ast.BasicLit:
			texts = append(texts, literal(n))
		}
		return true
	})
	return texts
}

func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind != token.STRING {
			return unknownPart
		}
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	case *ast.ParenExpr:
		return literal(e.X)
	}
	return unknownPart
}
