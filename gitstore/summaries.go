package gitstore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// summaryCache keeps the summaries of one folder of tasks in one file, with
// the id of the tree that they were derived from. It is derived, checked by a
// sum, and safe to delete: whatever cannot be read or written is made anew.
type summaryCache struct {
	dir    string // "" where there is no place to keep it
	loaded map[string]shelfOf
}

type shelfOf struct {
	tree ID
	list []flow.Summary
}

func newSummaryCache(dir string) summaryCache {
	return summaryCache{dir: dir, loaded: map[string]shelfOf{}}
}

// summaryFormat changes with the fields of flow.Summary.
const summaryFormat = "liza-summaries-1\n"

func (c summaryCache) read(name string, tree ID) ([]flow.Summary, bool) {
	if s, ok := c.loaded[name]; ok && s.tree == tree {
		return s.list, true
	}
	if c.dir == "" {
		return nil, false
	}
	data, err := os.ReadFile(filepath.Join(c.dir, name))
	if err != nil {
		return nil, false
	}
	list, err := decodeSummaries(data, tree)
	if err != nil {
		return nil, false
	}
	c.loaded[name] = shelfOf{tree, list}
	return list, true
}

// write keeps the list; a cache that cannot be written costs time, not work.
func (c summaryCache) write(name string, tree ID, list []flow.Summary) {
	c.loaded[name] = shelfOf{tree, list}
	if c.dir == "" {
		return
	}
	temp, err := os.CreateTemp(c.dir, "new-*")
	if errors.Is(err, os.ErrNotExist) && os.MkdirAll(c.dir, 0o777) == nil {
		temp, err = os.CreateTemp(c.dir, "new-*")
	}
	if err != nil {
		return
	}
	_, err = temp.Write(encodeSummaries(tree, list))
	if errors.Join(err, temp.Close()) != nil || os.Rename(temp.Name(), filepath.Join(c.dir, name)) != nil {
		os.Remove(temp.Name())
	}
}

func encodeSummaries(tree ID, list []flow.Summary) []byte {
	e := encoder{make([]byte, 0, 64+160*len(list))}
	e.text(string(tree))
	e.number(int64(len(list)))
	for i := range list {
		e.summary(&list[i])
	}
	out := make([]byte, 0, len(summaryFormat)+4+len(e.buf))
	out = append(out, summaryFormat...)
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(e.buf))
	return append(out, e.buf...)
}

type encoder struct{ buf []byte }

func (e *encoder) number(n int64) { e.buf = binary.AppendVarint(e.buf, n) }

func (e *encoder) text(s string) {
	e.number(int64(len(s)))
	e.buf = append(e.buf, s...)
}

func (e *encoder) time(t time.Time) {
	if t.IsZero() {
		e.number(0)
		return
	}
	e.number(t.Unix())
}

func (e *encoder) summary(s *flow.Summary) {
	stretch := int64(0)
	if s.Stretch {
		stretch = 1
	}
	for _, n := range []int64{int64(s.Status), int64(s.Kind), stretch, int64(s.Priority), int64(s.Iteration), int64(s.Cycles),
		int64(len(s.DependsOn)), int64(len(s.Owns))} {
		e.number(n)
	}
	for _, text := range []string{string(s.ID), s.Title, string(s.Goal), string(s.Sprint), string(s.Coder), string(s.Reviewer), s.Reason, s.Limit} {
		e.text(text)
	}
	for _, t := range []time.Time{s.Created, s.Changed, s.Lease, s.ReviewLease, s.FailedAt} {
		e.time(t)
	}
	for _, d := range s.DependsOn {
		e.text(string(d))
	}
	for _, o := range s.Owns {
		e.text(o)
	}
}

var errCache = errors.New("the cache does not fit")

func decodeSummaries(data []byte, tree ID) ([]flow.Summary, error) {
	head := len(summaryFormat)
	if len(data) < head+4 || string(data[:head]) != summaryFormat ||
		crc32.ChecksumIEEE(data[head+4:]) != binary.BigEndian.Uint32(data[head:]) {
		return nil, errCache
	}
	d := decoder{all: string(data[head+4:])}
	if d.text() != string(tree) {
		return nil, errCache
	}
	n := d.number()
	if n < 0 || n > int64(len(d.all)) {
		return nil, errCache
	}
	list := make([]flow.Summary, n)
	for i := range list {
		d.summary(&list[i])
	}
	if d.bad || d.at != len(d.all) {
		return nil, errCache
	}
	return list, nil
}

// decoder reads what encoder wrote; strings share the memory of the file.
type decoder struct {
	all string
	at  int
	bad bool
}

func (d *decoder) number() int64 {
	var u uint64
	for shift := 0; shift < 64 && d.at < len(d.all); shift += 7 {
		b := d.all[d.at]
		d.at++
		u |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int64(u>>1) ^ -int64(u&1)
		}
	}
	d.bad = true
	return 0
}

func (d *decoder) text() string {
	n := d.number()
	if n < 0 || n > int64(len(d.all)-d.at) {
		d.bad = true
		return ""
	}
	s := d.all[d.at : d.at+int(n)]
	d.at += int(n)
	return s
}

func (d *decoder) time() time.Time {
	if n := d.number(); n != 0 {
		return time.Unix(n, 0).UTC()
	}
	return time.Time{}
}

func (d *decoder) summary(s *flow.Summary) {
	s.Status, s.Kind, s.Stretch = flow.Status(d.number()), flow.Kind(d.number()), d.number() != 0
	s.Priority, s.Iteration, s.Cycles = int(d.number()), int(d.number()), int(d.number())
	deps, owns := d.number(), d.number()
	s.ID, s.Title, s.Goal, s.Sprint = flow.TaskID(d.text()), d.text(), flow.GoalID(d.text()), flow.SprintID(d.text())
	s.Coder, s.Reviewer, s.Reason, s.Limit = flow.Actor(d.text()), flow.Actor(d.text()), d.text(), d.text()
	s.Created, s.Changed, s.Lease, s.ReviewLease, s.FailedAt = d.time(), d.time(), d.time(), d.time(), d.time()
	if d.bad || deps < 0 || owns < 0 || deps+owns > int64(len(d.all)) {
		d.bad = true
		return
	}
	for range deps {
		s.DependsOn = append(s.DependsOn, flow.TaskID(d.text()))
	}
	for range owns {
		s.Owns = append(s.Owns, d.text())
	}
}
