package gitstore

import (
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/automation"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

var update = flag.Bool("update", false, "write testdata instead of comparing with it")

// golden compares bytes with a file in testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, string(want), got, "the bytes of %s are a format; -update only together with a new format", name)
}

// samples are valid values of the types that have a form of their own.
var samples = map[reflect.Type]any{
	reflect.TypeFor[board.TaskID]():     board.TaskID("task-3"),
	reflect.TypeFor[board.GoalID]():     board.GoalID("goal-1"),
	reflect.TypeFor[board.SprintID]():   board.SprintID("sprint-1"),
	reflect.TypeFor[board.RecordID]():   board.RecordID("sprint-1/3"),
	reflect.TypeFor[board.AgentID]():    board.AgentID("coder-1"),
	reflect.TypeFor[board.Actor]():      board.Actor("human:ann"),
	reflect.TypeFor[board.Role]():       board.Role("planner"),
	reflect.TypeFor[board.PhaseID]():    board.PhaseID("DESIGN"),
	reflect.TypeFor[board.ObjectID]():   board.ObjectID("9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4"),
	reflect.TypeFor[board.Generation](): board.Generation("5c1e0a44d2b97f31"),
	reflect.TypeFor[board.Request]():    board.Request("7f3a9c2e11d04b58"),
	reflect.TypeFor[board.Duration]():   board.Duration(90 * time.Minute),
	reflect.TypeFor[time.Time]():        time.Date(2026, 1, 17, 14, 6, 0, 0, time.UTC),

	reflect.TypeFor[automation.Type]():       automation.Mixed,
	reflect.TypeFor[automation.Scope]():      automation.Bounded,
	reflect.TypeFor[automation.Loop]():       automation.Forbidden,
	reflect.TypeFor[automation.SecondLook](): automation.ByPerson,
	reflect.TypeFor[automation.Source]():     automation.Declared,
}

// has reports whether a format has a field.
func has(f reflect.StructField, version int) bool {
	for option := range strings.SplitSeq(f.Tag.Get("yaml"), ",") {
		name, number, _ := strings.Cut(option, "=")
		if n, err := strconv.Atoi(number); err == nil && name == "since" && version < n {
			return false
		}
	}
	return true
}

// fill gives every field below v that a format has a value, texts
// after the name of their field.
func fill(v reflect.Value, name string, version int) {
	if sample, ok := samples[v.Type()]; ok {
		v.Set(reflect.ValueOf(sample))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name, version)
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); has(f, version) {
				fill(v.Field(i), f.Name, version)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), name, version)
		fill(v.Index(1), name, version)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key").Convert(v.Type().Key()), reflect.ValueOf("value: of "+name).Convert(v.Type().Elem()))
	case reflect.String:
		v.SetString(name + ": one\nand two")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	}
}

// The bytes of a document of every kind with every field set, and that they
// are read back whole.
func TestGoldenDocuments(t *testing.T) {
	t.Parallel()
	const version = board.NewestFormat
	for folder, place := range folders {
		doc := board.NewDocument(folder)
		fill(reflect.ValueOf(doc).Elem(), "", version)
		data, err := document.EncodeAt(version, doc)
		require.NoError(t, err)
		name := filepath.Base(place.name)
		if !place.single {
			name += ".yaml"
		}
		golden(t, "documents/"+name, string(data))
		again := board.NewDocument(folder)
		require.NoError(t, document.DecodeAt(version, name, data, again))
		require.Equal(t, doc, again)
	}
}

// The bytes of a move of every act with every field set, and that they are
// read back whole.
func TestGoldenMoves(t *testing.T) {
	t.Parallel()
	const version = board.NewestFormat
	var all strings.Builder
	for _, act := range board.Acts() {
		m := flow.Move{}
		fill(reflect.ValueOf(&m.At).Elem(), "", version)
		m.Act, m.Task, m.By, m.Principal = act, "task-3", "coder-1", "ann@example.org"
		m.Generation, m.Request, m.Seen = "5c1e0a44d2b97f31.child", "7f3a9c2e11d04b58", "9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4"
		m.Detail = flow.NewDetail(act)
		fill(reflect.ValueOf(m.Detail).Elem(), "", version)
		if first, ok := m.Detail.(*flow.InitMove); ok {
			first.Format = version // a first move has the form of the rules that it names
		}
		message, err := encodeMove(m, m.Subject(), version)
		require.NoError(t, err)
		all.WriteString("-- " + act.String() + " --\n" + message)
		again, err := decodeMove("x", message)
		require.NoError(t, err)
		require.Equal(t, m, again)
	}
	golden(t, "moves.txt", all.String())
}

func TestGoldenCommit(t *testing.T) {
	t.Parallel()
	m := flow.Move{Act: board.ActClaim, Task: "task-3", By: "coder-1", At: time.Date(2026, 1, 17, 14, 6, 0, 0, time.UTC),
		Generation: "5c1e0a44d2b97f31", Request: "7f3a9c2e11d04b58",
		Detail: &flow.ClaimMove{Lease: half, Base: "9f91405c3d2b97f315c1e0a44d2b97f315c1e0a4"}}
	raw, err := stateCommit{"4b825dc642cb6eb9a060e54bf8d69288fbee4904", "5c1e0a44d2b97f315c1e0a44d2b97f315c1e0a44", m, m.Subject(), "Grace <grace@example.org> 1768658761 +0000"}.encode(board.NewestFormat)
	require.NoError(t, err)
	golden(t, "commit.txt", string(raw))

	m.By, m.Act, m.Task, m.Generation, m.Detail = ann, board.ActPause, "", "", &flow.PauseMove{Reason: "lunch"}
	raw, err = stateCommit{"4b825dc642cb6eb9a060e54bf8d69288fbee4904", "", m, m.Subject(), "Grace <grace@example.org> 1768658761 +0000"}.encode(board.NewestFormat)
	require.NoError(t, err)
	golden(t, "commit-human.txt", string(raw))
}
