package document

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestEncodeGolden(t *testing.T) {
	t.Parallel()
	seven := 0
	v := yamlThing{
		ID: "1234567e5", Title: "Log in: now", Color: 1, Priority: -3, Size: 255, Done: true,
		Header:   yamlHeader{At: time.Date(2026, 1, 17, 15, 6, 0, 999, time.FixedZone("", 3600))},
		Owns:     []string{"cmd/**", "a b", "", "no", "🚀 \t", "1e5", "5c1e0a44d2b97f31"},
		Findings: []yamlFinding{{File: "a.go", Line: 7, Why: "It leaks.\n\n\t- twice # really\nPlease: fix\n"}, {}},
		Best:     &yamlFinding{},
		Limit:    &seven,
		Details:  map[string]string{"b": "two\nlines", "a": "x", "n": "1", "#": " ", "k\nl": "m"},
		Counts:   map[yamlID]int{"z": 0, "0x1": 1},
		Children: []*yamlThing{{ID: "child"}},
	}
	data, err := Encode(&v)
	require.NoError(t, err)
	require.Equal(t, `id: "1234567e5"
title: "Log in: now"
color: RED
priority: -3
size: 255
done: true
kept: 0
at: 2026-01-17T14:06:00Z
owns:
  - "cmd/**"
  - a b
  - ""
  - "no"
  - "\U0001F680 \t"
  - "1e5"
  - 5c1e0a44d2b97f31
findings:
  - file: a.go
    line: 7
    why: |
      It leaks.

      	- twice # really
      Please: fix
  - {}
best: {}
limit: 0
details:
  "#": " "
  a: x
  b: |-
    two
    lines
  ? "k\nl"
  : m
  "n": "1"
counts:
  "0x1": 1
  z: 0
children:
  - id: child
    kept: 0
`, string(data))

	var back yamlThing
	require.NoError(t, Decode("x", data, &back))
	v.Header.At = v.Header.At.UTC().Truncate(time.Second)
	require.Equal(t, v, back)
}

func TestEncodeList(t *testing.T) {
	t.Parallel()
	list := []yamlFinding{{File: "a"}, {Why: "b\nc"}}
	data, err := Encode(&list)
	require.NoError(t, err)
	require.Equal(t, "- file: a\n- why: |-\n    b\n    c\n", string(data))
	var back []yamlFinding
	require.NoError(t, Decode("x", data, &back))
	require.Equal(t, list, back)

	data, err = Encode(&yamlFinding{})
	require.NoError(t, err)
	require.Equal(t, "{}\n", string(data))
}

func TestEncodeEmpty(t *testing.T) {
	t.Parallel()
	type inner struct {
		List []string `yaml:"list"`
	}
	type outer struct {
		Plain  inner             `yaml:"plain"`
		Kept   inner             `yaml:"kept,keep"`
		List   []string          `yaml:"list,keep"`
		Map    map[string]string `yaml:"map,keep"`
		Text   string            `yaml:"text,keep"`
		Nil    *int              `yaml:"nil,keep"`
		Absent []string          `yaml:"absent"`
	}
	v := outer{Plain: inner{List: []string{}}, Absent: []string{}}
	data, err := Encode(&v)
	require.NoError(t, err)
	require.Equal(t, "kept: {}\nlist: []\nmap: {}\ntext: \"\"\n", string(data))
	var back outer
	require.NoError(t, Decode("x", data, &back))
	require.Equal(t, outer{}, back)
}

func TestEncodePlainOrQuoted(t *testing.T) {
	t.Parallel()
	plain := "a|task-3|specs/a.md|.worktrees/x|_x|30m|1h30m|READY_FOR_REVIEW|coder-1@liza.invalid|A b c|a - b|5c1e0a44d2b97f31|v1.2.3|0th|3rd try|/etc|0xg"
	quoted := "|null|Null|~|true|False|yes|NO|on|OFF|y|N|<<|=|.inf|.NaN|0|12|0123|1_000|0x1F|0b1|0o7|1.5|.5|1.|1e5|1E+5|1234567e5|1.2.3|2026-01-17|2026-01-17T14:06:00Z|1:30|-|--|---|...|-1|+1|-a|@a|+a| a|a |a  b|a: b|a #b|#a|%YAML|&a|*a|!a|[a]|{a}|a,b|'a'|é|\ufeffa|a\u0085b|a\u2028b|\U0001F600|\x00|\x7f|\uffff|a\n|\na\n|a\n\n| a\nb|\ta\nb|a \nb|a\r\nb|a\n\U0001F600|a\n\u2029"
	for _, text := range strings.Split(plain, "|") {
		requireText(t, text, text)
	}
	for _, text := range strings.Split(quoted, "|") {
		data, err := Encode(&yamlFinding{Why: text, File: "-"})
		require.NoError(t, err)
		_, value, _ := strings.Cut(string(data), "why: ")
		require.True(t, text == "" || strings.HasPrefix(value, `"`), "%q is written %s", text, value)
	}
}

func requireText(t *testing.T, text, want string) {
	t.Helper()
	data, err := Encode(&yamlFinding{Why: text})
	require.NoError(t, err)
	require.Equal(t, "why: "+want+"\n", string(data))
}

func TestEncodeRefuses(t *testing.T) {
	t.Parallel()
	type loop struct {
		Next *loop `yaml:"next"`
	}
	round := &loop{}
	round.Next = round
	tests := map[string]struct {
		v    any
		want string
	}{
		"not UTF-8":     {&yamlFinding{Why: "a\xff"}, `why: the text "a\xff" is not UTF-8`},
		"MarshalText":   {&yamlThing{Children: []*yamlThing{{Color: 7}}}, "children: entry 1: color: no color 7"},
		"nil in a list": {&yamlThing{Children: []*yamlThing{nil}}, "children: entry 1: a nil pointer"},
		"year":          {&yamlHeader{At: time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC)}, "year 10000"},
		"no pointer":    {yamlFinding{}, "not a pointer"},
		"no struct":     {new(string), "not a pointer to a struct or slice"},
		"float": {&struct {
			X []float64 `yaml:"x"`
		}{}, "field X of"},
		"no tag": {&struct{ X int }{}, "field X of"},
		"unknown option": {&struct {
			X int `yaml:"x,flow"`
		}{}, "field X of"},
		"same key": {&struct {
			X int `yaml:"x"`
			Y int `yaml:"x"`
		}{}, `key "x" stands for two fields`},
		"same key inline": {&yamlMove{Act: "a", Detail: &struct {
			Act string `yaml:"act"`
		}{}}, `key "act" stands for two fields`},
		"inline value": {&yamlMove{Detail: 7}, "not a pointer to a struct"},
		"loop":         {round, "nested deeper than 32"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Encode(tt.v)
			require.ErrorContains(t, err, tt.want)
		})
	}
}
