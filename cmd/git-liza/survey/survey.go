// Package survey reads a commit of a repository that nobody has described yet, and
// says what is in it: languages, folders, entry points, and the commands that set
// up, build, test and check it.
//
//	commit ──► Read ──► files ──► rows ──► Survey ──► Draft   a page for people
//	          bounded    names    a command           Gates   what a merge can run
//	                     texts    per line
//
// It runs nothing. Only files of the commit are read, so that links lead nowhere,
// and of each folder and text only a bounded part. Text of the repository gets into
// a command only as a word that is in the table.
package survey

import (
	"path"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/gitstore/git"
)

// A Survey is what was found. Lists are in the order in which they matter.
type Survey struct {
	Languages []Count   `json:"languages"` // by files, most first
	Folders   []Count   `json:"folders"`   // at the root, by name
	Entries   []string  `json:"entries"`   // files in which programs begin
	Commands  []Command `json:"commands"`
	CI        []string  `json:"ci"`      // lines that the project's CI runs
	Files     int       `json:"files"`   // how many were looked at
	Partial   bool      `json:"partial"` // there are more
}

// A Count is a name with a number of files.
type Count struct {
	Name  string `json:"name"`
	Files int    `json:"files"`
}

// A Command is one that somebody new would run.
type Command struct {
	Purpose string `json:"purpose"` // one of the purposes below
	Text    string `json:"command"`
	File    string `json:"file"` // that shows it
	kind    string
}

// The purposes of commands, as the page names them.
const (
	SetUp = "set up"
	Build = "build"
	One   = "run one test"
	Test  = "run all tests"
	Check = "check style and types"
	Start = "start it"
)

// Bounds of what is looked at.
const (
	mostFiles   = 20_000
	deepest     = 12      // folders
	longestText = 256_000 // bytes
	mostListed  = 12      // rows of each list
	mostCI      = 40      // files of CI
)

// Read surveys a commit. Folders and files that cannot be read, and what is beyond
// the bounds, are left out.
func Read(o *git.Objects, commit git.ID) (Survey, error) {
	c, err := o.Commit(commit)
	if err != nil {
		return Survey{}, err
	}
	w := &walk{o: o, files: map[string]git.ID{}}
	w.folders(c.Tree)
	return w.survey(), nil
}

// A walk collects the regular files of a tree, those near the root first.
type walk struct {
	o     *git.Objects
	files map[string]git.ID
	names []string // of files, in that order
	more  bool
}

func (w *walk) folders(root git.ID) {
	type folder struct {
		id   git.ID
		path string
		deep int
	}
	for queue := []folder{{id: root}}; len(queue) > 0; queue = queue[1:] {
		in := queue[0]
		entries, err := w.o.TreeWithin(in.id, 1<<20)
		if err != nil || in.deep > deepest {
			w.more = true
			continue
		}
		for _, e := range entries {
			name := path.Join(in.path, e.Name)
			switch {
			case e.Mode == git.ModeTree:
				queue = append(queue, folder{e.ID, name, in.deep + 1})
			case e.Mode == git.ModeSymlink || e.Mode == git.ModeSubmodule:
			case len(w.names) == mostFiles:
				w.more = true
				return
			default:
				w.files[name] = e.ID
				w.names = append(w.names, name)
			}
		}
	}
}

// text returns the content of a file, "" for one that is not there, is too long or
// is no text.
func (w *walk) text(name string) string {
	id := w.files[name]
	if id == "" {
		return ""
	}
	data, err := w.o.ReadKind(id, "blob", longestText)
	if err != nil || slices.Contains(data, 0) {
		return ""
	}
	return strings.ToValidUTF8(string(data), "\uFFFD")
}

// matching returns the first file whose path matches a pattern, "" if there is none.
func (w *walk) matching(pattern string) string {
	if w.files[pattern] != "" {
		return pattern
	}
	if strings.ContainsAny(pattern, "*") {
		for _, name := range w.names {
			if ok, _ := path.Match(pattern, name); ok {
				return name
			}
		}
	}
	return ""
}

func (w *walk) survey() Survey {
	s := Survey{Entries: []string{}, Files: len(w.names), Partial: w.more}
	languages, folders := map[string]int{}, map[string]int{}
	for _, name := range w.names {
		if language := languageOf[strings.ToLower(path.Ext(name))]; language != "" && !vendored(name) {
			languages[language]++
		}
		if folder, _, ok := strings.Cut(name, "/"); ok {
			folders[folder]++
		}
		if len(s.Entries) < mostListed && isPlain(name) && slices.ContainsFunc(entryPoints, func(p string) bool { ok, _ := path.Match(p, name); return ok }) {
			s.Entries = append(s.Entries, name)
		}
	}
	s.Languages, s.Folders = counts(languages, true), counts(folders, false)
	s.Commands = w.commands()
	s.CI = w.ciLines()
	return s
}

