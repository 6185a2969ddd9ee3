package flow

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRulesets is not parallel: it adds a version of the rules for a moment, and
// parallel tests wait for it.
func TestRulesets(t *testing.T) {
	require.Len(t, rulesets, RulesVersion-firstRules+1)
	for _, r := range rulesets {
		require.NotEmpty(t, r.changes)
	}
	require.Equal(t, firstRules, ActNote.Since())

	kept := rulesets
	defer func() { rulesets = kept }()
	rulesets = append(slices.Clone(kept), ruleset{changes: []string{"Notes are new."}, acts: []Act{ActNote}})
	next := RulesVersion + 1
	require.Equal(t, next, ActNote.Since())
	require.Equal(t, []string{"Notes are new."}, RulesChanges(RulesVersion, next))
	require.Empty(t, RulesChanges(next, next))

	s := opened(t)
	m := s.by("human:ann", ActNote, "", &NoteMove{For: "all", Text: "T"})
	_, err := s.board.Apply(m, nil)
	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, RuleVersion, refusal.Rule)
	require.Equal(t, fmt.Sprintf("note exists since rules version %d, the board has version %d", next, RulesVersion), refusal.Reason)
	require.Equal(t, "git liza migrate", refusal.Hint)
	rulesets = kept
	_, err = s.board.Apply(m, nil)
	require.NoError(t, err)
}

// The keys of every document and move, by version of the rules: a change of them is seen.
func TestKeysOfVersions(t *testing.T) {
	t.Parallel()
	for version := firstRules; version <= RulesVersion; version++ {
		path := filepath.Join("testdata", "rules", fmt.Sprintf("version-%d.txt", version))
		got := keysOf(version)
		require.NotContains(t, got, "invalid", "a folder without a name")
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "go test ./flow -run TestKeysOfVersions -update writes it anew")
	}
}

// keysOf lists the keys of all documents and moves of a version.
func keysOf(version int) string {
	list := &keyList{version: version}
	for folder := SettingsDoc; NewDocument(folder) != nil; folder++ {
		list.add(folderNames.name(uint8(folder)), reflect.TypeOf(NewDocument(folder)))
	}
	list.add("move", reflect.TypeFor[Move]())
	for _, act := range Acts() {
		if act.Since() <= version {
			list.add("move "+act.String(), reflect.TypeOf(NewDetail(act)))
		}
	}
	return strings.Join(list.lines, "\n") + "\n"
}

// A keyList collects the keys of types, a line each.
type keyList struct {
	version int
	lines   []string
	within  []reflect.Type // types may contain themselves
}

func (l *keyList) add(at string, t reflect.Type) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	if t.Kind() == reflect.Map {
		l.add(at+".*", t.Elem())
		return
	}
	if t.Kind() != reflect.Struct || t == reflect.TypeFor[time.Time]() || slices.Contains(l.within, t) {
		l.lines = append(l.lines, at)
		return
	}
	l.within = append(l.within, t)
	if len(fieldsOf(t, l.version)) == 0 {
		l.lines = append(l.lines, at)
	}
	for _, f := range fieldsOf(t, l.version) {
		l.add(at+"."+f.key, f.kind)
	}
	l.within = l.within[:len(l.within)-1]
}

type keyedField struct {
	key  string // with the options keep and since
	kind reflect.Type
}

// fieldsOf are the fields of a struct that a version has; inline structs are
// part of the outer one.
func fieldsOf(t reflect.Type, version int) (list []keyedField) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case key == "" && options == "inline" && f.Type.Kind() == reflect.Struct:
			list = append(list, fieldsOf(f.Type, version)...)
		case key == "" || key == "-" || option(options, "since") > version:
		case strings.Contains(options, "keep"):
			list = append(list, keyedField{key + "!", f.Type})
		default:
			list = append(list, keyedField{key, f.Type})
		}
	}
	return list
}

// option is the number of an option of a tag, 0 if it is not there.
func option(options, name string) (n int) {
	for o := range strings.SplitSeq(options, ",") {
		if number, ok := strings.CutPrefix(o, name+"="); ok {
			fmt.Sscan(number, &n)
		}
	}
	return n
}
