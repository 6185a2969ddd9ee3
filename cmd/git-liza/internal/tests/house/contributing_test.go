package house

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/internal/torture"
)

// The act that testdata/recipes/act.txtar adds takes the files that
// CONTRIBUTING.md lists, fewer than ten, and each edit finds its place.
func TestRecipeOfAnAct(t *testing.T) {
	t.Parallel()
	recipe := readRecipe(t, "act")
	require.Less(t, len(recipe), 10)
	listed := listedFiles(t, read(t, "CONTRIBUTING.md"), "Add an act")
	require.Equal(t, listed, names(recipe), "CONTRIBUTING.md lists the files of testdata/recipes/act.txtar in their order")
	require.NoError(t, recipe.apply(copyModule(t)))
}

// So does the format 2 of testdata/recipes/format.txtar, which brings that act.
func TestRecipeOfAFormat(t *testing.T) {
	t.Parallel()
	recipe := readRecipe(t, "format")
	require.Equal(t, listedFiles(t, read(t, "CONTRIBUTING.md"), "Change the form of the board"), names(recipe))
	module := copyModule(t)
	require.NoError(t, readRecipe(t, "act").apply(module))
	require.NoError(t, recipe.apply(module))
}

// The program then has the act, and the next one the format: it works beside the program of
// this source. It is torture because nearly all is compiled anew.
func TestTortureStoriesOfTheRecipes(t *testing.T) {
	torture.Only(t)
	t.Parallel()
	module := copyModule(t)
	require.NoError(t, readRecipe(t, "act").apply(module))
	act := buildProgram(t, module)
	require.NoError(t, readRecipe(t, "format").apply(module))
	boards, err := filepath.Abs("testdata/boards")
	require.NoError(t, err)
	more := []string{"OLD", buildProgram(t, "."), "NEW", buildProgram(t, module), "BOARDS", boards}
	testscript.Run(t, testscript.Params{
		Files: []string{filepath.Join(module, "cmd/git-liza/testdata/script/praise.txtar"), filepath.Join(module, "cmd/git-liza/testdata/script/formats.txtar")},
		Setup: func(env *testscript.Env) error {
			for i := 0; i < len(more); i += 2 {
				env.Setenv(more[i], more[i+1])
			}
			return pinScript(env, act)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"board": newBoard},
	})
	output, err := goCommand(module, "test", "-vet=off", "./flow", "-run", "TestKeysOfFormats", "-update")
	require.NoError(t, err, output)
	first := "flow/testdata/formats/1.txt"
	require.Equal(t, read(t, first), read(t, filepath.Join(module, first)), "format 2 has changed format 1")
	require.Contains(t, read(t, filepath.Join(module, "flow/testdata/formats/2.txt")), "\nmove praise.text\n")
}

// buildProgram returns a folder with the git-liza of a module.
func buildProgram(t *testing.T, module string) string {
	dir := t.TempDir()
	output, err := goCommand(module, "build", "-buildvcs=false", "-tags=testclock", "-ldflags=-s -w", "-o", filepath.Join(dir, "git-liza"), "./cmd/git-liza")
	require.NoError(t, err, output)
	return dir
}

// The recipe is complete and has no file too many: with all of its files the
// tests that know every act pass, without any one of them something fails.
func TestTortureRecipeOfAnAct(t *testing.T) {
	torture.OnlyThorough(t)
	recipe := readRecipe(t, "act")
	module := copyModule(t)
	require.NoError(t, recipe.apply(module))
	output, err := testActs(module)
	require.NoError(t, err, "the recipe misses a file:\n%s", output[max(0, len(output)-2000):])
	for i, left := range recipe {
		original, err := os.ReadFile(left.Name)
		if errors.Is(err, fs.ErrNotExist) {
			require.NoError(t, os.Remove(filepath.Join(module, left.Name)))
		} else {
			require.NoError(t, err)
			require.NoError(t, os.WriteFile(filepath.Join(module, left.Name), original, 0o666))
		}
		_, err = testActs(module)
		require.Error(t, err, "nothing misses %s when the recipe leaves it out", left.Name)
		require.NoError(t, recipe[i:i+1].apply(module))
	}
}

