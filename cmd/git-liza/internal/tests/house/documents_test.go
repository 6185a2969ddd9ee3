package house

import (
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/config"
)

const configurationPage = "doc/configuration.md"

var (
	configKey   = regexp.MustCompile(`(?:^|[^\w@/.-])(liza\.[A-Za-z][\w.-]*)`)
	environment = regexp.MustCompile(`\bLIZA_[A-Z0-9_]+`)
	codeSpan    = regexp.MustCompile("`([^`]+)`")
)

// Every key of git's configuration that the sources name is in the table of settings, or
// is the beginning of such a key: sources put keys together.
func TestConfigurationKeys(t *testing.T) {
	t.Parallel()
	seen := 0
	for file, text := range sources(t) {
		for _, found := range configKey.FindAllStringSubmatch(text, -1) {
			name := strings.Trim(found[1], ".-")
			known := name == "liza.yaml" // a document of the board
			for _, k := range config.Keys() {
				known = known || leads(name, k.Name)
			}
			require.True(t, known, "%s names %s, which is not in the table of settings", file, name)
			seen++
		}
	}
	require.Greater(t, seen, 50)
}

// leads reports whether a key is that of a row, or the beginning of it. In a row a word in
// capitals stands for any other.
func leads(key, row string) bool {
	want, have := strings.Split(row, "."), strings.Split(key, ".")
	for i, word := range have {
		if i >= len(want) || !strings.EqualFold(word, want[i]) && want[i] != strings.ToUpper(want[i]) {
			return false
		}
	}
	return true
}

// Every variable LIZA_… of the sources and of the Makefile stands on the page,
// and no other.
func TestConfigurationVariables(t *testing.T) {
	t.Parallel()
	texts := sources(t)
	texts["Makefile"] = read(t, "Makefile")
	known := map[string]bool{}
	for _, text := range texts {
		for _, name := range environment.FindAllString(text, -1) {
			known[name] = true
		}
	}
	page := environment.FindAllString(read(t, configurationPage), -1)
	require.Greater(t, len(known), 10)
	for name := range known {
		require.Contains(t, page, name, "no row in %s", configurationPage)
	}
	for _, name := range page {
		require.True(t, known[name], "%s names %s, which no source reads", configurationPage, name)
	}
}

// sources are the Go files of the program, by name.
func sources(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "testdata" || d.Name()[0] == '.'):
			return fs.SkipDir
		case !d.IsDir() && filepath.Ext(path) == ".go" && !strings.HasSuffix(path, "_test.go"):
			texts[path] = read(t, path)
		}
		return nil
	}))
	return texts
}

// A link of a document to another one, or to a heading, leads there.
func TestLinksOfDocuments(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^()\s]+)\)`)
	seen := 0
	for _, page := range documents(t) {
		for _, found := range link.FindAllStringSubmatch(outsideCode(read(t, page)), -1) {
			u, err := url.Parse(found[1])
			require.NoError(t, err, page)
			if u.Scheme != "" {
				continue
			}
			seen++
			target := page
			if u.Path != "" {
				target = filepath.Join(filepath.Dir(page), u.Path)
			}
			_, err = os.Stat(target)
			require.NoError(t, err, "%s links to %s", page, found[1])
			if u.Fragment != "" {
				require.Contains(t, anchors(read(t, target)), u.Fragment, "%s links to %s", page, found[1])
			}
		}
	}
	require.Greater(t, seen, 20)
}

// documents are the pages for people: those at the root and below doc.
func documents(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("*.md")
	require.NoError(t, err)
	require.NoError(t, filepath.WalkDir("doc", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".md" {
			pages = append(pages, path)
		}
		return err
	}))
	return pages
}

var fenced = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

func outsideCode(text string) string {
	return codeSpan.ReplaceAllString(fenced.ReplaceAllString(text, ""), "")
}

// anchors are the names by which the headings of a page are linked to.
func anchors(text string) (names []string) {
	for _, line := range strings.Split(fenced.ReplaceAllString(text, ""), "\n") {
		title := strings.TrimLeft(line, "#")
		if title == line || !strings.HasPrefix(title, " ") {
			continue
		}
		name := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r > 127:
				return r
			}
			return -1
		}, strings.ToLower(strings.TrimSpace(title)))
		names = append(names, name)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// A file that the tests of one package read from another one's testdata belongs into the
// one at the top.
func TestNobodyReadsForeignTestdata(t *testing.T) {
	t.Parallel()
	// A way up, then down into a package: as one text, or as parts to join.
	foreign := regexp.MustCompile(`"(\.\./)+[a-z][^"]*/testdata|"\.\.", "[a-z][^.]*", "testdata"`)
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (d.Name() == "testdata" || d.Name()[0] == '.'):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(path, "_test.go"):
			require.Empty(t, foreign.FindString(read(t, path)), path)
		}
		return nil
	}))
}

// The page on security names tests and stories that are there, and none without one.
func TestSecurityPage(t *testing.T) {
	t.Parallel()
	tests := ""
	require.NoError(t, filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "_test.go") {
			tests += read(t, path)
		}
		return err
	}))
	seen := 0
	for line := range strings.SplitSeq(read(t, "doc/security.md"), "\n") {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| |") || strings.HasPrefix(line, "| ---") {
			continue
		}
		shown := 0
		for _, name := range regexp.MustCompile("`([A-Za-z_]+)`").FindAllStringSubmatch(line, -1) {
			if strings.HasPrefix(name[1], "Test") {
				require.Contains(t, tests, "func "+name[1]+"(", line)
			} else if _, err := os.Stat("cmd/git-liza/testdata/script/" + name[1] + ".txtar"); err != nil {
				continue // a word of the page
			}
			shown++
		}
		require.Positive(t, shown, line)
		seen++
	}
	require.Equal(t, 14, seen)
}

// What a build makes is not kept: no file of the repository is larger than a page of code
// or a recording needs.
func TestFilesAreSources(t *testing.T) {
	t.Parallel()
	listed, err := exec.Command("git", "ls-files", "-z").Output()
	if err != nil {
		t.Skipf("SKIPPED: this is no checkout: git ls-files: %v", err)
	}
	names := strings.Split(strings.TrimSuffix(string(listed), "\x00"), "\x00")
	require.Greater(t, len(names), 1000)
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil { // it may be removed, and not committed yet
			require.Less(t, info.Size(), int64(1<<20), name)
		}
	}
}
