package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/git-liza/git-liza/artifacts"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A Schema says what front matter must be.
type Schema struct {
	root  *jsonschema.Schema
	parts map[*jsonschema.Schema]*jsonschema.Resolved // made when they are first asked for
}

// maxParts bounds a schema with everything that it refers to, each time that it does.
const maxParts = 2000

// CompileSchema reads a JSON Schema, "" for one that allows everything. A schema refers
// by $ref to its own definitions alone, and not in a circle.
func CompileSchema(text string) (*Schema, []artifacts.Fault) {
	s := &Schema{root: &jsonschema.Schema{}, parts: map[*jsonschema.Schema]*jsonschema.Resolved{}}
	if text == "" {
		return s, nil
	}
	if err := json.Unmarshal([]byte(text), s.root); err != nil {
		return nil, []artifacts.Fault{schemaFault("schema", "%s", cut(strings.TrimPrefix(err.Error(), "json: ")))}
	}
	c := schemaCheck{root: s.root, size: map[*jsonschema.Schema]int{}}
	c.check(s.root, "schema")
	if len(c.faults) == 0 && c.count(s.root, "schema") > maxParts {
		c.add("schema", "it has more than %d parts, each counted as often as it is referred to", maxParts)
	}
	if s.root.Type != "" && s.root.Type != "object" {
		c.add("schema.type", "front matter is an object")
	}
	if len(c.faults) > 0 {
		return nil, c.faults
	}
	if _, err := s.root.CloneSchemas().Resolve(nil); err != nil {
		return nil, []artifacts.Fault{schemaFault("schema", "%s", cut(err.Error()))}
	}
	return s, nil
}

func schemaFault(field, format string, args ...any) artifacts.Fault {
	return artifacts.Fault{Code: artifacts.CodeSchema, Field: field, Text: fmt.Sprintf(format, args...)}
}

// cut shortens a text of a library, which can repeat much of what it reads.
func cut(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	if r := []rune(line); len(r) > 200 {
		return string(r[:200]) + "…"
	}
	return line
}

// A schemaCheck looks for what a schema may not say.
type schemaCheck struct {
	root   *jsonschema.Schema
	size   map[*jsonschema.Schema]int // -1 while it is counted
	faults []artifacts.Fault
}

func (c *schemaCheck) add(field, format string, args ...any) {
	c.faults = append(c.faults, schemaFault(field, format, args...))
}

func (c *schemaCheck) check(s *jsonschema.Schema, field string) {
	for _, keyword := range slices.Sorted(maps.Keys(s.Extra)) {
		c.add(field+"."+keyword, "JSON Schema has no keyword %q that is known here", keyword)
	}
	for _, one := range []struct{ keyword, value string }{{"$id", s.ID}, {"$anchor", s.Anchor}, {"$dynamicAnchor", s.DynamicAnchor}, {"$dynamicRef", s.DynamicRef}} {
		if one.value != "" {
			c.add(field+"."+one.keyword, "a schema refers to its own definitions alone, by $ref: '#/$defs/NAME'")
		}
	}
	if s.Schema != "" && s != c.root {
		c.add(field+".$schema", "only the whole schema names its version")
	}
	if s.Ref != "" && referred(c.root, s.Ref) == nil {
		c.add(field+".$ref", "%q is no definition of this schema; it refers to its own definitions alone, by $ref: '#/$defs/NAME'", cut(s.Ref))
	}
	for _, part := range partsOf(s) {
		if part.schema == nil {
			c.add(field+"."+part.key, "there is no schema")
			continue
		}
		c.check(part.schema, field+"."+part.key)
	}
}

// referred is the definition that a $ref names, nil if it names none.
func referred(root *jsonschema.Schema, ref string) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(ref, "#/$defs/"); ok {
		return root.Defs[name]
	}
	if name, ok := strings.CutPrefix(ref, "#/definitions/"); ok {
		return root.Definitions[name]
	}
	return nil
}

// count is the number of parts of a schema, with those that it refers to.
func (c *schemaCheck) count(s *jsonschema.Schema, field string) int {
	switch n, known := c.size[s]; {
	case known && n < 0:
		c.add(field, "the schema refers to itself")
		return 1
	case known:
		return n
	}
	c.size[s] = -1
	n := 1
	for _, part := range partsOf(s) {
		n = min(n+c.count(part.schema, field+"."+part.key), maxParts+1)
	}
	if target := referred(c.root, s.Ref); target != nil {
		n = min(n+c.count(target, field+".$ref"), maxParts+1)
	}
	c.size[s] = n
	return n
}

