package breaker

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// anomalies reads lines TYPE TASK KEY=VALUE; KEY=VALUE, numbered from 1 on; - is no task.
func anomalies(t *testing.T, lines ...string) []board.Anomaly {
	t.Helper()
	var list []board.Anomaly
	for i, line := range lines {
		words := strings.SplitN(line+"  ", " ", 3)
		a := board.Anomaly{ID: board.RecordID(fmt.Sprintf("sprint-1/%d", i+1)), Task: board.TaskID(strings.Trim(words[1], "-")), Details: map[string]string{}, By: "coder-1"}
		require.NoError(t, a.Type.UnmarshalText([]byte(words[0])))
		for pair := range strings.SplitSeq(words[2], ";") {
			if key, value, ok := strings.Cut(pair, "="); ok {
				a.Details[strings.TrimSpace(key)] = strings.TrimSpace(value)
			}
		}
		list = append(list, a)
	}
	return list
}

// unrelated is for tasks of which none replaces another.
func unrelated(board.TaskID) []board.TaskID { return nil }

// found are the names of the patterns that are there.
func found(list []Match) (names []string) {
	for _, m := range list {
		if m.Missing == 0 {
			names = append(names, m.Pattern)
		}
	}
	return names
}

// Each pattern is there with equal causes in other words, and is not there with one
// record less, with another cause, or with records that do not say it.
func TestPatterns(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, severity string
		hit               []string
		near              [][]string
	}{
		{"retry_cluster", "ARCHITECTURE_FLAW", []string{
			`retry_loop task-1 error_pattern=dial tcp 10.0.0.7:5432: connection refused by database`,
			`retry_loop task-2 error_pattern=Dial TCP "10.0.0.12:5433": connection refused by database`,
			`retry_loop task-3 error_pattern=dial tcp 10.1.4.7:99: connection refused by the database`,
		}, [][]string{
			{`retry_loop - error_pattern=connection refused by database`, `retry_loop - error_pattern=connection refused by database`},
			{`retry_loop - error_pattern=connection refused by database`, `retry_loop - error_pattern=connection refused by database`, `retry_loop - error_pattern=the test never ends`},
			{`retry_loop - count=3`, `retry_loop - count=3`, `retry_loop - count=3`},
			{`retry_loop - error_pattern=404`, `retry_loop - error_pattern=500`, `retry_loop - error_pattern=503`},
		}},
		{"debt_accumulation", "SCOPE_FLAW", []string{
			`trade_off task-1 what=a; why=b; debt_created=no cache yet`,
			`trade_off task-1 what=c; why=d; debt_created=errors are only logged`,
			`trade_off task-2 what=e; why=f; debt_created=1 day`,
		}, [][]string{
			{`trade_off - debt_created=x`, `trade_off - debt_created=y`},
			{`trade_off - debt_created=x`, `trade_off - debt_created=y`, `trade_off - debt_created=None.`},
			{`trade_off - debt_created=x`, `trade_off - debt_created=y`, `trade_off - what=z`, `debt_created - debt_created=x`},
		}},
		{"assumption_cascade", "SPEC_FLAW", []string{
			`assumption_violated task-1 assumption=the API returns at most 100 rows; reality=it does not`,
			`assumption_violated task-2 assumption=The API returns at most 500 rows.; reality=no bound`,
		}, [][]string{
			{`assumption_violated - assumption=the API returns at most 100 rows`},
			{`assumption_violated - assumption=the API returns at most 100 rows`, `assumption_violated - assumption=times are in UTC`},
			{`assumption_violated - reality=x`, `assumption_violated - reality=x`},
			{`assumption_violated - assumption=` + board.NoSettings, `assumption_violated - assumption=` + board.NoSettings, `assumption_violated - assumption=times are in UTC`},
			{`assumption_violated - assumption=` + board.NoChanges, `assumption_violated - assumption=` + board.NoChanges, `assumption_violated - assumption=times are in UTC`},
		}},
		{"spec_gap_cluster", "SPEC_FLAW", []string{
			`spec_ambiguity task-1 spec=specs/api.md#errors; question=which code`,
			`spec_ambiguity task-2 spec=specs/API.md#errors; question=how are they logged`,
		}, [][]string{
			{`spec_ambiguity - spec=specs/api.md#errors`},
			{`spec_ambiguity - spec=specs/api.md#errors`, `spec_ambiguity - spec=specs/api.md#limits`},
			{`spec_ambiguity - question=x`, `spec_ambiguity - question=x`},
		}},
		{"workaround_pattern", "ARCHITECTURE_FLAW", []string{
			`workaround task-1 cause=the parser drops comments in nested lists`,
			`workaround task-2 cause=parser drops comments in nested lists of /src/a.go`,
		}, [][]string{
			{`workaround - cause=the parser drops comments`},
			{`workaround - cause=the parser drops comments in lists`, `workaround - cause=the cache is never cleared`},
			{`workaround -`, `workaround -`},
		}},
		{"external_service_outage", "EXTERNAL_DEPENDENCY", []string{
			`external_blocker task-1 blocker_service=registry.example.org`,
			`external_blocker task-2 blocker_service=Registry.Example.org`,
		}, [][]string{
			{`external_blocker - blocker_service=registry.example.org`},
			{`external_blocker - blocker_service=s3`, `external_blocker - blocker_service=s4`},
			{`external_blocker -`, `external_blocker -`},
		}},
		{"review_churn", "ARCHITECTURE_FLAW", []string{`review_churn task-1 rejections=4`, `review_churn task-2 rejections=4`},
			[][]string{{`review_churn task-1 rejections=4`}, {`review_churn task-1 rejections=4`, `review_churn task-1 rejections=4`}, {`review_churn -`, `review_churn -`}}},
		// One record is the pattern: the rules write it at the third failure, and none before.
		{"failure_streak", "ARCHITECTURE_FLAW", []string{`failure_streak task-1 failures=3; fingerprint=no route to host; error=no route to host 10.0.0.1`}, nil},
	} {
		got := Analyze(anomalies(t, test.hit...), unrelated, 0)
		require.Equal(t, []string{test.pattern}, found(got))
		require.Equal(t, test.severity, got[0].Severity)
		require.True(t, got[0].New)
		require.Len(t, got[0].Records, len(test.hit))
		require.Len(t, got[0].Evidence, len(test.hit))
		for _, lines := range test.near {
			got := Analyze(anomalies(t, lines...), unrelated, 0)
			require.Empty(t, found(got), "%s: %v", test.pattern, lines)
			require.Equal(t, test.pattern, got[0].Pattern)
			require.Positive(t, got[0].Missing)
		}
	}
}

