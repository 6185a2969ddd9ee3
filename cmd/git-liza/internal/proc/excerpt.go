package proc

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Clip keeps the beginning and the end of what is written to it, in constant memory.
// Goroutines may write and read it at once.
type Clip struct {
	size int

	mu    sync.Mutex
	head  []byte // the first size bytes
	tail  []byte // the last bytes after head: up to 2*size, of which size are returned
	total int64
}

// NewClip returns a Clip that keeps up to size bytes of the beginning and as many of
// the end.
func NewClip(size int) *Clip { return &Clip{size: size} }

// Write takes everything and never fails.
func (c *Clip) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	written := len(p)
	c.total += int64(written)
	n := min(c.size-len(c.head), len(p))
	c.head = append(c.head, p[:n]...)
	p = p[n:]
	p = p[max(0, len(p)-c.size):]
	c.tail = append(c.tail, p...)
	// Cut only at twice the size: so each byte is copied at most once more.
	if len(c.tail) >= 2*c.size {
		c.tail = c.tail[:copy(c.tail, c.tail[len(c.tail)-c.size:])]
	}
	return written, nil
}

// ends returns the beginning, the end and the size of all; whole says that nothing
// between them is missing.
func (c *Clip) ends() (head, tail []byte, total int64, whole bool) {
	tail = c.tail[max(0, len(c.tail)-c.size):]
	return c.head, tail, c.total, c.total == int64(len(c.head)+len(tail))
}

// Bytes returns what was written: all, or the beginning and the end with a line between
// them that says how many bytes there were.
func (c *Clip) Bytes() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	head, tail, total, whole := c.ends()
	text := append([]byte{}, head...)
	if !whole {
		text = fmt.Appendf(text, "\n[… %d bytes in all]\n", total)
	}
	return append(text, tail...)
}

// Text returns at most size bytes of what was written, fit for a document and a
// terminal: valid UTF-8 without control characters and terminal sequences, in lines
// that end in \n.
func (c *Clip) Text() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	head, tail, total, whole := c.ends()
	if whole {
		if all := cleanOutput(append(append([]byte{}, head...), tail...)); len(all) <= c.size {
			return all
		}
	}
	mark := fmt.Sprintf("\n[… %d bytes in all]\n", total)
	room := c.size - len(mark)
	if room < 0 {
		return cutAfter(cleanOutput(head), c.size)
	}
	return cutAfter(cleanOutput(head), room/2) + mark + cutBefore(cleanOutput(tail), room-room/2)
}

// tap reads a command's output, passes it on, keeps its beginning and end, and notes
// when something was last read. Both streams may be read at once.
type tap struct {
	*Clip
	mu   sync.Mutex
	last time.Time
}

func newTap(size int) *tap { return &tap{Clip: NewClip(size), last: time.Now()} }

// passOutput reads r until it ends or is closed, and writes it to live until a write fails;
// live may be nil.
func (t *tap) passOutput(r io.Reader, live io.Writer) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			t.noteOutput(buf[:n])
			if live != nil {
				if _, refused := live.Write(buf[:n]); refused != nil {
					live = nil
				}
			}
		}
		if err != nil {
			return
		}
	}
}

func (t *tap) noteOutput(p []byte) {
	_, _ = t.Write(p)
	t.endSilence()
}

// endSilence ends the silence.
func (t *tap) endSilence() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
}

// silence returns the time since something was read.
func (t *tap) silence() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.last)
}

// cutAfter returns the longest prefix of s of at most n bytes that does not cut a
// character.
func cutAfter(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutBefore returns the longest suffix of s of at most n bytes that does not cut a
// character.
func cutBefore(s string, n int) string {
	from := max(0, len(s)-n)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// terminalSequences matches terminal sequences of ECMA-48: CSI (colour, cursor), OSC (title,
// link), two-byte ones.
var terminalSequences = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)|[ -/]*[0-Z\\\\^-~])")
})

// cleanOutput makes output fit for a document and a terminal.
func cleanOutput(b []byte) string {
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	s = terminalSequences().ReplaceAllString(s, "")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r': // a progress line that repaints itself
			return '\n'
		case r == '\n', r == '\t', unicode.IsGraphic(r):
			return r
		}
		return -1
	}, s)
}
