package library

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/glob"
	"github.com/git-liza/git-liza/gitstore/document"
)

// known are the roles of a board.
func known(r board.Role) *board.RoleRow {
	rows := board.BuiltinRoles()
	if i := slices.IndexFunc(rows, func(row *board.RoleRow) bool { return row.Name == r }); i >= 0 {
		return rows[i]
	}
	return nil
}

// The built-in definitions are what a project's own must be, agree on the type of each
// path, and fit on a board, from which they are read again.
func TestBuiltIn(t *testing.T) {
	t.Parallel()
	l, err := Open(nil)
	require.NoError(t, err)
	require.Len(t, l.Types(), 11)
	require.Len(t, l.Workflows(), 5)
	for _, d := range l.Types() {
		kind, err := l.Type(d.Name)
		require.NoError(t, err)
		require.NotEmpty(t, kind.About)
		require.Equal(t, d.Name != "vision" && d.Name != "source", d.Template != "", "%s: that of vision is a starter, a source is as it was found", d.Name)
	}
	type claim struct{ path, kind string }
	var claims []claim
	for _, d := range l.Workflows() {
		w, err := l.Workflow(d.Name, known)
		require.NoError(t, err)
		require.NotEmpty(t, w.About)
		text, err := document.Encode(w)
		require.NoError(t, err)
		var again artifacts.Workflow
		require.NoError(t, document.Decode(d.Name, text, &again))
		require.Equal(t, *w, again)
		require.Empty(t, again.Check(known))
		for _, p := range w.Phases {
			for _, a := range p.Artifacts {
				claims = append(claims, claim{artifacts.InGoal(a.Path, "goal-1"), a.Type})
			}
		}
	}
	for _, a := range claims {
		for _, b := range claims {
			require.True(t, a.kind == b.kind || !glob.Overlap(a.path, b.path), "%v %v", a, b)
		}
	}
}

// A built-in definition that is copied into a project is the same there; a changed one
// takes its place; what is beside definitions is none.
func TestProject(t *testing.T) {
	t.Parallel()
	builtin, err := Open(nil)
	require.NoError(t, err)
	project := fstest.MapFS{TypesFolder + "/README.md": {Data: []byte("# None")}, TypesFolder + "/sub.yaml/x": {Data: []byte("x")}}
	for _, d := range builtin.Types() {
		project[TypesFolder+"/"+d.Name+".yaml"] = &fstest.MapFile{Data: d.Text}
	}
	for _, d := range builtin.Workflows() {
		project[WorkflowsFolder+"/"+d.Name+".yaml"] = &fstest.MapFile{Data: d.Text}
	}
	project[WorkflowsFolder+"/fix.yaml"].Data = []byte("phases: [{name: MEND}]\n")
	l, err := Open(project)
	require.NoError(t, err)
	require.Len(t, l.Types(), len(builtin.Types()))
	for _, d := range builtin.Workflows() {
		want, err := builtin.Workflow(d.Name, known)
		require.NoError(t, err)
		got, err := l.Workflow(d.Name, known)
		require.NoError(t, err)
		require.Equal(t, d.Name != "fix", fmt.Sprint(*want) == fmt.Sprint(*got), d.Name)
	}
	_, err = l.Workflow("featur", nil)
	require.EqualError(t, err, "there is no workflow featur; did you mean feature?")
	_, err = l.Type("nothing-like-it")
	require.EqualError(t, err, "there is no type nothing-like-it; there are adr, bolt-plan, cause, daa, plan, prd, retrospective, rfc, source, task-report, vision")
}

