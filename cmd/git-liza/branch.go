package main

import (
	"reflect"
	"strings"
	"unicode"
)

// branch returns the part of the command line that these arguments need, as a
// pointer to a struct for kong. It is the command that they name, with the
// flags of all commands, or everything. Reading the tags of all commands takes
// longer than most commands run.
func branch(args []string) any {
	word, ok := commandWord(args)
	if !ok {
		return &commands{}
	}
	command, ok := commandField(reflect.TypeFor[commands](), word)
	if !ok {
		return &commands{}
	}
	everywhere, _ := reflect.TypeFor[commands]().FieldByName("Everywhere")
	return reflect.New(reflect.StructOf([]reflect.StructField{everywhere, command})).Interface()
}

// commandWord returns the first argument that is neither a flag of all
// commands nor the value of one. ok is false if only kong can find it.
func commandWord(args []string) (word string, ok bool) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--as":
			i++
		case isJSON(arg), strings.HasPrefix(arg, "--as="):
		default:
			return arg, !strings.HasPrefix(arg, "-")
		}
	}
	return "", false
}

// commandField finds a command among the fields of a struct and of those
// embedded in it. A name that it misses only costs time.
func commandField(in reflect.Type, word string) (reflect.StructField, bool) {
	for i := range in.NumField() {
		f := in.Field(i)
		if f.Anonymous {
			if found, ok := commandField(f.Type, word); ok {
				return found, true
			}
			continue
		}
		if _, ok := f.Tag.Lookup("cmd"); ok && (f.Tag.Get("name") == word || f.Tag.Get("name") == "" && dashed(f.Name) == word) {
			return f, true
		}
	}
	return reflect.StructField{}, false
}

// dashed spells the name of a field as kong does: SpecChange is spec-change.
func dashed(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte('-')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
