package stories

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

const prd = `{
  "project": "Shop",
  "branchName": "ralph/cart",
  "description": "A cart",
  "userStories": [
    {
      "id": "US-001",
      "title": "Add to the cart",
      "description": "As a customer",
      "acceptanceCriteria": ["It is there", "typecheck passes"],
      "priority": 1,
      "passes": false,
      "notes": ""
    },
    {"notes":"caf\u00e9", "id" : "US-002", "title":"Pay <now>", "passes":true, "x": [1.50, 1e3, null]},
    { "id": "US-003",   "title": "Ship" }
  ],
  "allowedPaths": ["src/**"], "excludedPaths": ["vendor/**"], "verificationCommands": ["make test"]
}
`

func TestReadPRD(t *testing.T) {
	t.Parallel()
	f, err := Read("prd.json", []byte(prd))
	require.NoError(t, err)
	require.Equal(t, []string{"Shop", "ralph/cart", "A cart"}, []string{f.Title, f.Branch, f.Description})
	require.Equal(t, [][]string{{"src/**"}, {"vendor/**"}, {"make test"}}, [][]string{f.Allowed, f.Excluded, f.Verify})
	require.Equal(t, []Story{
		{ID: "US-001", Title: "Add to the cart", Description: "As a customer", Acceptance: []string{"It is there", "typecheck passes"}, Priority: 1, Line: 6},
		{ID: "US-002", Title: "Pay <now>", Passes: true, Notes: "café", Line: 15},
		{ID: "US-003", Title: "Ship", Line: 16},
	}, f.Stories)

	same, err := f.Export([]Result{{"US-002", true, "café"}, {"US-001", false, ""}, {"US-003", false, ""}})
	require.NoError(t, err)
	require.Equal(t, prd, string(same), "what is not new is not written anew")
	out, err := f.Export([]Result{{"US-001", true, "Done <\"here\">\nand there"}, {"US-002", false, "no"}, {"US-003", true, "x"}})
	require.NoError(t, err)
	want := strings.NewReplacer(
		"\"passes\": false,\n      \"notes\": \"\"", "\"passes\": true,\n      \"notes\": \"Done <\\\"here\\\">\\nand there\"",
		`{"notes":"caf\u00e9"`, `{"notes":"no"`, `"passes":true, "x"`, `"passes":false, "x"`,
		`"title": "Ship" }`, `"title": "Ship",   "passes": true,   "notes": "x" }`).Replace(prd)
	require.Equal(t, want, string(out))
}

const list = `# Cart

Work in small steps.

- [ ] this is a story only where no heading names some

## Allowed Paths

- ` + "`src/**`" + `
- test/**

## Excluded paths:

- vendor/**

## Verification Commands

` + "```sh\nmake test\nmake lint\n```" + `

## Success Criteria

- [ ] Everything works

## Tasks

Some words.

- [ ] **US-001**: Add to the cart
  As a customer
  I want it.
  - It is there
  - [x] The total is right
  - Notes: not yet,
    two tests fail
- [x] Ship

  ` + "```" + `
  - [ ] US-009: no story
  ` + "```" + `
* [ ] US-7: Pay: with a card
`

