package gitstore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A row is the summary of one task document, with the blob that it was
// derived from.
type row struct {
	blob git.ID
	flow.Summary
}

// A summaryCache keeps the summaries of the folders of tasks, each with the id
// of the tree that it was derived from, in memory and on disk, one file per
// folder. A checksum guards it and it is safe to delete: unreadable files are
// made anew.
type summaryCache struct {
	dir    string // "" if nothing is kept on disk
	loaded map[string]folderSummaries
}

type folderSummaries struct {
	tree git.ID
	rows []row
}

func newSummaryCache(dir string) *summaryCache {
	return &summaryCache{dir: dir, loaded: map[string]folderSummaries{}}
}

// summaryFormat changes with the fields of flow.Summary.
const summaryFormat = "liza-summaries-9\n"

// summaries are the rows of a folder for its tree. derive makes new rows, given
// those of an earlier tree of the folder.
func (s *summaryCache) summaries(folder string, tree git.ID, derive func(known []row) ([]row, error)) ([]row, error) {
	known, ok := s.loaded[folder]
	if ok && known.tree == tree {
		return known.rows, nil
	}
	if !ok && s.dir != "" {
		if data, err := os.ReadFile(filepath.Join(s.dir, folder)); err == nil {
			known, _ = decodeSummaries(data)
		}
	}
	if known.tree != tree {
		rows, err := derive(known.rows)
		if err != nil {
			return nil, err
		}
		known = folderSummaries{tree, rows}
		s.save(folder, known)
	}
	s.loaded[folder] = known
	return known.rows, nil
}

// The flags of a summary, as flagsOf writes them.
const (
	stretched = 1 << iota
	budgeted
	ownReviews
	asks
	reverted
	reverts
)

// save writes rows to disk. A failure costs time only.
func (s *summaryCache) save(folder string, known folderSummaries) {
	if s.dir == "" {
		return
	}
	_ = git.ReplaceFile(filepath.Join(s.dir, folder), encodeSummaries(known))
}

func encodeSummaries(s folderSummaries) []byte {
	e := encoder{make([]byte, 0, 64+256*len(s.rows))}
	e.text(string(s.tree))
	e.number(int64(len(s.rows)))
	for i := range s.rows {
		e.text(string(s.rows[i].blob))
		e.summary(&s.rows[i].Summary)
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
		e.number(math.MinInt64)
		return
	}
	e.number(t.Unix())
}

func (e *encoder) summary(s *flow.Summary) {
	for _, n := range []int64{int64(s.Status), int64(s.Kind), flagsOf(s), int64(s.Priority), int64(s.Iteration), int64(s.Cycles),
		int64(s.Failures), int64(s.FailedBy), int64(len(s.DependsOn)), int64(len(s.Owns)), int64(len(s.BasedOn)), int64(len(s.Judges)),
		int64(s.Level), int64(s.Estimate), int64(s.Retries), int64(len(s.Labels)), int64(len(s.Asking))} {
		e.number(n)
	}
	e.limits(s.Limits)
	for _, text := range []string{string(s.ID), s.Title, string(s.Goal), string(s.Sprint), string(s.Coder), s.Reason, s.Limit, s.Verify, string(s.Role), s.Spec, string(s.Phase)} {
		e.text(text)
	}
	for _, t := range []time.Time{s.Created, s.Changed, s.Lease, s.FailedAt, s.Entered, s.NotBefore} {
		e.time(t)
	}
	for _, d := range s.DependsOn {
		e.text(string(d))
	}
	for _, list := range [][]string{s.Owns, s.BasedOn, s.Labels} {
		for _, text := range list {
			e.text(text)
		}
	}
	for _, j := range s.Judges {
		e.judge(j)
	}
	for _, r := range s.Asking {
		e.text(string(r))
	}
	if s.Asks {
		e.text(string(s.AskedOf))
	}
	if s.Reverted {
		e.ids(s.Successors)
	}
	if len(s.Reverts) > 0 {
		e.ids(s.Reverts)
	}
}

// flagsOf are the flags of a summary as a number.
func flagsOf(s *flow.Summary) (flags int64) {
	for i, set := range [...]bool{s.Stretch, s.Budgeted, s.OwnReviews, s.Asks, s.Reverted, len(s.Reverts) > 0} {
		if set {
			flags |= 1 << i
		}
	}
	return flags
}

func (e *encoder) ids(list []flow.TaskID) {
	e.number(int64(len(list)))
	for _, id := range list {
		e.text(string(id))
	}
}

func (e *encoder) judge(j flow.Judge) {
	e.text(string(j.Role))
	e.text(string(j.By))
	e.time(j.Lease)
	done := int64(0)
	if j.Done {
		done = 1
	}
	e.number(done)
}