// testActs runs what fails when an act was added in part, the cheapest first.
func testActs(module string) (string, error) {
	for _, args := range [][]string{
		{"build", "./cmd/git-liza"},
		{"test", "./flow", "-run", "TestEveryActHasARow|TestRulesAreThoseOfThePage|TestMatrix|TestDetailsDoWhatTheTableSays|TestHints"},
		{"test", "./gitstore", "-run", "TestGoldenMoves"},
		{"test", "-v", "./cmd/git-liza", "-run", "TestEveryActHasACommand|TestCommandsHaveTheirFiles|TestNamedCommandsExist|TestScripts/^praise$"},
	} {
		if output, err := goCommand(module, args...); err != nil {
			return output, err
		} else if args[1] == "-v" && !strings.Contains(output, "PASS: TestScripts/praise") {
			return output, errors.New("no script shows the command")
		}
	}
	return "", nil
}

// recipe is the files that a change makes or edits.
type recipe []txtar.File

func readRecipe(t *testing.T, name string) recipe {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "recipes", name+".txtar"))
	require.NoError(t, err)
	return archive.Files
}

func names(r recipe) (list []string) {
	for _, file := range r {
		list = append(list, file.Name)
	}
	return list
}

// apply makes the recipe's files below a folder that holds the module. A file
// that cannot be edited so, or is Go and not formatted then, is an error.
func (r recipe) apply(module string) error {
	for _, file := range r {
		path := filepath.Join(module, file.Name)
		text := string(file.Data)
		if strings.HasPrefix(text, "@") {
			original, err := os.ReadFile(path)
			if err != nil {
				return fmt.Errorf("the recipe edits a file that is not there: %w", err)
			}
			if text, err = insertAll(string(original), text); err != nil {
				return fmt.Errorf("%s: %w", file.Name, err)
			}
		} else if _, err := os.Lstat(path); err == nil {
			return fmt.Errorf("the recipe makes %s, which is there", file.Name)
		} else {
			text = unescaped(text)
		}
		if strings.HasSuffix(path, ".go") {
			formatted, err := format.Source([]byte(text))
			if err != nil {
				return fmt.Errorf("%s: %w", file.Name, err)
			}
			if !bytes.Equal(formatted, []byte(text)) {
				return fmt.Errorf("%s is not formatted after the recipe", file.Name)
			}
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// directive says where the lines below it are inserted.
var directive = regexp.MustCompile(`(?m)^@(after|before) (line|text): (.*)\n`)

// insertAll makes the insertions of one file, in order.
func insertAll(text, insertions string) (string, error) {
	found := directive.FindAllStringSubmatchIndex(insertions, -1)
	for i, at := range found {
		end := len(insertions)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		added := unescaped(insertions[at[1]:end])
		anchor := regexp.QuoteMeta(insertions[at[6]:at[7]])
		if insertions[at[4]:at[5]] == "line" {
			anchor = `(?m)^[\t ]*` + anchor + `.*\n`
		} else {
			added = strings.TrimSuffix(added, "\n")
		}
		places := regexp.MustCompile(anchor).FindAllStringIndex(text, -1)
		if len(places) != 1 {
			return "", fmt.Errorf("the anchor of %q is there %d times", strings.TrimSpace(insertions[at[0]:at[1]]), len(places))
		}
		place := places[0][0]
		if insertions[at[2]:at[3]] == "after" {
			place = places[0][1]
		}
		text = text[:place] + added + text[place:]
	}
	return text, nil
}

// unescaped drops a backslash at the beginning of each line.
func unescaped(text string) string { return strings.ReplaceAll("\n"+text, "\n\\", "\n")[1:] }

// listedFiles are the paths in the first column of the table below a heading of
// a page.
func listedFiles(t *testing.T, page, heading string) (files []string) {
	_, section, ok := strings.Cut(page, "\n## "+heading+"\n")
	require.True(t, ok, "the page has no heading %q", heading)
	section, _, _ = strings.Cut(section, "\n## ")
	for _, row := range regexp.MustCompile("(?m)^\\| `([^`]+)`").FindAllStringSubmatch(section, -1) {
		files = append(files, row[1])
	}
	return files
}

// copyModule copies the module's files, without folders that begin with a dot.
func copyModule(t *testing.T) string {
	dir := t.TempDir()
	require.NoError(t, filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != "." && strings.HasPrefix(entry.Name(), "."):
			return fs.SkipDir
		case entry.IsDir():
			return os.MkdirAll(filepath.Join(dir, path), 0o777)
		case !entry.Type().IsRegular():
			return nil
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, path), data, 0o666)
	}))
	return dir
}

