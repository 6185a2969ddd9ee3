package metrics

import (
	"encoding/binary"
	"errors"
	"hash/crc32"

	"github.com/git-liza/git-liza/flow"
)

// format begins a file; it changes with what follows.
const format = "liza-metrics-3\n"

// ErrForm is the error of bytes that no program of this version wrote, or that are not
// all there.
var ErrForm = errors.New("these are no counts of metrics")

// ActiveSize bounds the beginning of a file that [DecodeActive] needs, in bytes.
const ActiveSize = 64 << 10

// Encode is the counts as bytes, after the actors that worked last.
func (n *Counts) Encode() []byte {
	active := n.Active()
	head := coder{writing: true}
	codeActive(&head, &active)
	rest := coder{writing: true}
	n.code(&rest)
	out := []byte(format)
	for _, part := range [][]byte{head.buf, rest.buf} {
		out = binary.BigEndian.AppendUint32(out, uint32(len(part)))
		out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(part))
		out = append(out, part...)
	}
	return out
}

// Decode are the counts that Encode wrote. The error is ErrForm.
func Decode(data []byte) (*Counts, error) {
	_, rest, ok := cutPart(data, len(format))
	part, after, whole := cutPart(rest, 0)
	n := &Counts{}
	c := coder{buf: part}
	if !hasFormat(data) || !ok || !whole || len(after) > 0 || !n.read(&c) {
		return nil, ErrForm
	}
	return n, nil
}

// DecodeActive are the actors that worked last, for which it needs only the first ActiveSize
// bytes. The error is ErrForm.
func DecodeActive(data []byte) ([]Active, error) {
	var active []Active
	part, _, ok := cutPart(data, len(format))
	c := coder{buf: part}
	if !hasFormat(data) || !ok {
		return nil, ErrForm
	}
	if codeActive(&c, &active); c.bad || len(c.buf) > 0 {
		return nil, ErrForm
	}
	return active, nil
}

func hasFormat(data []byte) bool {
	return len(data) >= len(format) && string(data[:len(format)]) == format
}

// cutPart takes a part, its length and its checksum, off the data from a place on.
func cutPart(data []byte, from int) (part, rest []byte, ok bool) {
	if len(data) < from+8 {
		return nil, nil, false
	}
	n, sum := int(binary.BigEndian.Uint32(data[from:])), binary.BigEndian.Uint32(data[from+4:])
	data = data[from+8:]
	if n > len(data) || crc32.ChecksumIEEE(data[:n]) != sum {
		return nil, nil, false
	}
	return data[:n], data[n:], true
}

func (n *Counts) read(c *coder) bool {
	n.code(c)
	return !c.bad && len(c.buf) == 0
}

// A coder writes values, or reads them in the same order, so that one description of a
// value does both.
type coder struct {
	writing bool
	buf     []byte // that was written, or that is left to read
	bad     bool   // what was read is not what was written
}

func (c *coder) number(n *int64) {
	if c.writing {
		c.buf = binary.AppendVarint(c.buf, *n)
		return
	}
	v, size := binary.Varint(c.buf)
	if size <= 0 {
		c.bad, c.buf = true, nil
		return
	}
	*n, c.buf = v, c.buf[size:]
}

func (c *coder) flag(v *bool) {
	n := int64(0)
	if *v {
		n = 1
	}
	c.number(&n)
	*v = n != 0
}

func codeNumber[T ~int | ~uint8 | ~int64](c *coder, v *T) {
	n := int64(*v)
	c.number(&n)
	*v = T(n)
}

func codeText[T ~string](c *coder, v *T) {
	n := int64(len(*v))
	c.number(&n)
	if c.writing {
		c.buf = append(c.buf, *v...)
		return
	}
	if n < 0 || n > int64(len(c.buf)) {
		c.bad, c.buf = true, nil
		return
	}
	*v, c.buf = T(c.buf[:n]), c.buf[n:]
}

// codeList codes a list. Each value has at least one byte, which bounds what is made for
// a length that was read.
func codeList[T any](c *coder, list *[]T, code func(*T)) {
	n := int64(len(*list))
	c.number(&n)
	if !c.writing {
		if n < 0 || n > int64(len(c.buf)) {
			c.bad, c.buf = true, nil
			return
		}
		if *list = nil; n > 0 {
			*list = make([]T, n)
		}
	}
	for i := range *list {
		if c.bad {
			return
		}
		code(&(*list)[i])
	}
}

func (m *moment) code(c *coder) {
	codeNumber(c, &m.n)
	c.number(&m.at)
}

func (n *Counts) code(c *coder) {
	codeText(c, &n.tip)
	n.last.code(c)
	codeList(c, &n.tasks, func(t **task) {
		if !c.writing {
			*t = &task{}
		}
		(*t).code(c)
	})
	codeList(c, &n.sprints, func(s **sprint) {
		if !c.writing {
			*s = &sprint{}
		}
		(*s).code(c)
	})
	codeList(c, &n.verdicts, func(v *verdict) {
		codeText(c, &v.task)
		codeText(c, &v.by)
		codeText(c, &v.role)
		c.flag(&v.approved)
		v.at.code(c)
	})
	codeList(c, &n.failures, func(f *failure) {
		codeText(c, &f.task)
		f.at.code(c)
	})
	codeList(c, &n.sessions, func(s *session) { s.code(c) })
	if !c.writing {
		for _, t := range n.tasks {
			c.bad = c.bad || len(t.stays) == 0 || len(t.memberships) == 0
		}
		n.index()
	}
}

func (t *task) code(c *coder) {
	codeText(c, &t.id)
	codeList(c, &t.stays, func(s *stay) {
		codeNumber(c, &s.status)
		s.since.code(c)
	})
	codeList(c, &t.memberships, func(m *membership) {
		codeText(c, &m.goal)
		codeText(c, &m.sprint)
		c.flag(&m.stretch)
		m.since.code(c)
	})
	codeList(c, &t.claims, func(one *claim) {
		codeText(c, &one.by)
		one.at.code(c)
	})
	codeList(c, &t.reviews, func(r *review) {
		codeText(c, &r.by)
		codeText(c, &r.role)
		c.number(&r.begun)
		c.number(&r.end)
		c.flag(&r.over)
	})
	codeNumber(c, &t.drift)
	c.flag(&t.adopted)
	codeList(c, &t.reverts, func(id *flow.TaskID) { codeText(c, id) })
	t.reverted.code(c)
}

func (s *sprint) code(c *coder) {
	codeText(c, &s.id)
	codeText(c, &s.goal)
	s.begun.code(c)
	s.ended.code(c)
	c.number(&s.started)
	c.number(&s.deadline)
	c.number(&s.over)
}

func (s *session) code(c *coder) {
	codeText(c, &s.task)
	codeText(c, &s.goal)
	codeText(c, &s.sprint)
	codeText(c, &s.by)
	codeText(c, &s.role)
	codeText(c, &s.provider)
	codeText(c, &s.model)
	codeText(c, &s.outcome)
	c.flag(&s.counted)
	s.at.code(c)
	codeNumber(c, &s.used.Sessions)
	for _, n := range []*int64{&s.used.Input, &s.used.Cached, &s.used.Output, (*int64)(&s.used.Cost), &s.used.Seconds} {
		c.number(n)
	}
}

func codeActive(c *coder, list *[]Active) {
	codeList(c, list, func(a *Active) {
		codeText(c, &a.By)
		c.number(&a.At)
		codeNumber(c, &a.Approved)
	})
}
