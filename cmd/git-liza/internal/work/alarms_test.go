package work

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

var firstAlarm = time.Date(2026, 1, 17, 12, 0, 0, 0, time.UTC)

// alarmRows returns rows of alarms with these keys. A key that ends in ! is a call.
func alarmRows(keys ...string) (rows []AlarmRow) {
	for _, key := range keys {
		name := strings.TrimSuffix(key, "!")
		rows = append(rows, AlarmRow{Key: name, Kind: "blocked", Subject: name, Text: "t", Next: "git liza show t", Call: name != key})
	}
	return rows
}

// noted notes alarms, and returns the keys of those that fire and those that end.
func noted(t *testing.T, m *Alarms, after time.Duration, keys ...string) string {
	t.Helper()
	fired, ended, err := m.Note(context.Background(), alarmRows(keys...), firstAlarm.Add(after), nil)
	require.NoError(t, err)
	text := ""
	for _, row := range fired {
		text += " +" + row.Key
	}
	for _, row := range ended {
		text += " -" + row.Key
	}
	return strings.TrimSpace(text)
}

// An alarm fires once on a clone, whichever process sees it first, and once more when it
// becomes a call.
func TestAlarmsFireOncePerClone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := &Alarms{common: dir}, &Alarms{common: dir}
	require.Equal(t, "+a +b", noted(t, one, 0, "a", "b", "a"))
	require.Empty(t, noted(t, two, time.Second, "a", "b"))
	require.Equal(t, "+a", noted(t, two, 3*time.Second, "a!", "b"))
	require.Empty(t, noted(t, one, 4*time.Second, "a!", "b"))
	require.Empty(t, noted(t, one, 4*time.Second, "a", "b"), "a call that becomes a note is no news")
	require.Equal(t, "-b", noted(t, one, 10*time.Second, "a!"))
	require.Empty(t, noted(t, two, 11*time.Second, "a!"))
	require.Equal(t, "-a", noted(t, two, 20*time.Second))
	require.Equal(t, "+a2", noted(t, one, 21*time.Second, "a2"))
}

// A clock that jumps back lets no alarm fire again.
func TestAlarmsClockBack(t *testing.T) {
	t.Parallel()
	m := &Alarms{common: t.TempDir()}
	require.Equal(t, "+a", noted(t, m, time.Hour, "a"))
	require.Empty(t, noted(t, m, 0), "what was seen later does not end")
	require.Equal(t, "-a", noted(t, m, 2*time.Hour))
	require.Empty(t, noted(t, m, time.Hour, "a"))
	require.Empty(t, noted(t, m, 3*time.Hour, "a"))
}

// What another process saw a moment ago may be newer than what this one read.
func TestAlarmsOfOtherProcessesEndLater(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one, two := &Alarms{common: dir}, &Alarms{common: dir}
	require.Equal(t, "+a", noted(t, one, 0, "a"))
	require.Empty(t, noted(t, two, time.Second))
	require.Equal(t, "-a", noted(t, two, 2*time.Second))
}

// An alarm that could not be kept fires again.
func TestAlarmsThatWereNotKept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := errors.New("no room")
	_, _, err := (&Alarms{common: dir}).Note(context.Background(), alarmRows("a!"), firstAlarm, func([]AlarmRow) error { return broken })
	require.ErrorIs(t, err, broken)
	require.Equal(t, "+a", noted(t, &Alarms{common: dir}, 0, "a!"))
}

// A file that is gone, or that a dying process or a newer program has written to, stops
// nothing.
func TestAlarmsOfABrokenFile(t *testing.T) {
	t.Parallel()
	m := &Alarms{common: t.TempDir()}
	require.Equal(t, "+a", noted(t, m, 0, "a"))
	f, err := os.OpenFile(m.path(), os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = f.WriteString("{\"key\":\"x\",\"state\":\"waiting\",\"new\":1}\nnonsense\n{\"key\":\"torn")
	require.NoError(t, err)
	require.NoError(t, f.Close())
	require.Equal(t, "+b", noted(t, m, time.Second, "a", "b"))
	require.Empty(t, noted(t, &Alarms{common: m.common}, 2*time.Second, "a", "b"))
	require.NoError(t, os.Remove(m.path()))
	require.Equal(t, "+a +b", noted(t, m, 3*time.Second, "a", "b"))
	info, err := os.Stat(m.path())
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode())
}

// The memory stays small, and what is on stays known. One old file is kept.
func TestAlarmsAreBounded(t *testing.T) {
	t.Parallel()
	m := &Alarms{common: t.TempDir()}
	other := &Alarms{common: m.common}
	require.Equal(t, "+on", noted(t, m, 0, "on"))
	long := strings.Repeat("x", 400)
	for round := range 3 {
		var keys []string
		for i := range 2000 {
			keys = append(keys, fmt.Sprintf("%d-%d-%s", round, i, long))
		}
		at := time.Duration(round) * time.Hour
		noted(t, m, at, append(keys, "on")...)
		noted(t, m, at+time.Minute, "on")
	}
	info, err := os.Stat(m.path())
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(maxAlarms+2*2000*1200))
	_, err = os.Stat(strings.TrimSuffix(m.path(), ".jsonl") + ".1.jsonl")
	require.NoError(t, err)
	require.Empty(t, noted(t, other, 9*time.Hour, "on"))
	require.Empty(t, noted(t, &Alarms{common: m.common}, 9*time.Hour, "on"))
}

// Processes that see ten thousand alarms at the same time let each fire once.
func TestAlarmsOfManyProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var keys []string
	for i := range 10_000 {
		keys = append(keys, fmt.Sprintf("blocked task-%d x", i))
	}
	count := make(chan int, 3)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			memory := &Alarms{common: dir}
			fired, _, err := memory.Note(context.Background(), alarmRows(keys...), firstAlarm, nil)
			for errors.Is(err, context.DeadlineExceeded) { // on a busy machine the others keep the lock longer than one waits: a keeper comes again, too
				fired, _, err = memory.Note(context.Background(), alarmRows(keys...), firstAlarm, nil)
			}
			if err == nil {
				count <- len(fired)
			}
		})
	}
	all.Wait()
	close(count)
	sum, answers := 0, 0
	for n := range count {
		sum, answers = sum+n, answers+1
	}
	require.Equal(t, []int{10_000, 3}, []int{sum, answers})
	text, err := os.ReadFile((&Alarms{common: dir}).path())
	require.NoError(t, err)
	require.Equal(t, 10_000, bytes.Count(text, []byte("\n")))
}