// A part is a schema within a schema.
type part struct {
	key    string
	schema *jsonschema.Schema
}

// partsOf lists the schemas directly within a schema.
func partsOf(s *jsonschema.Schema) (list []part) {
	for _, one := range []part{{"items", s.Items}, {"additionalItems", s.AdditionalItems}, {"contains", s.Contains}, {"unevaluatedItems", s.UnevaluatedItems},
		{"additionalProperties", s.AdditionalProperties}, {"propertyNames", s.PropertyNames}, {"unevaluatedProperties", s.UnevaluatedProperties},
		{"not", s.Not}, {"if", s.If}, {"then", s.Then}, {"else", s.Else}, {"contentSchema", s.ContentSchema}} {
		if one.schema != nil {
			list = append(list, one)
		}
	}
	for _, several := range []struct {
		key     string
		schemas []*jsonschema.Schema
	}{{"prefixItems", s.PrefixItems}, {"items", s.ItemsArray}, {"allOf", s.AllOf}, {"anyOf", s.AnyOf}, {"oneOf", s.OneOf}} {
		for i, one := range several.schemas {
			list = append(list, part{several.key + "[" + strconv.Itoa(i) + "]", one})
		}
	}
	for _, table := range []struct {
		key     string
		schemas map[string]*jsonschema.Schema
	}{{"$defs", s.Defs}, {"definitions", s.Definitions}, {"dependencies", s.DependencySchemas}, {"properties", s.Properties},
		{"patternProperties", s.PatternProperties}, {"dependentSchemas", s.DependentSchemas}} {
		for _, name := range slices.Sorted(maps.Keys(table.schemas)) {
			list = append(list, part{table.key + "." + name, table.schemas[name]})
		}
	}
	return list
}

// Check returns all that a schema refuses of front matter, each with its line. It goes
// through mappings and lists itself, because the library stops at the first fault and
// does not say where it is; the library judges each value.
func (s *Schema) Check(front document.Value) []artifacts.Fault {
	v := validation{schema: s}
	v.value(s.root, front, "")
	return v.faults
}

// A validation is one judgement of front matter.
type validation struct {
	schema *Schema
	faults []artifacts.Fault
}

func (v *validation) add(code artifacts.Code, line int, field, format string, args ...any) {
	v.faults = append(v.faults, artifacts.Fault{Code: code, Line: max(line, 1), Field: field, Text: fmt.Sprintf(format, args...)})
}

func (v *validation) value(s *jsonschema.Schema, at document.Value, field string) {
	if target := referred(v.schema.root, s.Ref); target != nil && isOnlyRef(s) {
		v.value(target, at, field)
		return
	}
	own := *s
	switch {
	case at.IsMapping() && opens(s.Type, "object") && s.PatternProperties == nil && s.UnevaluatedProperties == nil && s.Not == nil:
		own.Properties, own.Required, own.AdditionalProperties = nil, nil, nil
		v.members(s, at, field)
	case at.IsList() && opens(s.Type, "array") && s.Items != nil && s.UnevaluatedItems == nil && len(s.PrefixItems) == 0:
		own.Items = nil
		for i, entry := range at.Entries() {
			v.value(s.Items, entry, field+"["+strconv.Itoa(i)+"]")
		}
	}
	if err := v.judge(s, &own, instance(s, at)); err != nil {
		v.add(artifacts.CodeValue, at.Line(), field, "%s", v.explain(s, at, err))
	}
}

// opens reports whether a schema of a type can be gone into.
func opens(said, is string) bool { return said == "" || said == is }

func isOnlyRef(s *jsonschema.Schema) bool {
	only := jsonschema.Schema{Ref: s.Ref, Title: s.Title, Description: s.Description}
	a, errA := json.Marshal(s)
	b, errB := json.Marshal(&only)
	return errA == nil && errB == nil && string(a) == string(b)
}

