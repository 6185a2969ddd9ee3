// Package survey finds in a commit of a repository the commands that set up, build, test and
// check it. It runs nothing and reads regular files at the root alone. No text of the
// repository gets into a command: all words are those of the table.
package survey

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A tool is a row of the table: the file that shows it, and its commands.
type tool struct {
	kind                      string // of several rows of a kind the first one that is there counts
	file, beside              string // patterns of names at the root; beside may be ""
	setUp, build, test, check string // "" for none; a | separates alternatives
}

// runner is the kind of the project's own task runners, whose commands go before those of
// languages.
const runner = "runner"

var tools = []tool{
	{runner, "Makefile", "", "", "make build", "make test", "make check|make ci|make verify|make lint"},
	{runner, "justfile", "", "", "just build", "just test", "just check|just ci|just verify|just lint"},
	{"go", "go.mod", "", "", "go build ./...", "go test ./...", "go vet ./..."},
	{"rust", "Cargo.toml", "", "", "cargo build", "cargo test", "cargo fmt --check && cargo clippy"},
	{"node", "package.json", "package-lock.json", "npm ci", "npm run build", "npm test", "npm run lint|npm run typecheck"},
	{"node", "package.json", "pnpm-lock.yaml", "pnpm install --frozen-lockfile", "npm run build", "npm test", "npm run lint|npm run typecheck"},
	{"node", "package.json", "yarn.lock", "yarn install --frozen-lockfile", "npm run build", "npm test", "npm run lint|npm run typecheck"},
	{"node", "package.json", "bun.lock*", "bun install --frozen-lockfile", "npm run build", "npm test", "npm run lint|npm run typecheck"},
	{"node", "package.json", "", "npm install", "npm run build", "npm test", "npm run lint|npm run typecheck"},
	{"python", "pyproject.toml", "uv.lock", "uv sync", "", "uv run pytest", "uv run ruff check ."},
	{"python", "pyproject.toml", "poetry.lock", "poetry install", "", "poetry run pytest", "poetry run ruff check ."},
	{"python", "pyproject.toml", "", "python -m pip install -e .", "", "python -m pytest", "ruff check ."},
	{"python", "requirements.txt", "", "python -m pip install -r requirements.txt", "", "python -m pytest", "ruff check ."},
	{"cmake", "CMakeLists.txt", "", "", "cmake -B build && cmake --build build", "", ""},
	{"maven", "pom.xml", "", "", "mvn -B -DskipTests package", "mvn -B verify", ""},
	{"gradle", "gradlew", "", "", "./gradlew assemble", "./gradlew check", ""},
	{"dotnet", "*.sln", "", "", "dotnet build", "dotnet test", ""},
	{"elixir", "mix.exs", "", "mix deps.get", "", "mix test", ""},
	{"ruby", "Gemfile", ".rspec", "bundle install", "", "bundle exec rspec", ""},
	{"php", "composer.json", "", "composer install", "", "composer test", ""},
}

// installed are the kinds whose commands need what their set-up puts into the checkout.
var installed = []string{"node", "python", "ruby", "php"}

// A Survey is what was found.
type Survey struct {
	Files  []string `json:"files"` // that show a tool
	Gates  []Gate   `json:"gates"`
	Verify string   `json:"verify"` // for tasks; "" if no test was found
	Ready  string   `json:"ready"`  // for post_worktree; "" if none is needed
}

// A Gate is a command that a merge can be made to pass.
type Gate struct {
	Name    string `json:"name"`
	Command string `json:"command"`
}

// longestText bounds a file that is read, in bytes.
const longestText = 256_000

