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

	"github.com/git-liza/git-liza/flow/board"
)

// TestFormats is not parallel: it adds a format for a moment, and
// parallel tests wait for it.
func TestFormats(t *testing.T) {
	require.Len(t, formats, board.NewestFormat)
	for _, f := range formats {
		require.NotEmpty(t, f.changes)
	}
	require.Equal(t, 1, Since(board.ActNote))

	kept := formats
	defer func() { formats = kept }()
	formats = append(slices.Clone(kept), format{changes: []string{"Notes are new."}, acts: []board.Act{board.ActNote}})
	next := board.NewestFormat + 1
	require.Equal(t, next, Since(board.ActNote))
	require.Equal(t, []string{"Notes are new."}, FormatChanges(board.NewestFormat, next))
	require.Empty(t, FormatChanges(next, next))

	s := opened(t)
	m := s.by("human:ann", board.ActNote, "", &NoteMove{For: "all", Text: "T"})
	_, err := Apply(s.board, m, nil)
	var refusal *Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, RuleFormat, refusal.Rule)
	require.Equal(t, fmt.Sprintf("note exists since format %d, the board has format %d", next, board.NewestFormat), refusal.Reason)
	require.Equal(t, "git liza board migrate", refusal.Hint)
	formats = kept
	_, err = Apply(s.board, m, nil)
	require.NoError(t, err)
}

// The keys of every document and move of each format: a change of them is seen.
func TestKeysOfFormats(t *testing.T) {
	t.Parallel()
	for format := 1; format <= board.NewestFormat; format++ {
		path := filepath.Join("testdata", "formats", fmt.Sprintf("%d.txt", format))
		got := keysOf(format)
		require.NotContains(t, got, "invalid", "a folder without a name")
		if *update {
			require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
		}
		want, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(want), got, "go test ./flow -run TestKeysOfFormats -update writes it anew")
	}
}

// keysOf lists the keys of all documents and moves of a format.
func keysOf(format int) string {
	list := &keyList{format: format}
	for folder := board.SettingsDoc; board.NewDocument(folder) != nil; folder++ {
		list.add(strings.TrimSpace(board.Key{Folder: folder}.String()), reflect.TypeOf(board.NewDocument(folder)))
	}
	list.add("move", reflect.TypeFor[Move]())
	for _, act := range board.Acts() {
		if Since(act) <= format {
			list.add("move "+act.String(), reflect.TypeOf(NewDetail(act)))
		}
	}
	return strings.Join(list.lines, "\n") + "\n"
}

// A keyList collects the keys of types, a line each.
type keyList struct {
	format int
	lines  []string
	within []reflect.Type // types may contain themselves
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
	if len(fieldsOf(t, l.format)) == 0 {
		l.lines = append(l.lines, at)
	}
	for _, f := range fieldsOf(t, l.format) {
		l.add(at+"."+f.key, f.kind)
	}
	l.within = l.within[:len(l.within)-1]
}

type keyedField struct {
	key  string // with the options keep and since
	kind reflect.Type
}

// fieldsOf are the fields of a struct that a format has; inline structs are
// part of the outer one.
func fieldsOf(t reflect.Type, format int) (list []keyedField) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case key == "" && options == "inline" && f.Type.Kind() == reflect.Struct:
			list = append(list, fieldsOf(f.Type, format)...)
		case key == "" || key == "-" || option(options, "since") > format:
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
