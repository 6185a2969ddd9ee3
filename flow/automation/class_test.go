package automation

import (
	"errors"
	"go/ast"
	"go/parser"
	gotoken "go/token"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const block = "automation:\n  type: mixed\n  scope: bounded\n  loop: forbidden\n  second_look: optional\n"

func front(text string) string { return "---\n" + text + "---\nCheck it.\n" }

// A refusal names the line and what is wrong on it.
func TestClassifyRefuses(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 100_000)
	for _, test := range []struct{ text, want string }{
		{strings.Repeat("Check it.\n", 1<<20), "p.md:104858: the file is larger than 1048576 bytes"},
		{"a\nb\xff\n", "p.md:2: the text is not UTF-8"},
		{"a\n\x00\n", "p.md:2: the text holds a zero byte"},
		{front("x: y\n" + strings.Repeat("z: "+strings.Repeat("y", 1000)+"\n", 300)), "the front matter is larger than 262144 bytes"},
		{front("a: &a x\n"), "p.md:2: anchors are not allowed"},
		{front("a:\n  - - &a x\n"), "p.md:3: anchors are not allowed"},
		{front("a: x\nb: *a\n"), "p.md:3: aliases are not allowed"},
		{front("files_modified:\n  - *.ts\n"), "p.md:3: aliases are not allowed; put a text that begins with * between quotes"},
		{front("a: !!str x\n"), "p.md:2: tags are not allowed"},
		{front("just text\n"), `p.md:2: "just text" is neither a key nor a value of YAML`},
		{front("  indented: x\n"), "p.md:2: a value without a key"},
		{front("a:\n\tb: x\n"), "p.md:3: a tab indents"},
		{front("title: Phase 7: export\n"), "p.md:2: a text with a colon and a blank stands between quotes"},
		{front("a: x\na: y\n"), `p.md:3: duplicate key "a"`},
		{front("files_modified: " + deep + "\n"), "p.md:2: files_modified nests too deep"},
		{front("files_modified: [a, b\n"), "p.md:2: the bracket of files_modified is not closed"},
		{front("files_modified: [a,, b]\n"), "p.md:2: files_modified has an entry without text"},
		{front("files_modified: [a] b\n"), `p.md:2: "b" stands after the end of files_modified`},
		{front("files_modified: [a]\n  - b\n"), `p.md:3: "  - b" stands after the end of files_modified`},
		{front("files_modified:\n  a: b\n"), "p.md:3: files_modified is a list of paths"},
		{front("files_modified:\n  - a: b\n"), "p.md:3: files_modified is a list of paths"},
		{front("files_modified: |\n  a\n"), "p.md:3: files_modified is a list of paths"},
		{front("files_modified:\n  - \"a\n"), "p.md:3: the quote is not closed on its line"},
		{front("files_modified:\n  - \"a\\u0062\"\n"), "p.md:3: a text here has no escapes"},
		{front("files_modified:\n  -\n"), "p.md:3: a text is missing"},
		{front("automation:\n"), "p.md:2: automation lacks type"},
		{front("automation: off\n"), `p.md:2: automation is a mapping, got "off"`},
		{front(strings.Replace(block, "mixed", "odd", 1)), `p.md:3: type: "odd" is neither conceptual, mechanical nor mixed`},
		{front(block + "  ralph: allowed\n"), `p.md:7: duplicate key "ralph"`},
		{front(strings.Replace(block, "loop:", "lop:", 1)), `p.md:5: unknown key "lop"; automation has type, scope, loop and second_look`},
		{front(block + "  loop: allowed\n"), `p.md:7: duplicate key "loop"`},
		{front(block + "   x: y\n"), "p.md:7: the keys of automation are not indented alike"},
		{front(block + "  - x\n"), `p.md:7: "- x" is no key of automation`},
		{front("automation: {type: {a: b}}\n"), "p.md:2: automation nests too deep"},
		{front(block) + block, "p.md:9: the file declares its class twice"},
		{block + "\n" + block, "p.md:7: the file declares its class twice"},
	} {
		_, err := Classify("p.md", []byte(test.text))
		require.ErrorContains(t, err, test.want, "%.200q", test.text)
		var at *Error
		require.True(t, errors.As(err, &at))
		require.Less(t, len(at.Reason), 200)
	}
	for _, test := range []struct{ text, want string }{
		{"", "p.json:1: no value of JSON"},
		{"{\n\"a\": 1,\n\"a\": 2}", `p.json:3: duplicate key "a"`},
		{"{\"a\" 1}", "a colon stands after a key"},
		{"{1: 2}", "a key is a text"},
		{"{\"a\": [1 2]}", "a comma or ']' is missing"},
		{"{\"a\": [1,]}", "no value of JSON begins with \"]}\""},
		{"{\"a\": [}", "no value of JSON"},
		{"{\"a\": \"\\x\"}", "an escape that JSON lacks"},
		{"{\"a\": \"\\u12\"}", "an escape that JSON lacks"},
		{"{\"a\": \"\n\"}", "a control character"},
		{"{\"a\": \"", "ends in the middle"},
		{"{} {}", "something stands after the end"},
		{strings.Repeat("[", 1000), "nested deeper than 32"},
		{"{\"automation\": \"off\"}", "automation is an object of texts"},
		{"{\"automation\": {\"type\": 1}}", "automation is an object of texts"},
		{"{\n\"automation\": {\"type\": \"mixed\"}}", "p.json:2: automation lacks scope"},
		{"{\"automation\": {\"loop\": \"no\"}}", "loop: \"no\" is neither"},
		{"{\"files_modified\": \"a\"}", "files_modified is a list of texts"},
		{"{\"files_modified\": {\"a\": \"b\"}}", "files_modified is a list of texts"},
	} {
		_, err := Classify("p.json", []byte(test.text))
		require.ErrorContains(t, err, test.want, "%.200q", test.text)
	}
	_, err := Classify("plans/P.YAML", []byte("a: b\n---\nc: d\n"))
	require.ErrorContains(t, err, "plans/P.YAML:2: a second document begins")
}