func TestReadList(t *testing.T) {
	t.Parallel()
	f, err := Read("tasks.md", []byte(list))
	require.NoError(t, err)
	require.Equal(t, "Cart", f.Title)
	require.Equal(t, [][]string{{"src/**", "test/**"}, {"vendor/**"}, {"make test", "make lint"}}, [][]string{f.Allowed, f.Excluded, f.Verify})
	require.Equal(t, []Story{
		{ID: "US-001", Title: "Add to the cart", Description: "As a customer\nI want it.", Acceptance: []string{"It is there", "The total is right"}, Notes: "not yet, two tests fail", Line: 31},
		{ID: "story-2", Title: "Ship", Passes: true, Line: 38},
		{ID: "US-7", Title: "Pay: with a card", Line: 43},
	}, f.Stories)

	same, err := f.Export([]Result{{"US-001", false, "not yet,\ntwo tests fail"}, {"story-2", true, ""}})
	require.NoError(t, err)
	require.Equal(t, list, string(same))
	for _, ends := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll(list, "\n", ends)
		f, err = Read("tasks.md", []byte(text))
		require.NoError(t, err)
		out, err := f.Export([]Result{{"US-001", true, "passes\nnow"}, {"story-2", false, "reverted"}, {"US-7", true, ""}})
		require.NoError(t, err)
		want := strings.NewReplacer("- [ ] **US-001**", "- [x] **US-001**", "Notes: not yet,"+ends+"    two tests fail", "Notes: passes now",
			"- [x] Ship", "- [ ] Ship"+ends+"  Notes: reverted",
			"* [ ] US-7", "* [x] US-7").Replace(text)
		require.Equal(t, want, string(out))
	}

	f, err = Read("x", []byte("1. [ ] one\n2. [X] two"))
	require.NoError(t, err)
	out, err := f.Export([]Result{{"story-2", true, "n"}})
	require.NoError(t, err)
	require.Equal(t, "1. [ ] one\n2. [X] two\n  Notes: n", string(out))
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	story := func(text string) string {
		return "{\"userStories\": [\n{\"id\": \"a\", \"title\": \"b\"" + text + "}\n]}"
	}
	for _, test := range []struct{ text, want string }{
		{"", "prd.json:1: the text ends in the middle of a value"},
		{"[]", "prd.json:1: a prd.json is an object with a list userStories"},
		{`{"userStories": {}}`, "with a list userStories"},
		{`{"userStories": []}`, "the file has no story"},
		{`{"userStories": [1]}`, "a story is an object"},
		{story(",\n\"id\": \"c\""), `prd.json:3: duplicate key "id"`},
		{story(`, "\u0069d": "c"`), `prd.json:2: duplicate key "id"`},
		{story(`, "x": {"y": [{"z": 1, "z": 2}]}`), `duplicate key "z"`},
		{story(`}, {"id": "a", "title": "c"`), `a second story has the id "a"`},
		{`{"userStories": [{"title": "b"}]}`, "a story has no id"},
		{`{"userStories": [{"id": "b"}]}`, `the story "b" has no title`},
		{story(`, "passes": "yes"`), "passes is true or false"},
		{story(`, "notes": 1`), "notes is a text"},
		{story(`, "priority": "1"`), "a priority is a number"},
		{story(`, "acceptanceCriteria": [1]`), "acceptanceCriteria is a list of texts"},
		{story(`, "x": ` + strings.Repeat("[", 40)), "nested deeper than 32"},
		{story(`,`), "prd.json:2: invalid character"},
		{story("") + "\n{}", "something stands after the end"},
		{story("") + "x", "something stands after the end"},
		{"{\n\"a\": \"\xff\"}", "prd.json:2: the text is not UTF-8"},
		{strings.Repeat(" ", MaxFile+1), "larger than 1048576 bytes"},
		{`{"userStories": [` + strings.Repeat(`{"id": "a", "title": "b"}, `, MaxStories) + `{}]}`, "more than 1000 stories"},
	} {
		_, err := Read("prd.json", []byte(test.text))
		require.ErrorContains(t, err, test.want, "%.100q", test.text)
	}
	_, err := Read("x.md", []byte("- [ ] US-1: a\n- [ ] US-1: b\n"))
	require.EqualError(t, err, `x.md:2: a second story has the id "US-1"`)
	_, err = Read("x.md", []byte("# Nothing\n- [] a\n- [y] b\n- [ ]c\n"))
	require.EqualError(t, err, "x.md:1: the file has no story")
	f, err := Read("prd.json", []byte(prd))
	require.NoError(t, err)
	_, err = f.Export([]Result{{ID: "US-9"}})
	require.ErrorContains(t, err, `has no story "US-9"`)
	_, err = f.Export([]Result{{ID: "US-001"}, {ID: "US-001"}})
	require.ErrorContains(t, err, "stands twice")
}

// randomPRD draws a prd.json with keys in any order, blanks in any place, and
// characters in any form. It returns the stories too.
func randomPRD(t *rapid.T) (text string, stories []Story) {
	blanks := rapid.SampledFrom([]string{"", "", " ", "\n", "\r\n\t", "    "})
	str := func(text string) string {
		var b strings.Builder
		b.WriteByte('"')
		for _, c := range text {
			quoted, _ := json.Marshal(string(c))
			if c < 0x10000 && rapid.Bool().Draw(t, "escape") {
				quoted = fmt.Appendf(nil, `"\u%04x"`, c)
			}
			b.Write(quoted[1 : len(quoted)-1])
		}
		return b.String() + `"`
	}
	object := func(members map[string]string) string {
		keys := rapid.Permutation(slices.Sorted(maps.Keys(members))).Draw(t, "order")
		text := "{"
		for i, key := range keys {
			if i > 0 {
				text += ","
			}
			text += blanks.Draw(t, "b") + str(key) + blanks.Draw(t, "b") + ":" + blanks.Draw(t, "b") + members[key] + blanks.Draw(t, "b")
		}
		return text + "}"
	}
	word := rapid.StringMatching(`[a-zé"\\/ \x{1F600}\n]{1,6}`)
	var list []string
	for i := range rapid.IntRange(1, 4).Draw(t, "n") {
		s := Story{ID: fmt.Sprintf("US-%d", i), Title: word.Draw(t, "title")}
		members := map[string]string{"id": str(s.ID), "title": str(s.Title), "x": rapid.SampledFrom([]string{"null", "1.0e5", `{"passes": true, "notes": "x"}`, "[ ]"}).Draw(t, "x")}
		if rapid.Bool().Draw(t, "has passes") {
			s.Passes = rapid.Bool().Draw(t, "passes")
			members["passes"] = fmt.Sprint(s.Passes)
		}
		if rapid.Bool().Draw(t, "has notes") {
			s.Notes = word.Draw(t, "notes")
			members["notes"] = str(s.Notes)
		}
		stories, list = append(stories, s), append(list, object(members))
	}
	bom := rapid.SampledFrom([]string{"", mark}).Draw(t, "mark")
	return bom + object(map[string]string{"userStories": "[" + strings.Join(list, blanks.Draw(t, "b")+",") + "]", "passes": "7"}) + blanks.Draw(t, "b"), stories
}

