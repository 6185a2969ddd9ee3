package secret

import (
	"bytes"
	"io"
	"sync"
)

// A Writer hides the secrets of one stream, see [Mask.Writer].
type Writer struct {
	mask *Mask
	out  io.Writer

	mu   sync.Mutex
	held []byte
	past preceding // the bytes before held
	rest *class    // bytes that continue a secret; nil outside of one
	key  int       // inside a private key how many bytes of it have passed, plus 1; 0 outside
}

// A preceding holds the last bytes before a place.
type preceding [6]byte

// Write passes on what is decided. The error is that of the underlying writer.
func (w *Writer) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, p...)
	return len(p), w.passDecided(false)
}

// Close passes on what was held back.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.passDecided(true)
}

// passDecided writes as much of what is held as is decided.
func (w *Writer) passDecided(final bool) error {
	var out []byte
	at := 0
	for at < len(w.held) {
		n, shown, more := w.decideNext(at, final)
		if more {
			break
		}
		out = append(out, shown...)
		at += n
	}
	w.past = w.precedingAt(at)
	w.held = append(w.held[:0], w.held[at:]...)
	if len(out) == 0 {
		return nil
	}
	_, err := w.out.Write(out)
	return err
}

// precedingAt returns the last bytes before a place in what is held.
func (w *Writer) precedingAt(at int) preceding {
	if at >= len(w.past) {
		return preceding(w.held[at-len(w.past) : at])
	}
	var p preceding
	copy(p[:], w.past[at:])
	copy(p[len(p)-at:], w.held[:at])
	return p
}

// decideNext returns how many bytes at a place are decided and what to show of them. more
// says that the decision needs more of the stream.
func (w *Writer) decideNext(at int, final bool) (n int, shown []byte, more bool) {
	text := w.held[at:]
	switch {
	case w.key > 0:
		n, more = w.inKey(text, final)
		return n, nil, more
	case w.rest != nil:
		for n < len(text) && w.rest[text[n]] {
			n++
		}
		if n < len(text) {
			w.rest = nil
		}
		return n, nil, false
	}
	if n = w.countPlain(at); n > 0 {
		return n, text[:n], false
	}
	f, v := w.findSecret(at, final)
	switch v {
	case perhaps:
		return 0, nil, true
	case no:
		return 1, text[:1], false
	}
	w.rest = f.rest
	if f.key {
		w.key = 1
	}
	return f.shown + f.hidden, append(bytes.Clone(text[:f.shown]), Hidden...), false
}

// countPlain returns how many bytes at a place cannot begin a secret. It makes the writer
// fast: most output is the middle of words.
func (w *Writer) countPlain(at int) (n int) {
	text := w.held[at:]
	for ; n < len(text); n++ {
		c := text[n]
		switch {
		case w.mask.starts[c]:
			return n
		case matchers[c] == nil:
		case c == ':' || c == '-':
			if n+1 == len(text) || text[n+1] == '/' || text[n+1] == '-' {
				return n
			}
		case w.precedingAt(at + n).boundary():
			return n
		}
	}
	return n
}

// inKey removes a private key: up to its end, or to a byte that no key contains.
func (w *Writer) inKey(text []byte, final bool) (n int, more bool) {
	for n < len(text) && text[n] != '-' && keyBody[text[n]] && w.key+n < maxKey {
		n++
	}
	if n > 0 {
		w.key += n
		return n, false
	}
	switch begins(text, keyEnd, false, final) {
	case perhaps:
		return 0, true
	case yes:
		if end := bytes.Index(text[len(keyEnd):min(len(text), len(keyEnd)+maxLabel)], []byte(dashes)); end >= 0 {
			w.key = 0
			return len(keyEnd) + end + len(dashes), false
		}
		if !final && len(text) < len(keyEnd)+maxLabel {
			return 0, true
		}
	}
	if w.key < maxKey && keyBody[text[0]] {
		w.key++
		return 1, false
	}
	w.key = 0
	return 0, false
}

// findSecret looks for a secret at a place. If the first possible one is undecided, it waits
// for more: otherwise the cuts of a stream would change the result.
func (w *Writer) findSecret(at int, final bool) (hit, certainty) {
	text := w.held[at:]
	if f, v := w.findValue(text, final); v != no {
		return f, v
	}
	bound := w.precedingAt(at).boundary()
	for _, look := range matchers[text[0]] {
		if f, v := look(text, bound, final); v != no {
			return f, v
		}
	}
	return hit{}, no
}

// findValue looks for the longest of the variables' values.
func (w *Writer) findValue(text []byte, final bool) (hit, certainty) {
	if !w.mask.starts[text[0]] {
		return hit{}, no
	}
	for _, value := range w.mask.values {
		if v := begins(text, value, false, final); v != no {
			return hit{hidden: len(value)}, v
		}
	}
	return hit{}, no
}

// boundary reports whether a word can begin now. JSON escapes a line end as \n, and a
// character as \u003c.
func (p preceding) boundary() bool {
	last := p[len(p)-1]
	return !alnum[last] || p[4] == '\\' && (last == 'n' || last == 'r' || last == 't') || p[0] == '\\' && p[1] == 'u'
}
