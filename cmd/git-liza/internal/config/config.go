// Package config is the table of all settings: of the board, and of git's configuration.
// It knows what each means, not who has set it to what.
package config

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/spelling"
)

// A Place is where settings are kept.
type Place uint8

const (
	Board Place = iota + 1 // the board: git liza config KEY VALUE
	Git                    // git's configuration: git config KEY VALUE
)

// String returns "board" or "git config".
func (p Place) String() string {
	if p == Board {
		return "board"
	}
	return "git config"
}

// A Group is a list of settings that belong together.
type Group struct {
	Name  string // such as limits
	About string // what they are about, in Markdown
	Place Place
	Keys  []Key
}

// Heading is the line above the group's keys in a list.
func (g Group) Heading() string {
	return "# " + g.Name + " (" + g.Place.String() + "): " + Plain(g.About)
}

// A Key is a setting, or a pattern of settings. In a pattern NAME, ID, ROLE and KEY stand
// for a word. The texts are Markdown, as in doc/configuration.md.
type Key struct {
	Name    string
	Meaning string
	Default string // "" if there is none
	Unit    string // of the value, or the values that there are
	Readers string // the commands and programs that read it
	Place   Place
}

//go:embed board.json
var boardKeys []byte

//go:embed git.json
var gitKeys []byte

// Groups returns the groups in the order in which they are listed. The defaults of the
// board's own settings are those of [board.DefaultConfig].
func Groups() []Group {
	groups := append(read(boardKeys, Board), read(gitKeys, Git)...)
	standard := defaults()
	for _, g := range groups {
		for i, k := range g.Keys {
			g.Keys[i].Place = g.Place
			g.Keys[i].Default = cmp.Or(k.Default, standard[k.Name])
		}
	}
	return groups
}

func read(text []byte, place Place) (groups []Group) {
	if err := json.Unmarshal(text, &groups); err != nil {
		panic(err) // the text is part of the program
	}
	for i := range groups {
		groups[i].Place = place
	}
	return groups
}

// FindGroup returns the group with a name.
func FindGroup(name string) (Group, bool) {
	groups := Groups()
	i := slices.IndexFunc(groups, func(g Group) bool { return g.Name == name })
	if i < 0 {
		return Group{}, false
	}
	return groups[i], true
}

// Keys returns the keys of all groups.
func Keys() (list []Key) {
	for _, g := range Groups() {
		list = append(list, g.Keys...)
	}
	return list
}

// Find returns the key with a name, or the pattern that the name follows.
func Find(name string) (Key, bool) {
	keys := Keys()
	i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		i = slices.IndexFunc(keys, func(k Key) bool { return k.Matches(name) })
	}
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}

// RoleOf returns the role that a name names where the key has ROLE, "" if it has not.
func (k Key) RoleOf(name string) board.Role {
	i := slices.Index(strings.Split(k.Name, "."), "ROLE")
	if have := strings.Split(name, "."); i >= 0 && i < len(have) && have[i] != "ROLE" {
		return board.Role(have[i])
	}
	return ""
}

// isPattern reports whether the key stands for several.
func (k Key) isPattern() bool { return slices.ContainsFunc(strings.Split(k.Name, "."), isVariable) }

func isVariable(word string) bool { return word == strings.ToUpper(word) }

// IsList reports whether git's configuration has several lines for one key.
func (k Key) IsList() bool {
	return slices.Contains([]string{"liza.env", "liza.trust.allow", "liza.provider.NAME.KEY"}, k.Name)
}

// Matches reports whether a name is that of the key, or follows its pattern. As git does,
// it ignores the case of the first and the last word of a key of git's configuration.
func (k Key) Matches(name string) bool {
	words := strings.Split(k.Name, ".")
	for i, word := range words {
		switch {
		case word == "ROLE":
			words[i] = "[a-z][a-z-]{0,29}[a-z]" // whether the board has the role is for others to say
		case word == "KEY":
			words[i] = "[^.]+"
		case isVariable(word):
			words[i] = ".+"
		case k.Place == Git && (i == 0 || i == len(words)-1):
			words[i] = regexp.QuoteMeta(strings.ToLower(word))
		default:
			words[i] = regexp.QuoteMeta(word)
		}
	}
	return regexp.MustCompile("^" + strings.Join(words, "\\.") + "$").MatchString(k.canonical(name))
}

// canonical returns a name as git has it, for a key of git's configuration.
func (k Key) canonical(name string) string {
	first, last := strings.IndexByte(name, '.'), strings.LastIndexByte(name, '.')
	if k.Place != Git || first < 0 {
		return name
	}
	return strings.ToLower(name[:first]) + name[first:last] + strings.ToLower(name[last:])
}

// Plain returns a text of the table without Markdown.
func Plain(text string) string {
	return strings.ReplaceAll(linked().ReplaceAllString(text, "$1"), "`", "")
}

// linked is compiled when it is first used: few commands show the table.
var linked = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`) })

func roleNames() (names []string) {
	for _, role := range board.FirstRoles() {
		names = append(names, role.String())
	}
	return names
}

// Nearest returns the key that a mistyped one was probably meant to be, "" if none is
// near.
func Nearest(mistyped string) string {
	var names []string
	for _, k := range Keys() {
		names = append(names, k.like(mistyped)...)
	}
	return spelling.Nearest(mistyped, names)
}

// like returns the names of a pattern whose variable words are those of another name.
func (k Key) like(name string) []string {
	have, words := strings.Split(name, "."), strings.Split(k.Name, ".")
	if len(have) != len(words) && k.isPattern() {
		return nil
	}
	names := []string{""}
	for i, word := range words {
		choices := []string{word}
		switch {
		case word == "ROLE":
			choices = roleNames()
		case isVariable(word):
			choices = []string{have[i]}
		}
		var longer []string
		for _, name := range names {
			for _, choice := range choices {
				longer = append(longer, strings.TrimPrefix(name+"."+choice, "."))
			}
		}
		names = longer
	}
	return names
}
