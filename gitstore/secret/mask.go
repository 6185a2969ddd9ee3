// Package secret hides secrets in what is about to be stored or shown: the values of an
// environment's secret variables, and texts that have the form of well-known keys and
// tokens.
//
// It protects against accidents. A program that means to give a secret away can always
// write it in another form.
package secret

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/url"
	"slices"
	"strings"
)

// Hidden replaces a secret.
const Hidden = "***"

// leastValue is the minimum length in bytes of a variable's value that counts as a
// secret: shorter values are words of ordinary text too.
const leastValue = 8

// A Mask hides secrets. It does not change, and several goroutines may use it.
type Mask struct {
	values []string // longest first
	starts class    // bytes with which a value begins
}

// New returns a Mask for all well-known forms and for the values of those variables of
// environ (KEY=VALUE) whose names speak of a secret.
func New(environ []string) *Mask {
	m := &Mask{}
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		if len(value) >= leastValue && speaksOfSecret(name) {
			m.hideValue(value)
		}
	}
	slices.SortFunc(m.values, func(x, y string) int {
		return cmp.Or(cmp.Compare(len(y), len(x)), strings.Compare(x, y))
	})
	m.values = slices.Compact(m.values)
	return m
}

// hideValue adds a value, also in the escaped forms of JSON and URLs.
func (m *Mask) hideValue(value string) {
	quoted, _ := json.Marshal(value)
	for _, form := range []string{value, string(quoted[1 : len(quoted)-1]), url.QueryEscape(value), url.PathEscape(value)} {
		m.values = append(m.values, form)
		m.starts[form[0]] = true
	}
}

// speaksOfSecret reports whether the name says that a variable holds a secret, such as
// OPENAI_API_KEY or NPM_TOKEN. A file with a secret or a number of tokens is none.
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

// Value reports whether a text contains the value of a variable. It does not look for
// forms, which examples have too.
func (m *Mask) Value(text string) bool {
	return slices.ContainsFunc(m.values, func(value string) bool { return strings.Contains(text, value) })
}

// Bytes returns a copy of a whole text with its secrets hidden.
func (m *Mask) Bytes(text []byte) []byte {
	var out bytes.Buffer
	w := m.Writer(&out)
	_, _ = w.Write(text) // no error is possible: a buffer takes everything
	_ = w.Close()
	return out.Bytes()
}

// String returns a whole text with its secrets hidden.
func (m *Mask) String(text string) string { return string(m.Bytes([]byte(text))) }

// Writer returns a writer that hides the secrets of one stream on its way to out. It
// holds back what may be the beginning of a secret, so it finds secrets that come in
// several writes. Close writes what is held back at the end; it does not close out.
func (m *Mask) Writer(out io.Writer) *Writer { return &Writer{mask: m, out: out} }
