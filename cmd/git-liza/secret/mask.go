// Package secret hides secrets in what is about to be stored or shown: the
// values of an environment's secret variables, and texts that have the form of
// well-known keys and tokens.
//
// It is against accidents. A program that means to give a secret away can
// always write it in another form.
package secret

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"path"
	"slices"
	"strings"
)

// Hidden stands where a secret stood.
const Hidden = "***"

// leastValue is how long the value of a variable must be to count as a secret:
// shorter ones are words of ordinary text too.
const leastValue = 8

// A Mask hides secrets. It does not change and may be used by several
// goroutines.
type Mask struct {
	values []string // longest first
	starts class    // bytes with which a value begins
}

// New hides the values of those variables of environ (KEY=VALUE) that allow
// names and whose own names speak of a secret, and all well-known forms. A name
// in allow that ends in * stands for every name that begins so; nil allows all.
func New(environ []string, allow []string) *Mask {
	m := &Mask{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if len(value) >= leastValue && speaksOfSecret(name) && (allow == nil || named(name, allow)) {
			m.hide(value)
		}
	}
	slices.SortFunc(m.values, func(x, y string) int {
		return cmp.Or(cmp.Compare(len(y), len(x)), strings.Compare(x, y))
	})
	m.values = slices.Compact(m.values)
	return m
}

// hide adds a value, also as JSON and URLs spell it.
func (m *Mask) hide(value string) {
	quoted, _ := json.Marshal(value)
	for _, form := range []string{value, string(quoted[1 : len(quoted)-1]), url.QueryEscape(value), url.PathEscape(value)} {
		m.values = append(m.values, form)
		m.starts[form[0]] = true
	}
}

func named(name string, allow []string) bool {
	return slices.ContainsFunc(allow, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// speaksOfSecret reports whether a variable of that name holds a secret:
// OPENAI_API_KEY, NPM_TOKEN; not a file with one, nor a number of tokens.
func speaksOfSecret(name string) bool {
	parts := strings.Split(strings.ToUpper(name), "_")
	if slices.Contains([]string{"FILE", "PATH", "DIR", "SOCK"}, parts[len(parts)-1]) {
		return false
	}
	return slices.ContainsFunc(parts, func(part string) bool {
		ends := func(word string) bool { return strings.HasSuffix(part, word) }
		return part == "PASS" || part == "PAT" || slices.ContainsFunc(secretWords, ends)
	})
}

var secretWords = []string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIAL", "CREDENTIALS", "COOKIE", "BEARER"}

// Value reports whether a text has the value of a variable in it; forms are not
// asked for, which examples have too.
func (m *Mask) Value(text string) bool {
	return slices.ContainsFunc(m.values, func(value string) bool { return strings.Contains(text, value) })
}

// Bytes is a copy of a whole text with its secrets hidden.
func (m *Mask) Bytes(text []byte) []byte {
	var out bytes.Buffer
	w := m.Writer(&out)
	_, _ = w.Write(text) // neither fails: a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// String is a whole text with its secrets hidden.
func (m *Mask) String(text string) string { return string(m.Bytes([]byte(text))) }

// Writer hides the secrets of a stream on its way to out, also those that come
// in several writes: what may be the beginning of one is held back. Close writes
// what is held back at the end; it does not close out. Streams need a Writer
// each.
func (m *Mask) Writer(out io.Writer) *Writer { return &Writer{mask: m, out: out} }