// What the class does not depend on is not judged: plans of other programs have values of
// many kinds.
func TestClassifyTakes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		front("user_setup:\nnote: |\n  *bold* and &amp\n\n  !important: yes: no\nx: ~\n"),
		front("note: \"a: b \\. c\n  goes on\"\nurl: http://example.org # a: b\ntime: 10:30\n"),
		front("matrix: {a: [1, 2], b: &\n  x}\n"),
		front("'a b': c\n\"d\": \"e\"\nlist: [\na,\nb\n]\n"),
		"---\r\nfiles_modified: []\r\n---\r\nCheck it.\r\n",
	} {
		c, err := Classify("p.md", []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, Inferred, c.Source, text)
	}
}

// What a file declares is its class, in our words and in those of a harness.
func TestDeclared(t *testing.T) {
	t.Parallel()
	harness := strings.NewReplacer("loop:", "ralph:", "second_look:", "ecc:").Replace(block)
	for name, text := range map[string]string{
		"p.md": front(block), "below.md": "# P\n\nText.\n\n" + block, "p.yaml": "feature: x\n" + block, "harness.md": front(harness),
		"inline.md": front("automation: {type: mixed, scope: bounded, ralph: forbidden, ecc: 'optional'} # ours\n"),
		"p.json":    `{"automation": {"type": "mixed", "scope": "bounded", "loop": "forbidden", "second_look": "optional"}, "userStories": []}`,
	} {
		c, err := Classify(name, []byte(text))
		require.NoError(t, err, name)
		require.NoError(t, c.Check(), name)
		require.True(t, c.Binds(), name)
		require.Len(t, c.Evidence, 4, name)
		c.Evidence = nil
		require.Equal(t, Class{Type: Mixed, Scope: Bounded, Loop: Forbidden, SecondLook: Optional, Source: Declared}, c, name)
	}
	c, err := Classify("p.md", []byte(front(harness)))
	require.NoError(t, err)
	require.Equal(t, []Evidence{{3, "type: mixed"}, {4, "scope: bounded"}, {5, "ralph: forbidden"}, {6, "ecc: optional"}}, c.Evidence)
	require.Equal(t, "line 5: ralph: forbidden", c.Why())

	c, err = Classify("p.md", []byte("```\n"+block+"```\n"))
	require.NoError(t, err)
	require.Equal(t, Inferred, c.Source, "an example declares nothing")
}

// A plan of GSD that asks for a person says so, beside what a block says.
func TestPlansThatAskForAPerson(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Class{
		front("autonomous: false\nwave: 1\n"):                                                        {Mixed, Bounded, Discouraged, ByPerson, Declared, []Evidence{{2, "autonomous: false"}}},
		"<tasks>\n<task type=\"auto\">\n<task type=\"checkpoint:human-verify\" gate=\"blocking\">\n": {Mixed, Bounded, Discouraged, ByPerson, Declared, []Evidence{{3, "checkpoint:human-verify"}}},
		"---\nautonomous: false\n" + block + "---\n": {Mixed, Bounded, Forbidden, ByPerson, Declared,
			[]Evidence{{4, "type: mixed"}, {5, "scope: bounded"}, {6, "loop: forbidden"}, {7, "second_look: optional"}, {2, "autonomous: false"}}},
	} {
		c, err := Classify("p.md", []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, want, c, text)
	}
	for _, text := range []string{front("autonomous: true\n"), "```\n<task type=\"checkpoint:decision\">\n```\n", "autonomous: false\n"} {
		c, err := Classify("p.md", []byte(text))
		require.NoError(t, err, text)
		require.Equal(t, Inferred, c.Source, text)
	}
}