// limits writes 0 for none, or 1 and the six numbers.
func (e *encoder) limits(l *flow.Limits) {
	if l == nil {
		e.number(0)
		return
	}
	e.number(1)
	for _, n := range []int{l.Iterations, l.Cycles, l.MergeFails, l.NoVerdicts, l.FailedCoders, l.Failures} {
		e.number(int64(n))
	}
}

var errCache = errors.New("the cache does not fit")

func decodeSummaries(data []byte) (folderSummaries, error) {
	head := len(summaryFormat)
	if len(data) < head+4 || string(data[:head]) != summaryFormat ||
		crc32.ChecksumIEEE(data[head+4:]) != binary.BigEndian.Uint32(data[head:]) {
		return folderSummaries{}, errCache
	}
	d := decoder{all: string(data[head+4:])}
	s := folderSummaries{tree: git.ID(d.text())}
	n := d.number()
	if n < 0 || n > int64(len(d.all))/16 { // a row has at least 16 bytes
		return folderSummaries{}, errCache
	}
	s.rows = make([]row, n)
	for i := range s.rows {
		s.rows[i].blob = git.ID(d.text())
		d.summary(&s.rows[i].Summary)
	}
	if d.bad || d.at != len(d.all) {
		return folderSummaries{}, errCache
	}
	return s, nil
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
	if n := d.number(); n != math.MinInt64 {
		return time.Unix(n, 0).UTC()
	}
	return time.Time{}
}

func (d *decoder) summary(s *flow.Summary) {
	s.Status, s.Kind = flow.Status(d.number()), flow.Kind(d.number())
	flags := d.number()
	s.Stretch, s.Budgeted, s.OwnReviews = flags&stretched != 0, flags&budgeted != 0, flags&ownReviews != 0
	s.Asks, s.Reverted = flags&asks != 0, flags&reverted != 0
	s.Priority, s.Iteration, s.Cycles = int(d.number()), int(d.number()), int(d.number())
	s.Failures, s.FailedBy = int(d.number()), int(d.number())
	deps, owns, based, judges := d.number(), d.number(), d.number(), d.number()
	s.Level, s.Estimate, s.Retries = int(d.number()), flow.Duration(d.number()), int(d.number())
	labels, asking := d.number(), d.number()
	s.Limits = d.limits()
	s.ID, s.Title, s.Goal, s.Sprint = flow.TaskID(d.text()), d.text(), flow.GoalID(d.text()), flow.SprintID(d.text())
	s.Coder, s.Reason, s.Limit, s.Verify, s.Role, s.Spec = flow.Actor(d.text()), d.text(), d.text(), d.text(), flow.Role(d.text()), d.text()
	s.Phase = flow.PhaseID(d.text())
	s.Created, s.Changed, s.Lease, s.FailedAt, s.Entered, s.NotBefore = d.time(), d.time(), d.time(), d.time(), d.time(), d.time()
	if d.bad || min(deps, owns, based, judges, labels, asking) < 0 || max(deps, owns, based, judges, labels, asking) > int64(len(d.all)) {
		d.bad = true
		return
	}
	s.DependsOn, s.Owns = slices.Grow(s.DependsOn, int(deps)), slices.Grow(s.Owns, int(owns))
	for range deps {
		s.DependsOn = append(s.DependsOn, flow.TaskID(d.text()))
	}
	for range owns {
		s.Owns = append(s.Owns, d.text())
	}
	for range based {
		s.BasedOn = append(s.BasedOn, d.text())
	}
	for range labels {
		s.Labels = append(s.Labels, d.text())
	}
	for range judges {
		s.Judges = append(s.Judges, flow.Judge{Role: flow.Role(d.text()), By: flow.Actor(d.text()), Lease: d.time(), Done: d.number() != 0})
	}
	for range asking {
		s.Asking = append(s.Asking, flow.Role(d.text()))
	}
	if s.Asks {
		s.AskedOf = flow.Role(d.text())
	}
	if s.Reverted {
		s.Successors = d.ids()
	}
	if flags&reverts != 0 {
		s.Reverts = d.ids()
	}
}

func (d *decoder) ids() (list []flow.TaskID) {
	for n := d.number(); n > 0 && !d.bad; n-- {
		list = append(list, flow.TaskID(d.text()))
	}
	return list
}

func (d *decoder) limits() *flow.Limits {
	if d.number() == 0 {
		return nil
	}
	var l flow.Limits
	for _, n := range []*int{&l.Iterations, &l.Cycles, &l.MergeFails, &l.NoVerdicts, &l.FailedCoders, &l.Failures} {
		*n = int(d.number())
	}
	return &l
}
