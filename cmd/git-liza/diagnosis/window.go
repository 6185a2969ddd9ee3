package diagnosis

import (
	"bytes"
	"fmt"
)

// The bounds of a text, in bytes. Of a longer one the beginning and the end are read: the
// first error is mostly the cause of the others, and the last one is what ended the program.
const (
	maxHead = 256 << 10
	maxTail = 1 << 20
)

// A Window keeps the beginning and the end of what is written to it, in bounded memory.
type Window struct {
	head, tail []byte
	written    int64
}

// Write takes the next piece of a text. It takes everything and never fails.
func (w *Window) Write(p []byte) (int, error) {
	n := len(p)
	w.written += int64(n)
	room := min(maxHead-len(w.head), n)
	w.head = append(w.head, p[:room]...)
	p = p[room:]
	if len(p) > maxTail {
		p = p[len(p)-maxTail:]
	}
	// Cut only at twice the size: so each byte is copied at most once more.
	if len(w.tail)+len(p) > 2*maxTail {
		w.tail = w.tail[:copy(w.tail, w.tail[len(w.tail)-maxTail:])]
	}
	w.tail = append(w.tail, p...)
	return n, nil
}

// Bytes returns the text, or its first and last lines with a line between them that says
// how much is missing.
func (w *Window) Bytes() []byte {
	if w.written <= int64(len(w.head)+len(w.tail)) && len(w.tail) <= maxTail {
		return append(bytes.Clone(w.head), w.tail...)
	}
	head, tail := w.head, w.tail[max(0, len(w.tail)-maxTail):]
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head = head[:i+1]
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 {
		tail = tail[i+1:]
	}
	left := w.written - int64(len(head)+len(tail))
	return append(fmt.Appendf(bytes.Clone(head), "\n[… %d bytes left out …]\n", left), tail...)
}