// Without such words the form says the class, whatever the prose says.
func TestForm(t *testing.T) {
	t.Parallel()
	const bounds = "## Allowed Paths\n- `src/`\n\n## Verification Commands\n```sh\ngo test ./...\n```\n"
	allowed, named, open := Class{Mechanical, Bounded, Allowed, Unnecessary, Inferred, nil}, Class{Mixed, Bounded, Discouraged, Optional, Inferred, nil}, Class{Conceptual, Unbounded, Discouraged, Optional, Inferred, nil}
	for _, test := range []struct {
		name, text string
		want       Class
	}{
		{"prd.json", `{"userStories": [{"id": "US-1"}], "allowedPaths": ["src/"], "verificationCommands": ["make"]}`, allowed},
		{"prd.json", `{"userStories": [{"id": "US-1"}], "allowedPaths": ["src/"]}`, named},
		{"prd.json", `{"userStories": [{"id": "US-1"}], "verificationCommands": ["make"]}`, open},
		{"prd.json", `{"userStories": [], "allowedPaths": ["src/"], "verificationCommands": ["make"]}`, named},
		{"task-graph.json", `{"tasks": [{"files": {"create": ["a"]}, "verification": {"command": "make"}}]}`, allowed},
		{"task-graph.json", `{"tasks": [{"files": {"create": ["a"]}, "verification": {"command": "make"}}, {"files": {}}]}`, named},
		{"list.md", "# Stories\n- [ ] US-001: Pay\n\n" + bounds, allowed},
		{"list.md", "- [x] Pay throughout, as needed\n\n**Allowed paths:** src/a.go\n**Verification:** make\n", allowed},
		{"list.md", "## Acceptance criteria\n- [ ] it is fast\n\n" + bounds, named},
		{"list.md", "- [ ] US-001: Pay\n\n## Allowed Paths\n- none\n\n## Verification\n- make\n", open},
		{"plan.yaml", "defaults: {verify: make}\ntasks:\n  - id: a\n    owns: [a/**]\n  - {id: b, files: {create: [b]}}\n", allowed},
		{"plan.yaml", "tasks:\n- id: a\n  owns:\n  - a/**\n  verify: make\n- id: b\n  verify: make\n", named},
		{"plan.yaml", "tasks:\n  - {id: a, verify: make}\n", open},
		{"PLAN.md", "---\nfiles_modified:\n  - src/a.c\n---\nVerify the login, where appropriate.\n", named},
		{"PLAN.md", "<task type=\"auto\">\n<files>src/a.c</files>\n<verify>make</verify>\n</task>\n", named},
		{"rfc.md", "# Design\n\nCompare two ways. The password of src/auth.go stays.\n", open},
	} {
		c, err := Classify(test.name, []byte(test.text))
		require.NoError(t, err, test.text)
		require.NoError(t, c.Check())
		require.False(t, c.Binds())
		require.Equal(t, "inferred", c.Why())
		c.Evidence = nil
		require.Equal(t, test.want, c, test.text)
	}
}

// What tries to declare a class forbids automation until somebody mends it, and what cannot
// be read otherwise says nothing.
func TestFind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		front(strings.Replace(block, "loop:", "lop:", 1)): `line 5: unknown key "lop"; automation has type, scope, loop and second_look`,
		front("a: x\na: y\n" + block):                     `line 3: duplicate key "a"`,
		"automation:\n  loop: never\n":                    `line 2: loop: "never" is neither allowed, discouraged nor forbidden`,
	} {
		c := Find("p.md", []byte(text))
		require.True(t, c.Binds() && c.Loop == Forbidden, text)
		require.Equal(t, want, c.Why())
		require.NoError(t, c.Check())
	}
	require.Equal(t, Forbidden, Find("p.json", []byte(`{"automation": {"loop": `)).Loop)
	require.Nil(t, Find("p.md", []byte(front("a: x\na: y\n"))))
	require.Nil(t, Find("p.md", []byte("\xff")))
	require.Equal(t, ByPerson, Find("p.md", []byte(front("title: Phase 7: export\nautonomous: false\n"))).SecondLook, "what is odd elsewhere loses no such word")
	require.Equal(t, Inferred, Find("p.md", []byte("# Text\n")).Source)
	require.Error(t, Class{Type: "odd", Scope: Bounded, Loop: Allowed, SecondLook: Optional, Source: Person}.Check())
	require.Equal(t, "person", Class{Source: Person}.Why())
	require.False(t, (*Class)(nil).Binds())
}

