package work

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An AlarmRow is a line of the memory of alarms: that one fired, or that it ended.
type AlarmRow struct {
	Key     string    `json:"key"`
	Kind    string    `json:"kind"`
	Subject string    `json:"subject"`
	Since   time.Time `json:"since,omitzero"`
	At      time.Time `json:"at"` // when this was seen
	Text    string    `json:"text"`
	Next    string    `json:"next"`
	Call    bool      `json:"call"`
	State   string    `json:"state"` // fired or ended
	Host    string    `json:"host"`
	Recurs  bool      `json:"-"` // it may fire again some time after its end

	foreign bool // another process wrote it
}

// The states of a row.
const (
	alarmFired = "fired"
	alarmEnded = "ended"
)

const (
	// maxAlarms is from which size on, in bytes, the memory is written anew.
	maxAlarms = 4 << 20
	// keptAlarms is how much of ended alarms a new file has, in bytes and in time.
	keptAlarms     = 1 << 20
	keptAlarmsTime = 90 * 24 * time.Hour
	// maxAlarmLock is how long a process waits for another that writes.
	maxAlarmLock = 5 * time.Second
	// foreignAlarm is how long a process does not end what another one saw: it may have
	// read an older state of the board.
	foreignAlarm = 2 * time.Second
	// quietAlarm is how long an alarm that recurs has been over before it fires again: what
	// comes and goes is told once in that time.
	quietAlarm = 10 * time.Minute
)

// Alarms remember which alarms have fired: each fires once, and once more when a note has
// become a call. One that recurs fires again after its end. The zero value remembers for
// this process alone; [OpenAlarms] returns the memory that the processes of a clone share.
// It is for one goroutine.
type Alarms struct {
	common string      // the shared git directory, "" for none
	file   os.FileInfo // that was read
	read   int64       // how much of it
	floor  int64       // its size when it was written anew
	rows   map[string]AlarmRow
}

// OpenAlarms returns the memory of a clone, the file liza/alarms.jsonl below the shared git
// directory. It is safe to delete: then the alarms that are active fire once more.
func OpenAlarms(repo *git.Repo) *Alarms { return &Alarms{common: repo.CommonDir()} }

// Note compares the alarms that are active with those that were known, and returns those
// that fire now and those that have ended. at is the time of the reading: it does not end
// what another process saw later. Before it remembers that alarms fired it gives them to
// keep: an alarm that could not be kept fires again. The error wraps
// context.DeadlineExceeded where another process writes for too long: nothing is noted, and
// the caller comes again.
func (m *Alarms) Note(ctx context.Context, active []AlarmRow, at time.Time, keep func(fired []AlarmRow) error) (fired, ended []AlarmRow, err error) {
	var f *os.File
	if m.common != "" {
		unlock, err := lockAlarms(ctx, m.common)
		if err != nil {
			return nil, nil, err
		}
		defer unlock()
		if f, err = m.catchUp(); err != nil {
			return nil, nil, err
		}
		defer f.Close()
	}
	fired, ended = m.compare(active, at)
	if len(fired) > 0 && keep != nil {
		if err := keep(fired); err != nil {
			return nil, nil, err
		}
	}
	news := slices.Concat(fired, ended)
	if len(news) > 0 && f != nil {
		if err := m.append(f, news); err != nil {
			return nil, nil, err
		}
	}
	m.apply(news)
	if f != nil && m.read > max(maxAlarms, 2*m.floor) {
		err = m.rewrite(at)
	}
	return fired, ended, err
}

const alarmsLock = "alarms.lock"

// lockAlarms takes the lock under which the memory is written. The error wraps
// context.DeadlineExceeded where another process has it.
func lockAlarms(ctx context.Context, common string) (unlock func(), err error) {
	ctx, cancel := context.WithTimeout(ctx, maxAlarmLock)
	defer cancel()
	unlock, err = git.HoldLock(ctx, common, alarmsLock)
	if errors.Is(err, context.DeadlineExceeded) {
		err = fmt.Errorf("another process keeps %s locked: %w", filepath.Join(common, layout.Private, alarmsLock), err)
	}
	return unlock, err
}

// path is the file of the memory.
func (m *Alarms) path() string { return filepath.Join(m.common, layout.Private, "alarms.jsonl") }