// All that is wrong with a definition is said at once, with lines and fields.
func TestDefinitions(t *testing.T) {
	t.Parallel()
	l, err := Open(fstest.MapFS{TypesFolder + "/broken.yaml": {Data: []byte("headins: []\n")}})
	require.NoError(t, err)
	for _, test := range []struct{ name, kind, text, want string }{
		{"good", "type", "about: x\nschema: {type: object}\n", ""},
		{"empty", "type", "", "1 form []: the document is empty"},
		{"a list", "workflow", "- a\n", "1 form []: a definition is a mapping"},
		{"large", "type", "about: " + strings.Repeat("x", artifacts.MaxDefinition), "1 form []: the document is larger than 65536 bytes"},
		{"aliases", "workflow", "about: &a x\nname: *a\n", "1 form []: anchors are not allowed"},
		{"twice", "workflow", "about: x\nabout: y\n", "2 form []: duplicate key \"about\""},
		{"the name of another", "type", "name: other\n", "1 name [name]: the name is \"other\", the file's is mine.yaml"},
		{"keys and kinds", "type", "abut: x\nheadings:\n  - {title: A, min: few}\n  - title: [B]\nfrozen_when: {status: accepted}\n",
			"1 form [abut]: unknown key \"abut\"; did you mean \"about\"?\n3 form [headings[0].min]: want a whole number, got \"few\"\n4 form [headings[1].title]: want a single value, got a list\n4 missing [headings[1].title]: a heading has no title\n5 form [frozen_when]: want a list, got \"accepted\""},
		{"a workflow", "workflow", "phases:\n  - name: A\n    roles: [coder, Tester]\n    kinds: [code, text]\n    human: maybe\n    artifacts:\n      - {type: pr, path: x.md}\n      - {type: broken, path: y.md}\n  - name: A\n    parallel: 2\ntypes: []\n",
			"3 form [phases[0].roles[1]]: \"Tester\" is no role (2 to 31 of a-z and -, such as security-reviewer)\n" +
				"4 form [phases[0].kinds[1]]: \"text\" is no kind; there are code, docs, config, spec\n5 form [phases[0].human]: want true or false, got \"maybe\"\n" +
				"7 type [phases[0].artifacts[0].type]: there is no type pr; did you mean prd?\n" +
				"8 type [phases[0].artifacts[1].type]: broken: .liza/artifacts/broken.yaml:1: unknown key \"headins\"; did you mean \"headings\"?\n" +
				"9 cycle [phases[1].name]: the phase A comes a second time, after phases[0]: a goal goes through each phase once\n" +
				"10 form [phases[1].parallel]: unknown key \"parallel\"\n" +
				"11 form [types]: unknown key \"types\": each type is a file of its own, .liza/artifacts/NAME.yaml"},
		{"too much", "workflow", "phases:\n" + strings.Repeat("  - {name: A, about: x}\n", 60), "2 limit [phases]: a workflow has at most 50 phases"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var wrong []artifacts.Fault
			if test.kind == "type" {
				_, wrong = ReadType("mine", []byte(test.text))
			} else {
				_, wrong = l.ReadWorkflow("mine", []byte(test.text), known)
			}
			require.Equal(t, test.want, linesOf(wrong))
		})
	}
}

func linesOf(wrong []artifacts.Fault) string {
	var lines []string
	for _, one := range wrong {
		lines = append(lines, fmt.Sprintf("%d %s [%s]: %s", one.Line, one.Code, one.Field, one.Text))
	}
	return strings.Join(lines, "\n")
}

// A schema refers to nothing outside, to nothing that is not there, and not to itself; it
// has known keywords only, and not more parts than can be judged in a moment.
func TestSchemas(t *testing.T) {
	t.Parallel()
	doubling := `{"$defs": {"a0": {"type": "string"}`
	for i := range 30 {
		doubling += fmt.Sprintf(`, "a%d": {"allOf": [{"$ref": "#/$defs/a%d"}, {"$ref": "#/$defs/a%[2]d"}]}`, i+1, i)
	}
	for _, test := range []struct{ schema, want string }{
		{`{}`, ""},
		{`{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {}}, "properties": {"x": {"$ref": "#/definitions/a"}}}`, ""},
		{`{"$defs": {"a": {"type": "string"}}, "properties": {"x": {"$ref": "#/$defs/a"}, "y": {"items": {"$ref": "#/$defs/a"}}}}`, ""},
		{`{"properties": {"x": {"$ref": "https://example.com/x.json"}}}`, "schema.properties.x.$ref"},
		{`{"properties": {"x": {"$ref": "file:///etc/passwd"}}}`, "schema.properties.x.$ref"},
		{`{"properties": {"x": {"$ref": "other.json#/$defs/a"}}}`, "schema.properties.x.$ref"},
		{`{"properties": {"x": {"$ref": "#/properties/y"}}}`, "schema.properties.x.$ref"},
		{`{"$ref": "#"}`, "schema.$ref"},
		{`{"$id": "https://example.com/", "$anchor": "a", "$dynamicAnchor": "b", "$dynamicRef": "#b"}`, "schema.$id schema.$anchor schema.$dynamicAnchor schema.$dynamicRef"},
		{`{"allOf": [{"$id": "x"}]}`, "schema.allOf[0].$id"},
		{`{"$defs": {"a": {"$ref": "#/$defs/a"}}}`, "schema.$defs.a.$ref"},
		{`{"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"not": {"$ref": "#/$defs/a"}}}, "properties": {"x": {"$ref": "#/$defs/a"}}}`, "schema.$defs.a.items.$ref.not.$ref"},
		{doubling + `}, "$ref": "#/$defs/a30"}`, "schema"},
		{`{"requried": ["a"]}`, "schema.requried"},
		{`{"properties": {"x": {"enum": "a"}}}`, "schema"},
		{`{"type": "array"}`, "schema.type"},
		{`{"properties": {"x": {"pattern": "["}}}`, "schema"},
		{`{"properties": {"x": null}}`, "schema.properties.x"},
		{`7`, "schema"},
	} {
		_, wrong := CompileSchema(test.schema)
		var fields []string
		for _, one := range wrong {
			fields = append(fields, one.Field)
			require.Equal(t, artifacts.CodeSchema, one.Code)
			require.Less(t, len(one.Text), 400)
		}
		require.Equal(t, test.want, strings.Join(fields, " "), "%.200s %v", test.schema, wrong)
	}
}