// The names are those that the rules know.
func TestPatternsAreThoseOfTheRules(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range patterns {
		names = append(names, p.name)
		require.Contains(t, board.BreakerSeverities(), p.severity)
	}
	require.Equal(t, board.BreakerPatterns(), names)
}

// Tasks stand in one chain if one replaces the other, whatever stands between them. Two
// that replace the same task are no chain, nor are two blocks of one task.
func TestReplacementChain(t *testing.T) {
	t.Parallel()
	replaced := func(id board.TaskID) []board.TaskID {
		return map[board.TaskID][]board.TaskID{"b": {"a"}, "c": {"b", "a"}, "d": {"c", "b", "a"}, "e": {"a"}}[id]
	}
	for lines, want := range map[string]int{
		"b c": 2, "b d": 2, "b c d": 3, "b e": 0, "b b": 0, "d": 0, "b e d": 2, "- -": 0,
	} {
		var list []string
		for _, task := range strings.Fields(lines) {
			list = append(list, "replacement_blocked "+task+" replaces=x")
		}
		got := Analyze(anomalies(t, list...), replaced, 0)
		if want == 0 {
			require.Empty(t, found(got), lines)
			continue
		}
		require.Equal(t, []string{"replacement_chain"}, found(got), lines)
		require.Len(t, got[0].Tasks, want, lines)
	}
}