// Read surveys the root of a commit. A file that is too long or no text defines nothing.
func Read(o *git.Objects, commit git.ID) (Survey, error) {
	c, err := o.Commit(commit)
	if err != nil {
		return Survey{}, err
	}
	entries, err := o.TreeWithin(c.Tree, 1<<20)
	if err != nil {
		return Survey{}, err
	}
	entries = slices.DeleteFunc(entries, func(e git.Entry) bool { return e.Mode != git.ModeBlob && e.Mode != git.ModeExecutable })
	find := func(pattern string) *git.Entry {
		i := slices.IndexFunc(entries, func(e git.Entry) bool { ok, _ := path.Match(pattern, e.Name); return ok })
		if i < 0 {
			return nil
		}
		return &entries[i]
	}
	s := Survey{Files: []string{}, Gates: []Gate{}}
	var found []tool
	for _, t := range tools {
		e := find(t.file)
		if e == nil || t.beside != "" && find(t.beside) == nil || t.kind != runner && slices.ContainsFunc(found, func(other tool) bool { return other.kind == t.kind }) {
			continue
		}
		s.Files = append(s.Files, t.file)
		text, err := o.ReadKind(e.ID, "blob", longestText)
		if err != nil || slices.Contains(text, 0) {
			text = nil
		}
		found = append(found, t.defined(string(text)))
	}
	s.add(found)
	return s, nil
}

// add adds the gates of the tools that were found. A command of a task runner stands for all
// languages. A gate runs in a fresh checkout, so it installs what it needs there.
func (s *Survey) add(found []tool) {
	var ready []string
	for _, t := range found {
		if slices.Contains(installed, t.kind) {
			ready = append(ready, t.setUp)
		}
	}
	s.Ready = strings.Join(ready, " && ")
	for _, gate := range []struct {
		name string
		of   func(tool) string
	}{{"build", func(t tool) string { return t.build }}, {"test", func(t tool) string { return t.test }}, {"check", func(t tool) string { return t.check }}} {
		with := slices.DeleteFunc(slices.Clone(found), func(t tool) bool { return gate.of(t) == "" })
		if len(with) > 0 && with[0].kind == runner {
			with = with[:1]
		}
		for _, t := range with {
			one := Gate{gate.name, gate.of(t)}
			if len(with) > 1 {
				one.Name += "-" + t.kind
			}
			if slices.Contains(installed, t.kind) {
				one.Command = t.setUp + " && " + one.Command
			}
			s.Gates = append(s.Gates, one)
			if s.Verify == "" && gate.name == "test" {
				s.Verify = one.Command
			}
		}
	}
}

// defined is a tool with the commands alone for which its file has what they name: a target, a
// script, or the program of Python that they run.
func (t tool) defined(text string) tool {
	has := func(string) bool { return true }
	switch {
	case t.kind == runner:
		has = in(targets(text))
	case path.Ext(t.file) == ".json":
		has = in(scripts(text))
	case t.kind == "python":
		has = func(command string) bool {
			return strings.Contains(command, "pytest") && strings.Contains(text, "pytest") || strings.Contains(command, "ruff") && strings.Contains(text, "ruff")
		}
	}
	for _, command := range []*string{&t.build, &t.test, &t.check} {
		either := strings.Split(*command, "|")
		*command = ""
		if i := slices.IndexFunc(either, has); i >= 0 {
			*command = either[i]
		}
	}
	return t
}

// in reports of a command whether its last word is one of some names.
func in(names []string) func(string) bool {
	return func(command string) bool {
		return slices.Contains(names, command[strings.LastIndexByte(command, ' ')+1:])
	}
}

// rule is the head of a rule of make, which may have several targets, or of a recipe of just.
var rule = pattern.Late(`(?m)^([A-Za-z][A-Za-z0-9_ -]*?)(?: +[a-z_]+=[^ :]*)* *::?(?:[^=:]|$)`)

func targets(text string) (names []string) {
	for _, m := range rule().FindAllStringSubmatch(text, -1) {
		names = append(names, strings.Fields(m[1])...)
	}
	return names
}

// scripts are the names of the scripts of package.json or composer.json, but not of what npm
// init writes where there are no tests.
func scripts(text string) (names []string) {
	var read struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	_ = json.Unmarshal([]byte(text), &read) // one that cannot be read has none
	for name, script := range read.Scripts {
		if !strings.Contains(string(script), "no test specified") {
			names = append(names, name)
		}
	}
	return names
}