// members judges the keys of a mapping.
func (v *validation) members(s *jsonschema.Schema, at document.Value, field string) {
	for _, key := range s.Required {
		if at.Key(key).Line() == 0 {
			v.add(artifacts.CodeMissing, at.Line(), join(field, key), "the key %s is not there", key)
		}
	}
	for _, m := range at.Members() {
		inner := join(field, m.Key)
		switch known, ok := s.Properties[m.Key]; {
		case ok:
			v.value(known, m.Value, inner)
		case s.AdditionalProperties != nil && isFalse(s.AdditionalProperties):
			v.add(artifacts.CodeUnknown, m.Line, inner, "unknown key %q; there are %s", cut(m.Key), cut(strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")))
		case s.AdditionalProperties != nil:
			v.value(s.AdditionalProperties, m.Value, inner)
		}
	}
}

func join(field, key string) string {
	if field == "" {
		return key
	}
	return field + "." + key
}

// isFalse reports whether a schema is false, as the library reads it.
func isFalse(s *jsonschema.Schema) bool {
	text, err := json.Marshal(s)
	return err == nil && string(text) == "false"
}

// instance is a value as JSON. Where the schema asks for a text, any value without parts
// is its text, as in all documents of git liza: version: 1.0 is the text 1.0.
func instance(s *jsonschema.Schema, at document.Value) any {
	if text, ok := at.Text(); ok && s.Type == "string" {
		return text
	}
	return at.JSON()
}

// judge asks the library about one value, with the definitions that the schema refers to.
func (v *validation) judge(s, own *jsonschema.Schema, value any) error {
	resolved := v.schema.parts[s]
	if resolved == nil {
		clone := own.CloneSchemas()
		clone.Schema = v.schema.root.Schema
		clone.Defs, clone.Definitions = nil, nil
		if refers(own) {
			clone.Defs, clone.Definitions = v.schema.root.CloneSchemas().Defs, v.schema.root.CloneSchemas().Definitions
		}
		var err error
		if resolved, err = clone.Resolve(nil); err != nil {
			return err
		}
		v.schema.parts[s] = resolved
	}
	return resolved.Validate(value)
}

func refers(s *jsonschema.Schema) bool {
	return s.Ref != "" || slices.ContainsFunc(partsOf(s), func(p part) bool { return refers(p.schema) })
}

// explain says in a sentence why the library refuses a value.
func (v *validation) explain(s *jsonschema.Schema, at document.Value, err error) string {
	text, scalar := at.Text()
	got := strconv.Quote(cut(text))
	if !scalar {
		got = "a list"
		if at.IsMapping() {
			got = "a mapping"
		}
	}
	fails := func(part jsonschema.Schema) bool {
		resolved, err := part.Resolve(nil)
		return err == nil && resolved.Validate(instance(s, at)) != nil
	}
	switch {
	case s.Type != "" && fails(jsonschema.Schema{Type: s.Type}):
		return fmt.Sprintf("want %s, got %s", typeNames[s.Type], got)
	case s.Enum != nil && fails(jsonschema.Schema{Enum: s.Enum}):
		return fmt.Sprintf("%s is none of %s", got, cut(strings.Trim(fmt.Sprint(s.Enum), "[]")))
	case s.Const != nil && fails(jsonschema.Schema{Const: s.Const}):
		return fmt.Sprintf("%s is not %v", got, *s.Const)
	case s.Pattern != "" && fails(jsonschema.Schema{Pattern: s.Pattern}):
		reason := fmt.Sprintf("%s does not match %s", got, s.Pattern)
		if s.Description != "" {
			reason = fmt.Sprintf("%s is not %s", got, s.Description)
		}
		return cut(reason)
	case s.Minimum != nil && fails(jsonschema.Schema{Minimum: s.Minimum}):
		return fmt.Sprintf("%s is less than %v", got, *s.Minimum)
	case s.Maximum != nil && fails(jsonschema.Schema{Maximum: s.Maximum}):
		return fmt.Sprintf("%s is greater than %v", got, *s.Maximum)
	case s.MinLength != nil && fails(jsonschema.Schema{MinLength: s.MinLength}):
		return fmt.Sprintf("%s has fewer than %d characters", got, *s.MinLength)
	case s.MaxLength != nil && fails(jsonschema.Schema{MaxLength: s.MaxLength}):
		return fmt.Sprintf("it has more than %d characters", *s.MaxLength)
	case s.MinItems != nil && fails(jsonschema.Schema{MinItems: s.MinItems}):
		return fmt.Sprintf("it has fewer than %d entries", *s.MinItems)
	case s.MaxItems != nil && fails(jsonschema.Schema{MaxItems: s.MaxItems}):
		return fmt.Sprintf("it has more than %d entries", *s.MaxItems)
	case s.UniqueItems && fails(jsonschema.Schema{UniqueItems: true}):
		return "an entry stands in it twice" // the library names the two in either order
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(inner) {
		err = inner
	}
	return cut(err.Error())
}

var typeNames = map[string]string{"string": "a text", "number": "a number", "integer": "a whole number", "boolean": "true or false",
	"array": "a list", "object": "a mapping", "null": "nothing"}

// Required are the keys that front matter must have.
func (s *Schema) Required() []string { return s.root.Required }