// The evidence of a class has lines, few entries, and texts cut between characters.
func TestEvidence(t *testing.T) {
	t.Parallel()
	c, err := Classify("p.md", []byte("---\nfiles_modified:\n"+strings.Repeat("  - src/a.c\n", 20)+"---\n"))
	require.NoError(t, err)
	require.Len(t, c.Evidence, maxEvidence)
	require.Equal(t, Evidence{3, "src/a.c"}, c.Evidence[0])

	c, err = Classify("p.md", []byte("---\nfiles_modified: [x"+strings.Repeat("ö", 100)+".c]\n---\n"))
	require.NoError(t, err)
	require.Len(t, c.Evidence, 1)
	require.True(t, utf8.ValidString(c.Evidence[0].Text))
	require.Len(t, c.Evidence[0].Text, maxExcerpt-1)
}

// Hostile texts are read in a time that grows with them, not with their square, which
// would take a minute here.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	for _, piece := range []string{"<", "<a", "<a>", "`", "`a``b", "a`", "<files>", "<files>a</files>", "<files>`", "<!--", "<!---->", "(", "[", "-", "- ", "*", "> ", "# ", "a/", ".", "a,", "'s", "not ", "check ", "add ", "or ", "as ", "allowed paths: ", "\u2014", "\u00a0", "|", "~~~", "\r"} {
		text := strings.Repeat(piece, (MaxFile/8)/len(piece))
		_, err := Classify("p.md", []byte(text))
		require.NoError(t, err, piece)
		for _, head := range []string{"files_modified: [", "automation: {", "a: \""} {
			_, _ = Classify("p.md", []byte("---\n"+head+text+"\n---\n"))
		}
	}
}

// Any text has a class or an error, the same each time, and in bounds.
func FuzzClassify(f *testing.F) {
	f.Add("---\nfiles_modified: [a, 'b']\n---\n## Allowed paths\n- `x`\n", true)
	f.Add(block, false)
	f.Add("<files>a</files>\n<!-- x\n--> `` a` ``\n~~~\n", true)
	f.Add("- - a: |\n  b: [\"", false)
	f.Add(`{"automation": {}, "a": ["\ud83d\ude00", -1e3, "\n"]}`, false)
	f.Fuzz(func(t *testing.T, text string, markdown bool) {
		name := "p.yaml"
		switch {
		case markdown:
			name = "p.md"
		case strings.HasPrefix(text, "{"):
			name = "p.json"
		}
		c, err := Classify(name, []byte(text))
		again, _ := Classify(name, []byte(text))
		require.Equal(t, c, again)
		if err != nil {
			require.Zero(t, c)
			return
		}
		require.LessOrEqual(t, len(c.Evidence), maxEvidence)
		for _, e := range c.Evidence {
			require.Positive(t, e.Line)
			require.LessOrEqual(t, e.Line, 1+strings.Count(text, "\n"))
			require.LessOrEqual(t, len(e.Text), maxExcerpt)
			require.True(t, utf8.ValidString(e.Text))
		}
	})
}

// unicodeFunctions are those of package strings whose answer follows the tables of
// Unicode, which a new version of Go changes.
var unicodeFunctions = []string{"EqualFold", "Fields", "FieldsSeq", "Title", "ToLower", "ToTitle", "ToUpper", "TrimSpace"}

func TestNothingFollowsTablesOfUnicode(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(gotoken.NewFileSet(), name, nil, 0)
		require.NoError(t, err)
		for _, spec := range file.Imports {
			require.NotContains(t, []string{`"unicode"`, `"regexp"`, `"encoding/json"`}, spec.Path.Value, name)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok {
				pkg, ok := sel.X.(*ast.Ident)
				require.False(t, ok && (pkg.Name == "strings" || pkg.Name == "bytes") && strings.Contains(" "+strings.Join(unicodeFunctions, " ")+" ", " "+sel.Sel.Name+" "), "%s: %s", name, sel.Sel.Name)
			}
			return true
		})
	}
}
