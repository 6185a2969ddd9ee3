package flow

import (
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// A scene is a board under play: moves are made on it one after the other,
// and every one of them is held to what must always be true.
type scene struct {
	t           require.TestingT
	docs        board.Documents
	board       *board.Board
	dumps       map[board.Key]dump // of docs, as they were when the scene first had them
	now         time.Time
	requests    int
	remembered  []Move                               // that were due
	generations map[board.AgentID][]board.Generation // in order of registration
}

// A dump is a document as text.
type dump struct {
	of   board.Document
	text string
}

var dawn = time.Date(2026, 1, 17, 8, 0, 0, 0, time.UTC)

// empty is a scene without a blackboard.
func empty(t require.TestingT) *scene {
	return &scene{t: t, board: board.Open(board.Documents{}, time.Time{}), now: dawn, generations: map[board.AgentID][]board.Generation{}}
}

// opened is a scene with a fresh blackboard.
func opened(t require.TestingT) *scene {
	s := empty(t)
	require.Nil(t, s.play(s.by("human:ann", board.ActInit, "", newBoard())))
	return s
}

func newBoard() *InitMove {
	return &InitMove{Board: "00112233445566aa", Format: board.NewestFormat, Goal: "goal-1", Title: "Ship", Spec: vision,
		Integration: board.Branch{Name: "integration", Tip: object("tip")}, Created: true, Config: board.DefaultConfig()}
}

const vision = "specs/vision.md"

// object is an object id that can be read: its digits are the name's bytes.
func object(name string) board.ObjectID {
	if name == "" {
		return ""
	}
	digits := hex.EncodeToString([]byte(name))
	if len(digits) > 40 {
		panic("too long a name for an object: " + name)
	}
	return board.ObjectID(digits + strings.Repeat("0", 40-len(digits)))
}

// objectName is what object was given.
func objectName(id board.ObjectID) string {
	raw, err := hex.DecodeString(string(id))
	if err != nil {
		return string(id)
	}
	return strings.TrimRight(string(raw), "\x00")
}

// generationOf is a generation by its label. It ends in the letter in which
// .child ends too.
func generationOf(label string) board.Generation {
	return board.Generation((hex.EncodeToString([]byte(label)) + strings.Repeat("d", 16))[:16])
}

// by is a move of the actor now, with the generation that it has.
func (s *scene) by(by board.Actor, act board.Act, task board.TaskID, d Detail) Move {
	s.requests++
	m := Move{Act: act, Task: task, By: by, At: s.now, Request: board.Request(fmt.Sprintf("%016x", s.requests)), Detail: d}
	m.Goal = GoalOf(s.board, m)
	if a := s.board.Agent(by.Agent()); a != nil && act != board.ActRegister {
		m.Generation = a.Generation
	}
	return m
}

// play makes a move that git bears out.
func (s *scene) play(m Move) *Refusal {
	f := agreeing(s.board, m)
	return s.judge(s.withTexts(m, f), f)
}

// withTexts is the move with the texts that git knows. What other moves record
// stays as it is.
func (s *scene) withTexts(m Move, f *Facts) Move {
	switch d := m.Detail.(type) {
	case *SubmitMove, *ClaimMove:
		return m
	case *MergeMove:
		merge := *d
		merge.Texts = Fill(s.board, m, f).Detail.(*MergeMove).Texts
		m.Detail = &merge
		return m
	}
	return Fill(s.board, m, f)
}

// judge makes a move with the facts given and holds it to what is always
// true: a refusal says why and what to type and changes nothing; an accepted
// move leaves a sound board, and its replay gives the same documents.
func (s *scene) judge(m Move, f *Facts) *Refusal {
	t := s.t
	s.remember()
	moveBefore := dumped(m)
	next, err := Apply(s.board, m, f)
	s.requireUnchanged()
	require.Equal(t, moveBefore, dumped(m), "Apply changed the move")
	if err != nil {
		var r *Refusal
		require.ErrorAs(t, err, &r)
		require.Nil(t, next)
		requireHelpful(t, r)
		return r
	}
	replayed, err := Apply(s.board, m, nil)
	require.NoError(t, err, "an accepted move is refused on replay")
	require.Equal(t, dumped(next.Changes()), dumped(replayed.Changes()), "replay gives other documents")
	told := m.Told(s.board, next)
	require.LessOrEqual(t, utf8.RuneCountInString(told), 100, told)
	require.NotContains(t, told, "\n")
	s.docs = s.docs.With(next.Changes())
	s.board = board.Open(s.docs, m.At)
	require.NoError(t, Check(s.board), "after %s", m.Subject())
	return nil
}

// remember keeps every document as text. Those that it has already are not made anew:
// they are to stay as they were.
func (s *scene) remember() {
	known := s.dumps
	s.dumps = make(map[board.Key]dump, len(known))
	for _, e := range s.documents() {
		d := known[e.Key]
		if d.of != e.Document {
			d = dump{e.Document, dumped(e)}
		}
		s.dumps[e.Key] = d
	}
}

// requireUnchanged requires that the documents are what they were when remember was called.
func (s *scene) requireUnchanged() {
	now := s.documents()
	require.Len(s.t, now, len(s.dumps), "Apply changed the board that it was asked of")
	for _, e := range now {
		if is := dumped(e); is != s.dumps[e.Key].text {
			require.Equal(s.t, s.dumps[e.Key].text, is, "Apply changed the board that it was asked of")
		}
	}
}

// requireHelpful holds a refusal to its promise.
func requireHelpful(t require.TestingT, r *Refusal) {
	require.Contains(t, ruleNames(t), string(r.Rule))
	require.NotEmpty(t, r.Reason)
	require.NotContains(t, r.Reason, "%!", "a reason whose arguments do not fit")
	require.Regexp(t, `^git [a-z]`, r.Hint, "the hint of %q is no command", r.Reason)
	require.NotEqual(t, RuleInvariant, r.Rule, "a guard is missing: %s", r.Reason)
}

// dump is the whole board as text.
func (s *scene) dump() string {
	return dumped(s.documents())
}

// wholeOf is every document.
func wholeOf(b *board.Board) []board.Edit {
	var list []board.Edit
	for f := board.SettingsDoc; board.NewDocument(f) != nil; f++ {
		for _, id := range b.IDs(f) {
			list = append(list, board.Edit{Key: board.Key{Folder: f, ID: id}, Document: b.Load(board.Key{Folder: f, ID: id})})
		}
	}
	return list
}

// documents are those of the scene.
func (s *scene) documents() []board.Edit { return wholeOf(board.Open(s.docs, time.Time{})) }

// dumped is a value as text, pointers followed, zero values left out.
func dumped(v any) string {
	var b strings.Builder
	dumpValue(&b, reflect.ValueOf(v))
	return b.String()
}

func dumpValue(b *strings.Builder, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			dumpValue(b, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			b.WriteString("- ")
			dumpValue(b, v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == timeType {
			at := v.Interface().(time.Time)
			b.WriteString(strconv.FormatInt(at.UnixNano(), 10) + " " + at.Location().String() + "\n")
			return
		}
		b.WriteString("{")
		for i, name := range fieldNames(v.Type()) {
			if f := v.Field(i); !f.IsZero() {
				b.WriteString(name)
				dumpValue(b, f)
			}
		}
		b.WriteString("}\n")
	case reflect.String:
		b.WriteString(v.String())
		b.WriteString("\n")
	case reflect.Bool:
		b.WriteString(strconv.FormatBool(v.Bool()) + "\n")
	case reflect.Uint8:
		b.WriteString(strconv.FormatUint(v.Uint(), 10) + "\n")
	case reflect.Int, reflect.Int64:
		b.WriteString(strconv.FormatInt(v.Int(), 10) + "\n")
	default: // fmt prints maps in order of their keys
		fmt.Fprintln(b, v.Interface())
	}
}

// namesOfFields are the labels of the fields of each type of structs.
var namesOfFields sync.Map

// fieldNames are the labels of the fields of a struct, which reflect makes anew each time.
func fieldNames(t reflect.Type) []string {
	if known, ok := namesOfFields.Load(t); ok {
		return known.([]string)
	}
	var list []string
	for i := range t.NumField() {
		list = append(list, t.Field(i).Name+": ")
	}
	namesOfFields.Store(t, list)
	return list
}

// textOf is a text as the board knows it. What it does not know has a usual blob,
// and all headings that are asked for but those that are named none.
func textOf(b *board.Board, asked TextQuery) board.Text {
	t := board.Text{Path: asked.Path, Blob: board.ObjectID(board.TrackedID(asked.Path))}
	doc := b.Tracked(asked.Path)
	if doc != nil {
		t.Blob = doc.Blob
	}
	for _, anchor := range asked.Anchors {
		s := board.Section{Anchor: anchor}
		if anchor != "none" {
			s.Hash = board.TrackedID(asked.Path + "#" + anchor)[:32]
		}
		if doc != nil && doc.Section(anchor) != nil {
			s.Hash = doc.Section(anchor).Hash
		}
		t.Sections = append(t.Sections, s)
	}
	return t
}

// agreeing are facts that bear out whatever the move records.
func agreeing(b *board.Board, m Move) *Facts {
	q := Ask(b, m)
	f := &Facts{Exists: true, Behind: map[board.ObjectID]bool{}, Saves: map[board.ObjectID]bool{}, Texts: map[string]TextFact{}, Lines: map[string]int{}}
	for _, path := range q.Lines {
		f.Lines[path] = 10
	}
	for _, id := range q.Behind {
		f.Behind[id] = true
	}
	for _, id := range q.Saves {
		f.Saves[id] = true
	}
	for _, asked := range q.Texts {
		is := textOf(b, asked)
		f.Texts[asked.Path] = TextFact{Text: is, Onto: is.Blob, Base: is.Blob, Submitted: is.Blob}
	}
	switch d := m.Detail.(type) {
	case *SubmitMove:
		f.Tree, f.Base = d.Tree, d.Base
		for _, path := range d.Paths {
			f.Changes = append(f.Changes, PathChange{Path: path, Mode: 0o100644, Was: 0o100644, Size: 10})
		}
	case *GoalMove:
		if d.Loop != nil {
			text := f.Texts[d.Loop.Path]
			text.Form = d.Class
			f.Texts[d.Loop.Path] = text
		}
	case *LevelMove, *CompleteMove, *PhaseMove:
		f.Tree = object("tree-" + objectName(b.Settings().Integration.Tip))
	case *MergeMove:
		f.Tree, f.Merged, f.Drift = d.Tree, d.Tree, d.Drift
		f.Parents = []board.ObjectID{q.Onto, q.Submission}
	}
	return f
}
