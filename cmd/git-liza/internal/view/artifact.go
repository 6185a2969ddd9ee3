package view

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
)

// An Artifact is a text that open goals and tasks stand on.
type Artifact struct {
	board.TrackedPath
	Needs  []board.Role // whose verdicts its blob needs
	UsedBy []string     // ids of goals and tasks
}

// Artifacts returns the texts that open goals and tasks stand on, by path.
func Artifacts(b *board.Board) []Artifact {
	users := board.TextUsers(b)
	list := []Artifact{}
	for _, asked := range flow.QueryTexts(b) {
		a := Artifact{TrackedPath: board.TrackedPath{Path: asked.Path}, UsedBy: users[asked.Path]}
		if doc := b.Tracked(asked.Path); doc != nil {
			a.TrackedPath = *doc
		}
		if a.Needs = a.ReviewBy; len(a.Needs) == 0 {
			a.Needs = flow.TextRoles(b, asked.Path)
		}
		list = append(list, a)
	}
	return list
}

// Object returns the artifact for JSON.
func (a Artifact) Object() Object {
	verdicts := append([]Object{}, lists.Of(a.Verdicts, func(v board.PathVerdict) Object { return ObjectOf(&v) })...)
	return Object{{"path", a.Path}, {"blob", a.Blob}, {"approved", a.Approved()}, {"needs", append([]board.Role{}, a.Needs...)},
		{"verdicts", verdicts}, {"task", a.Task}, {"by", a.By}, {"used_by", append([]string{}, a.UsedBy...)},
		{"class", ValueOf(a.Class)}, {"allowance", ValueOf(a.Allowance)}}
}

// state says for people whether the blob is approved.
func (a Artifact) state() string {
	if a.Blob == "" {
		return "no file"
	}
	if a.Approved() {
		return "approved"
	}
	return "needs " + JoinIDs(lists.Where(a.Needs, func(role board.Role) bool {
		return !slices.ContainsFunc(a.Verdicts, func(v board.PathVerdict) bool { return v.Role == role })
	}))
}

// origin says for people what brought the blob.
func (a Artifact) origin() string { return cmp.Or(string(a.Task), string(a.By)) }

// GoneText says for people that a path on which goals and tasks stand is no file any
// more, and how they get another text. path has no control characters.
func GoneText(path string, usedBy []string) string {
	if len(usedBy) == 0 {
		return path + " is no file then, and no phase has it: git liza artifact list"
	}
	return path + " is no file then; used by " + Artifact{UsedBy: usedBy}.users() +
		": git liza task edit ID --spec SPEC, for a goal git liza board edit goal"
}

// mostUsers bounds the ids of goals and tasks in a line about a text.
const mostUsers = 5

// users names for people the first goals and tasks that stand on the text.
func (a Artifact) users() string {
	return joinFirst(a.UsedBy, mostUsers)
}

// Text describes the artifact in rows.
func (a Artifact) Text(width int) string {
	t := Table{}
	t.Add("path", a.Path)
	t.Add("blob", string(a.Blob))
	t.Add("state", a.state())
	t.Add("brought by", a.origin())
	for _, v := range a.Verdicts {
		t.Add("verdict", string(v.Role)+" by "+string(v.By)+" at "+v.At.Format(Stamp))
	}
	if c := a.Class; c != nil {
		t.Add("class", fmt.Sprintf("%s, %s; loop %s; second look %s (%s)", c.Type, c.Scope, c.Loop, c.SecondLook, c.Source))
	}
	if w := a.Allowance; w != nil {
		t.Add("allowed", "by "+string(w.By)+" at "+w.At.Format(Stamp)+": "+w.Reason)
	}
	t.Add("used by", strings.Join(a.UsedBy, ", "))
	return t.Text(width)
}

// ArtifactTable lists artifacts, a line each.
func ArtifactTable(list []Artifact) *Table {
	t := &Table{Rows: [][]string{{"PATH", "BLOB", "STATE", "BROUGHT BY", "USED BY"}}}
	for _, a := range list {
		t.Add(a.Path, a.Blob.Short(), a.state(), a.origin(), a.users())
	}
	return t
}