// counts sorts what was counted, by number or by name, and leaves out names that
// are no plain words.
func counts(of map[string]int, byNumber bool) []Count {
	list := []Count{}
	for name, n := range of {
		if isPlain(name) {
			list = append(list, Count{name, n})
		}
	}
	slices.SortFunc(list, func(x, y Count) int {
		if byNumber && x.Files != y.Files {
			return y.Files - x.Files
		}
		return strings.Compare(x.Name, y.Name)
	})
	return list[:min(len(list), mostListed)]
}

// isPlain reports whether a name can stand in a page and a list as it is.
func isPlain(name string) bool {
	const others = "/._-+@ #"
	return name != "" && len(name) <= 100 && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(others, r))
	})
}

func vendored(name string) bool {
	return strings.HasPrefix(name, "vendor/") || strings.HasPrefix(name, "third_party/") || strings.Contains("/"+name, "/node_modules/")
}

// commands returns the commands that CI runs and those of all rows that apply, each once.
func (w *walk) commands() []Command {
	list := append([]Command{}, w.ciCommands()...) // an empty list, not null
	targets := map[string][]string{}
	for _, r := range rows {
		file := w.matching(r.file)
		if file == "" || r.beside != "" && w.matching(r.beside) == "" ||
			slices.ContainsFunc(r.unless, func(other string) bool { return w.matching(other) != "" }) ||
			r.says != "" && !strings.Contains(w.text(file), r.says) {
			continue
		}
		if r.target != "" {
			if _, known := targets[file]; !known {
				targets[file] = targetsOf(file, w.text(file))
			}
			if !slices.Contains(targets[file], r.target) {
				continue
			}
		}
		if !slices.ContainsFunc(list, func(c Command) bool { return c.Text == r.command && c.Purpose == r.purpose }) {
			list = append(list, Command{r.purpose, r.command, file, r.kind})
		}
	}
	slices.SortStableFunc(list, func(x, y Command) int { // what CI runs is first of its kind
		switch {
		case (x.kind == runs) == (y.kind == runs):
			return 0
		case x.kind == runs:
			return -1
		}
		return 1
	})
	return list
}

// A Gate is a command that a merge can be made to pass.
type Gate struct {
	Name    string `json:"name"`
	Command string `json:"command"`
}

// Gates returns the gates that the commands make: build, test and check. What the
// project's own task runner does goes before what its language would do, and of that
// what its CI runs. A gate runs in a fresh checkout, so a command that needs installed
// packages installs them.
func (s Survey) Gates() []Gate {
	gates := []Gate{}
	for _, one := range []struct{ name, purpose string }{{"build", Build}, {"test", Test}, {"check", Check}} {
		var chosen []Command
		for _, c := range s.Commands {
			runner := len(chosen) > 0 && chosen[0].kind == runs
			same := slices.ContainsFunc(chosen, func(other Command) bool { return other.kind == c.kind })
			if c.Purpose == one.purpose && !runner && !same {
				chosen = append(chosen, c)
			}
		}
		for _, c := range chosen {
			name := one.name
			if len(chosen) > 1 {
				name += "-" + c.kind
			}
			gates = append(gates, Gate{name, s.installing(c)})
		}
	}
	return gates
}

// installing returns a command with the one that installs what it needs before it.
func (s Survey) installing(c Command) string {
	i := slices.IndexFunc(s.Commands, func(other Command) bool { return other.Purpose == SetUp && other.kind == c.kind })
	if i < 0 || !slices.Contains(installed, c.kind) {
		return c.Text
	}
	return s.Commands[i].Text + " && " + c.Text
}

// Verify returns the command that a task may name, "" if no test was found.
func (s Survey) Verify() string {
	for _, g := range s.Gates() {
		if strings.HasPrefix(g.Name, "test") {
			return g.Command
		}
	}
	return ""
}

// Ready returns the command that makes a new worktree ready, "" if none is needed.
func (s Survey) Ready() string {
	var list []string
	for _, c := range s.Commands {
		if c.Purpose == SetUp && slices.Contains(installed, c.kind) {
			list = append(list, c.Text)
		}
	}
	return strings.Join(list, " && ")
}