// Each value that a schema refuses is told, with its line.
func TestSchemaCheck(t *testing.T) {
	t.Parallel()
	const schema = `{"type": "object", "required": ["a"], "additionalProperties": {"type": "boolean"}, "$defs": {"short": {"type": "string", "maxLength": 2}},
		"properties": {"a": {"type": "integer", "minimum": 2}, "s": {"type": "string", "pattern": "^x"}, "r": {"$ref": "#/$defs/short"}, "c": {"const": 1},
		"l": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": true, "items": {"$ref": "#/$defs/short"}},
		"m": {"type": "object", "additionalProperties": false, "properties": {"x": {}}, "minProperties": 1},
		"o": {"oneOf": [{"type": "number"}, {"type": "array", "items": {"$ref": "#/$defs/short"}}]}, "n": {"type": "number"}},
		"if": {"required": ["s"]}, "then": {"required": ["r"]}}`
	s, wrong := CompileSchema(schema)
	require.Empty(t, wrong)
	for _, test := range []struct{ front, want string }{
		{"a: 3\ns: x\nr: 10\nl: [a, bb]\nm: {x: 1}\no: [a]\nz: true\nn: -1.5e3\nc: 1\n", ""},
		{"b: true\n", "1 missing [a]: the key a is not there"},
		{"a: 1\n", "1 value [a]: \"1\" is less than 2"},
		{"a: 2.5\n", "1 value [a]: want a whole number, got \"2.5\""},
		{"a: \"2\"\n", "1 value [a]: want a whole number, got \"2\""},
		{"a: 2\nz: yes\n", "2 value [z]: want true or false, got \"yes\""},
		{"a: 2\nr: abc\n", "2 value [r]: it has more than 2 characters"},
		{"a: 2\nr: [a]\n", "2 value [r]: want a text, got a list"},
		{"a: 2\nr: ok\ns: y\n", "3 value [s]: \"y\" does not match ^x"},
		{"a: 2\nl: []\n", "2 value [l]: it has fewer than 1 entries"},
		{"a: 2\nl:\n  - a\n  - abc\n  - {x: 1}\n", "3 value [l]: it has more than 2 entries\n4 value [l[1]]: it has more than 2 characters\n5 value [l[2]]: want a text, got a mapping"},
		{"a: 2\nl: [a, a]\n", "2 value [l]: an entry stands in it twice"},
		{"a: 2\nm: {}\n", "2 value [m]: minProperties: object has 0 properties, less than 1"},
		{"a: 2\nm: {y: 1, z: 2}\n", "2 unknown [m.y]: unknown key \"y\"; there are x\n2 unknown [m.z]: unknown key \"z\"; there are x"},
		{"a: 2\no: [abc]\n", "2 value [o]: oneOf: did not validate against any of [<anonymous schema> <anonymous schema>]"},
		{"a: 2\ns: x\n", "1 value []: required: missing properties: [\"r\"]"},
		{"a: 2\nn: 1e999\n", "2 value [n]: want a number, got \"1e999\""},
		{"a: 2\nn: 0x10\n", "2 value [n]: want a number, got \"0x10\""},
		{"a: 2\nc: 2\n", "2 value [c]: \"2\" is not 1"},
	} {
		doc, err := document.Parse("x", []byte(test.front), 1000)
		require.NoError(t, err)
		require.Equal(t, test.want, linesOf(artifacts.Sorted(s.Check(doc.Root()))), test.front)
	}
}

func FuzzReadType(f *testing.F) {
	l, err := Open(nil)
	require.NoError(f, err)
	for _, d := range append(l.Types(), l.Workflows()...) {
		f.Add(d.Text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, wrong := ReadType("x", text)
		_, more := l.ReadWorkflow("x", text, known)
		for _, one := range append(wrong, more...) {
			require.Positive(t, one.Line)
			require.Contains(t, artifacts.Codes, one.Code)
			require.NotEmpty(t, one.Text)
		}
	})
}