// catchUp opens the file and reads what was appended since the last time. Of another file
// than that time it forgets what it knew.
func (m *Alarms) catchUp() (*os.File, error) {
	f, err := os.OpenFile(m.path(), os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && (m.file == nil || !os.SameFile(m.file, info) || info.Size() < m.read) {
		m.file, m.read, m.floor, m.rows = info, 0, 0, nil
	}
	if err == nil && info.Size() > m.read {
		var text []byte
		if text, err = io.ReadAll(io.NewSectionReader(f, m.read, info.Size()-m.read)); err == nil {
			m.read = info.Size()
			m.apply(parseAlarms(text))
		}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// parseAlarms returns the rows of a text. It skips lines that are none: a process may have
// died while it wrote one, or a newer program have written it.
func parseAlarms(text []byte) (rows []AlarmRow) {
	for line := range bytes.Lines(text) {
		var row AlarmRow
		if json.Unmarshal(line, &row) == nil && row.Key != "" && (row.State == alarmFired || row.State == alarmEnded) {
			row.foreign = true
			rows = append(rows, row)
		}
	}
	return rows
}

// apply notes rows as the latest about their alarms. That it was a call once, it stays.
func (m *Alarms) apply(rows []AlarmRow) {
	if m.rows == nil {
		m.rows = map[string]AlarmRow{}
	}
	for _, row := range rows {
		row.Call = row.Call || m.rows[row.Key].Call
		m.rows[row.Key] = row
	}
}

// compare returns what fires and what has ended.
func (m *Alarms) compare(active []AlarmRow, at time.Time) (fired, ended []AlarmRow) {
	host, _ := os.Hostname() // "" if it is not known
	is := map[string]bool{}
	for _, row := range active {
		known, was := m.rows[row.Key]
		again := row.Recurs && known.State == alarmEnded && !at.Before(known.At.Add(quietAlarm))
		if !is[row.Key] && (!was || again || row.Call && !known.Call) {
			row.At, row.State, row.Host = at, alarmFired, host
			fired = append(fired, row)
		}
		is[row.Key] = true
	}
	for key, row := range m.rows {
		since := row.At
		if row.foreign {
			since = since.Add(foreignAlarm)
		}
		if row.State == alarmFired && !is[key] && !at.Before(since) {
			row.foreign, row.At, row.State, row.Host = false, at, alarmEnded, host
			ended = append(ended, row)
		}
	}
	slices.SortFunc(ended, func(x, y AlarmRow) int { return strings.Compare(x.Key, y.Key) })
	return fired, ended
}

// append writes rows at the end of the file, after a line that a process did not finish.
func (m *Alarms) append(f *os.File, rows []AlarmRow) error {
	text := encodeAlarms(rows)
	last := []byte{'\n'}
	if m.read > 0 {
		if _, err := f.ReadAt(last, m.read-1); err != nil {
			return err
		}
	}
	if last[0] != '\n' {
		text = append([]byte{'\n'}, text...)
	}
	n, err := f.Write(text)
	m.read += int64(n)
	return err
}

func encodeAlarms(rows []AlarmRow) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	for _, row := range rows {
		_ = e.Encode(row) // to memory
	}
	return text.Bytes()
}

// rewrite replaces the file by one with the last row of each alarm: of all that are active,
// and of the latest that have ended. The old file is kept as alarms.1.jsonl.
func (m *Alarms) rewrite(at time.Time) error {
	var active, ended []AlarmRow
	for _, row := range m.rows {
		switch {
		case row.State == alarmFired:
			active = append(active, row)
		case at.Sub(row.At) < keptAlarmsTime:
			ended = append(ended, row)
		}
	}
	older := func(x, y AlarmRow) int { return x.At.Compare(y.At) }
	slices.SortFunc(ended, older)
	text := encodeAlarms(ended)
	if len(text) > keptAlarms {
		text = text[len(text)-keptAlarms:]
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	slices.SortFunc(active, older)
	text = append(text, encodeAlarms(active)...)
	old := strings.TrimSuffix(m.path(), ".jsonl") + ".1.jsonl"
	_ = os.Remove(old)
	_ = os.Link(m.path(), old) // a file system without links keeps no old file
	if err := git.ReplaceFile(m.path(), text); err != nil {
		return err
	}
	f, err := m.catchUp()
	if err != nil {
		return err
	}
	m.floor = m.read
	return f.Close()
}

// lastAlarms is how much of the end of the memory of alarms [PastAlarms] reads, in bytes.
const lastAlarms = 256 << 10

// PastAlarms returns the last rows of the memory of alarms of a clone, newest first, at most
// so many; none if there is no memory. It takes no lock: a row that is being written is not
// among them.
func PastAlarms(repo *git.Repo, most int) ([]AlarmRow, error) {
	f, err := os.Open(OpenAlarms(repo).path())
	if errors.Is(err, fs.ErrNotExist) {
		return []AlarmRow{}, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	from := max(info.Size()-lastAlarms, 0)
	text, err := io.ReadAll(io.NewSectionReader(f, from, lastAlarms))
	if err != nil {
		return nil, err
	}
	if from > 0 {
		text = text[bytes.IndexByte(text, '\n')+1:]
	}
	rows := append([]AlarmRow{}, parseAlarms(text)...)
	slices.Reverse(rows)
	return rows[:min(len(rows), most)], nil
}