// An export says what came of the stories, and the way back gives the file that was
// there: nothing else is lost.
func TestExportAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text, stories := randomPRD(t)
		f, err := Read("prd.json", []byte(text))
		require.NoError(t, err, text)
		same, results, back := []Result{}, []Result{}, []Result{}
		for i, s := range f.Stories {
			require.Equal(t, []any{stories[i].ID, stories[i].Title, stories[i].Passes, stories[i].Notes}, []any{s.ID, s.Title, s.Passes, s.Notes})
			same = append(same, Result{s.ID, s.Passes, s.Notes})
			results = append(results, Result{s.ID, rapid.Bool().Draw(t, "now"), rapid.String().Draw(t, "note")})
			back = append(back, Result{s.ID, s.Passes, s.Notes})
		}
		unchanged, err := f.Export(same)
		require.NoError(t, err)
		require.Equal(t, text, string(unchanged))
		out, err := f.Export(results)
		require.NoError(t, err)
		g, err := Read("prd.json", out)
		require.NoError(t, err, string(out))
		for i, s := range g.Stories {
			require.Equal(t, results[i], Result{s.ID, s.Passes, s.Notes})
			f.Stories[i].Passes, f.Stories[i].Notes = s.Passes, s.Notes
			s.Line = f.Stories[i].Line
			require.Equal(t, f.Stories[i], s)
		}
		var before, after any
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(text, mark)), &before))
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(string(out), mark)), &after))
		require.Equal(t, without(before), without(after))
		again, err := g.Export(back)
		require.NoError(t, err)
		h, err := Read("prd.json", again)
		require.NoError(t, err)
		for i, s := range h.Stories {
			require.Equal(t, back[i], Result{s.ID, s.Passes, s.Notes})
		}
	})
}

// without is a prd.json without what exports change.
func without(root any) any {
	for _, one := range root.(map[string]any)["userStories"].([]any) {
		delete(one.(map[string]any), "passes")
		delete(one.(map[string]any), "notes")
	}
	return root
}

// Any text is read or refused, and an export of a list changes what it should.
func FuzzRead(f *testing.F) {
	f.Add("x.md", list, "note")
	f.Add("prd.json", prd, "note")
	f.Add("x.md", "- [ ] a\n\t- Notes: \n\n  x\n  ~~~\n", "b")
	f.Fuzz(func(t *testing.T, name, text, note string) {
		file, err := Read(name, []byte(text))
		if err != nil {
			return
		}
		var same, results []Result
		for _, s := range file.Stories {
			same = append(same, Result{s.ID, s.Passes, s.Notes})
			results = append(results, Result{s.ID, !s.Passes, note})
		}
		out, err := file.Export(same)
		require.NoError(t, err)
		require.Equal(t, text, string(out))
		out, err = file.Export(results)
		if err != nil || len(out) > MaxFile {
			return
		}
		again, err := Read(name, out)
		require.NoError(t, err, "%q", out)
		require.Len(t, again.Stories, len(file.Stories))
		for i, s := range again.Stories {
			require.Equal(t, []any{results[i].ID, results[i].Passes, file.plainNotes(note)}, []any{s.ID, s.Passes, s.Notes}, "%q", out)
			require.Equal(t, file.Stories[i].Acceptance, s.Acceptance)
			require.Equal(t, file.Stories[i].Description, s.Description)
		}
	})
}

// Stories are worked on by their priority, those without one last, and otherwise as they
// stand in the file, which keeps its own order.
func TestOrder(t *testing.T) {
	t.Parallel()
	f, err := Read("prd.json", []byte(`{"userStories": [{"id": "a-1", "title": "A"}, {"id": "b-1", "title": "B", "priority": 3, "description": " D \n", "notes": "N"},
		{"id": "c-1", "title": "C", "priority": 1}, {"id": "d-1", "title": "D"}, {"id": "e-1", "title": "E", "priority": 3}, {"id": "f-1", "title": "F", "priority": 1, "passes": true}]}`))
	require.NoError(t, err)
	ids := func(list []Story) (text string) {
		for _, s := range list {
			text += s.ID[:1]
		}
		return text
	}
	require.Equal(t, "cfbead", ids(f.Order()))
	require.Equal(t, "abcdef", ids(f.Stories))
	require.Equal(t, "b-1: B\n\nD\n\nN", f.Order()[2].Text())
	require.Equal(t, "a-1: A", f.Order()[4].Text())
}
