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

// tap reads a command's output, passes it on, and remembers its beginning,
// its end and when it last came. Both streams may be read at once.
type tap struct {
	size int // bytes of the excerpt

	mu    sync.Mutex
	head  []byte // the first size bytes
	tail  []byte // the last bytes after head: up to 2*size, of which size count
	total int64
	last  time.Time
}

func newTap(size int) *tap {
	return &tap{size: size, last: time.Now()}
}

// pass reads r until it ends or is closed, and writes it to live until that
// refuses a write; live may be nil.
func (t *tap) pass(r io.Reader, live io.Writer) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			t.note(buf[:n])
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

func (t *tap) note(p []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = time.Now()
	t.total += int64(len(p))
	n := min(t.size-len(t.head), len(p))
	t.head = append(t.head, p[:n]...)
	p = p[n:]
	p = p[max(0, len(p)-t.size):]
	t.tail = append(t.tail, p...)
	// Moved only when twice full: each byte is copied at most once more.
	if len(t.tail) >= 2*t.size {
		t.tail = t.tail[:copy(t.tail, t.tail[len(t.tail)-t.size:])]
	}
}

// silence is the time since something was read.
func (t *tap) silence() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return time.Since(t.last)
}

// excerpt returns the output if it is short, else its beginning and its end
// with a line between them that says how much is missing.
func (t *tap) excerpt() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	tail := t.tail[max(0, len(t.tail)-t.size):]
	if t.total == int64(len(t.head)+len(tail)) {
		if all := clean(append(append([]byte{}, t.head...), tail...)); len(all) <= t.size {
			return all
		}
	}
	mark := fmt.Sprintf("\n[… %d bytes in all]\n", t.total)
	room := t.size - len(mark)
	if room < 0 {
		return cutAfter(clean(t.head), t.size)
	}
	return cutAfter(clean(t.head), room/2) + mark + cutBefore(clean(tail), room-room/2)
}

// cutAfter returns the longest prefix of s of at most n bytes that is whole
// characters.
func cutAfter(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutBefore returns the longest suffix of s of at most n bytes that is whole
// characters.
func cutBefore(s string, n int) string {
	from := max(0, len(s)-n)
	for from < len(s) && !utf8.RuneStart(s[from]) {
		from++
	}
	return s[from:]
}

// sequences of ECMA-48: CSI (colour, cursor), OSC (title, link), two-byte ones.
var sequences = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|\\][^\x07\x1b\n]*(?:\x07|\x1b\\\\)|[ -/]*[0-Z\\\\^-~])")
})

// clean makes output fit for a document and a terminal.
func clean(b []byte) string {
	s := strings.ToValidUTF8(string(b), "\uFFFD")
	s = sequences().ReplaceAllString(s, "")
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