// goCommand runs go in a folder and returns what it printed.
func goCommand(dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(context.Background(), "go", args...)
	cmd.Dir = dir
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// pinScript gives a script an identity, the program on its PATH, and nothing of
// this machine's configuration.
func pinScript(env *testscript.Env, programs string) error {
	home := filepath.Join(env.WorkDir, "home")
	env.Setenv("HOME", home)
	env.Setenv("PATH", programs+string(filepath.ListSeparator)+env.Getenv("PATH"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir))
	if err := os.Mkdir(home, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = Ann Example\n\temail = ann@example.org\n[gc]\n\tauto = 0\n"), 0o666)
}

// newBoard makes a repository with a blackboard and goes there.
func newBoard(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Check(ts.Exec("git", "init", "-q", "repo"))
	ts.Check(ts.Chdir("repo"))
	ts.Check(os.Mkdir(ts.MkAbs("specs"), 0o777))
	ts.Check(os.WriteFile(ts.MkAbs("specs/vision.md"), []byte("# A small product\n"), 0o666))
	for _, args := range [][]string{{"add", "-A"}, {"commit", "-q", "-m", "first"}, {"liza", "init"}} {
		ts.Check(ts.Exec("git", args...))
	}
}

// Pages for contributors name files that are there.
func TestPagesNameFiles(t *testing.T) {
	t.Parallel()
	fresh := append(names(readRecipe(t, "act")), names(readRecipe(t, "format"))...)
	for _, page := range documents(t) {
		if page != "CONTRIBUTING.md" && !strings.HasPrefix(page, "doc/design") {
			continue
		}
		for _, named := range regexp.MustCompile("`([a-z][\\w./-]*/[\\w.-]+\\.(?:go|md|yaml|txt|txtar|golden))`").FindAllStringSubmatch(read(t, page), -1) {
			if !slices.Contains(fresh, named[1]) {
				require.FileExists(t, named[1], "%s names it", page)
			}
		}
	}
}

// A page that people read has figures of at most 80 columns, and no paragraph
// over 100 words. Those that explain have a figure.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, page := range documents(t) {
		if strings.HasPrefix(page, "doc/adr/") {
			continue
		}
		text, drawn := read(t, page), page == "doc/benchmarks.md"
		for _, figure := range fenced.FindAllString(text, -1) {
			if !strings.Contains(figure, "│") {
				continue
			}
			drawn = true
			for _, line := range strings.Split(figure, "\n") {
				require.LessOrEqual(t, utf8.RuneCountInString(line), 80, "%s: %s", page, line)
			}
		}
		require.True(t, drawn, "%s has no figure", page)
		for _, paragraph := range regexp.MustCompile(`\n\s*\n|\n(?:[-*]|\d+\.) |\n\|`).Split(fenced.ReplaceAllString(text, ""), -1) {
			require.LessOrEqual(t, len(strings.Fields(paragraph)), 100, "%s: %s", page, paragraph)
		}
	}
}

// The map has a row for each package that may import anything, and no other.
func TestTableOfPackages(t *testing.T) {
	t.Parallel()
	rows := listedFiles(t, read(t, "CONTRIBUTING.md"), "Map")
	require.ElementsMatch(t, slices.Collect(maps.Keys(mayImport)), rows)
}
