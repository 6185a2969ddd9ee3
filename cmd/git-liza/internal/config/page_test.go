package config

import (
	"flag"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

var update = flag.Bool("update", false, "rewrite the tables of doc/configuration.md")

const page = "../../../../doc/configuration.md"

// The page on configuration has the tables of the groups.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	want := string(text)
	for _, g := range Groups() {
		before, rest, begins := strings.Cut(want, "<!-- "+g.Name+" -->\n")
		_, after, ends := strings.Cut(rest, "<!-- end -->\n")
		require.True(t, begins && ends, "%s has no place for the group %s", page, g.Name)
		want = before + "<!-- " + g.Name + " -->\n" + table(g) + "<!-- end -->\n" + after
	}
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		text = []byte(want)
	}
	require.Equal(t, want, string(text), "go test ./cmd/git-liza/internal/config -update")
	require.Equal(t, len(Groups()), strings.Count(want, "<!-- end -->\n"), "a table of no group")
}

// table formats a group as the page has it.
func table(g Group) string {
	var b strings.Builder
	b.WriteString("**" + g.Name + "**: " + g.About + "\n\n| key | meaning | default | value |\n| --- | --- | --- | --- |\n")
	for _, k := range g.Keys {
		b.WriteString("| `" + k.Name + "` | " + k.Meaning + " | " + k.Default + " | " + k.Unit + " |\n")
	}
	return b.String()
}

// Every key says all about itself, once.
func TestKeys(t *testing.T) {
	t.Parallel()
	seen, groups := map[string]bool{}, map[string]bool{}
	for _, g := range Groups() {
		require.False(t, groups[g.Name], g.Name)
		groups[g.Name] = true
		require.NotEmpty(t, g.About)
		require.Regexp(t, `^# [a-z]+ \((board|git config)\): [^\[\]`+"`"+`]+$`, g.Heading())
		named, ok := FindGroup(g.Name)
		require.True(t, ok)
		require.Equal(t, g, named)
		for _, k := range g.Keys {
			require.False(t, seen[k.Name], k.Name)
			seen[k.Name] = true
			for _, text := range []string{k.Meaning, k.Default, k.Unit, k.Readers} {
				require.NotEmpty(t, text, k.Name)
				require.NotContains(t, text, "|", k.Name)
			}
			require.Equal(t, g.Place, k.Place, k.Name)
			require.Equal(t, k.Place == Git, strings.HasPrefix(k.Name, "liza."), k.Name)
			found, ok := Find(k.Name)
			require.True(t, ok)
			require.Equal(t, k, found)
		}
	}
}

// The board's keys are those of its configuration.
func TestKeysOfTheBoard(t *testing.T) {
	t.Parallel()
	var names []string
	for _, k := range Keys() {
		if k.Place == Board {
			names = append(names, k.Name)
		}
	}
	require.ElementsMatch(t, leaves(reflect.TypeFor[board.Config](), ""), names)
	c := board.DefaultConfig()
	c.Gates = []board.Gate{{Name: "a.b"}}
	for _, v := range Values(&c) {
		_, ok := Find(v.Key)
		require.True(t, ok, v.Key)
	}
}

// leaves returns the dotted keys of the fields of a struct; gates are settings, other
// lists are values.
func leaves(typ reflect.Type, prefix string) (names []string) {
	for i := range typ.NumField() {
		f := typ.Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case f.Type == reflect.TypeFor[[]board.Gate]():
			names = append(names, slices.DeleteFunc(leaves(reflect.TypeFor[board.Gate](), prefix+key+".NAME."), func(name string) bool { return name == "gates.NAME.name" })...)
		case f.Type.Kind() == reflect.Struct:
			names = append(names, leaves(f.Type, prefix+key+".")...)
		default:
			names = append(names, prefix+key)
		}
	}
	return names
}

func TestFind(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"liza.idle": "liza.idle", "LIZA.Idle": "liza.idle", "liza.remotetimeout": "liza.remoteTimeout", "liza.coder.model": "liza.ROLE.model",
		"liza.code-reviewer.provider": "liza.ROLE.provider", "liza.provider.claude.env-set": "liza.provider.NAME.KEY",
		"liza.principal.a.b.key": "liza.principal.NAME.key", "liza.server.adminkey": "liza.server.adminKey",
		"gates.a.b.command": "gates.NAME.command", "gates.NAME.timeout": "gates.NAME.timeout",
		"liza.tester.model": "liza.ROLE.model", "liza.Coder.model": "", "liza.Task.sessions": "", "liza.task.session": "", "liza": "", "idle": "", "gates.x": "",
		"liza.provider.claude": "", "Lease": "", "limits": "", "liza.principal.key": "",
	} {
		k, ok := Find(name)
		require.Equal(t, want != "", ok, name)
		require.Equal(t, want, k.Name, name)
	}
}

func TestNearestKey(t *testing.T) {
	t.Parallel()
	for mistyped, want := range map[string]string{
		"liza.idel": "liza.idle", "liza.remotetimeuot": "liza.remoteTimeout", "liza.codr.provider": "liza.coder.provider",
		"liza.task.session": "liza.task.sessions", "liza.principle": "liza.principal", "liza.agent.coder-1.principle": "liza.agent.coder-1.principal",
		"limits.iteration": "limits.iterations", "leese": "lease", "gates.unit.comand": "gates.unit.command", "patience": "", "liza.nothing.like.it.here": "",
	} {
		require.Equal(t, want, Nearest(mistyped), mistyped)
	}
}