// All patterns are reported, the most severe first, of equal ones that with more records;
// then the nearest misses, one for each pattern.
func TestOrderOfMatches(t *testing.T) {
	t.Parallel()
	list := anomalies(t,
		`external_blocker - blocker_service=registry`, `external_blocker - blocker_service=registry`,
		`workaround - cause=a flaky clock in tests`, `workaround - cause=a flaky clock in tests`,
		`workaround - cause=no lock around files`, `workaround - cause=no lock around files`, `workaround - cause=no lock around files`,
		`spec_ambiguity - spec=a.md`, `spec_ambiguity - spec=a.md`,
		`retry_loop - error_pattern=one`, `retry_loop - error_pattern=two`, `retry_loop - error_pattern=two`)
	got := Analyze(list, unrelated, 7)
	require.Equal(t, []string{"workaround_pattern", "workaround_pattern", "spec_gap_cluster", "external_service_outage"}, found(got))
	require.Equal(t, []board.RecordID{"sprint-1/5", "sprint-1/6", "sprint-1/7"}, got[0].Records)
	require.Equal(t, []bool{false, false, true, false}, []bool{got[0].New, got[1].New, got[2].New, got[3].New})
	require.Equal(t, Match{Pattern: "retry_cluster", Severity: "ARCHITECTURE_FLAW", Records: []board.RecordID{"sprint-1/11", "sprint-1/12"},
		Evidence: []string{"sprint-1/11 by coder-1: two", "sprint-1/12 by coder-1: two"}, New: true, Missing: 1}, got[4])
	require.Len(t, got, 5)
}

// Records that are dismissed or archived form nothing.
func TestSettledRecordsAreLeftOut(t *testing.T) {
	t.Parallel()
	list := anomalies(t, `workaround - cause=x`, `workaround - cause=x`)
	require.Len(t, found(Analyze(list, unrelated, 0)), 1)
	list[0].Dismissed = &board.Dismissal{Reason: "known"}
	require.Empty(t, found(Analyze(list, unrelated, 0)))
	list[0].Dismissed, list[1].Archived = nil, true
	require.Empty(t, found(Analyze(list, unrelated, 0)))
}

func TestSame(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{
		{"x", "X"},
		{"timeout after 30s", "timeout after 5s"},
		{"no such file: /tmp/a/b.go", "no such file: ./c/d"},
		{`cannot find "foo"`, "cannot find foo"},
		{"object 3f2a1c0 is missing", "object deadbeef1 is missing"},
		{"panic: index out of range [5] with length 3", "panic: index out of range [12] with length 0"},
		{"the migration fails because the column is missing", "migration fails because the column is missing again"},
		{"404", "404"},
		{"/a/b", "/a/b"},
	} {
		require.True(t, normalise(pair[0]).same(normalise(pair[1])), "%q %q", pair[0], pair[1])
		require.True(t, normalise(pair[1]).same(normalise(pair[0])), "%q %q", pair[1], pair[0])
	}
	for _, pair := range [][2]string{
		{"", ""}, {"", "x"}, {"  ", "\t"}, {"…", "…!"},
		{"404", "500"}, {"/a/b", "/c/d"},
		{"connection refused", "connection reset"},
		{"timeout", "deadline"},
		{"the cache is never cleared", "the lock is never released"},
		{"facade", "decade"},
	} {
		require.False(t, normalise(pair[0]).same(normalise(pair[1])), "%q %q", pair[0], pair[1])
	}
}

// Thousands of long texts are compared in bounded time, and the newest count.
func TestManyRecords(t *testing.T) {
	t.Parallel()
	var lines []string
	for i := range most + 10 {
		lines = append(lines, "retry_loop - error_pattern="+strings.Repeat(fmt.Sprintf("%c%c%c differs ", 'a'+i%26, 'a'+i/26%26, 'a'+i/676), 200))
	}
	lines[0] = "retry_loop - error_pattern=old"
	lines[1], lines[2] = lines[0], lines[0]
	require.Empty(t, found(Analyze(anomalies(t, lines...), unrelated, 0)))
}
