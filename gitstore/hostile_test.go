package gitstore

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/internal/torture"
)

// hostile are texts that make much of themselves, of about n bytes.
func hostile(n int) map[string]string {
	fill := func(head, part string) string { return head + strings.Repeat(part, max(0, n-len(head))/len(part)) }
	steps := func(part string) string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			b.WriteString(strings.Repeat(" ", i) + part)
		}
		return b.String()
	}
	keys := func() string {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			fmt.Fprintf(&b, "k%d: v\n", i)
		}
		return b.String()
	}
	return map[string]string{
		"open brackets":      fill("a: ", "["),
		"open braces":        fill("a: ", "{a: "),
		"a flow list":        fill("a: [", "a,"),
		"a flow mapping":     fill("a: {", "a,"),
		"a list":             fill("", "- a\n"),
		"dashes":             fill("", "- "),
		"empty entries":      fill("", "-\n"),
		"empty lists":        fill("", "- []\n"),
		"a nested list":      fill("tasks:\n", "  - - - - - - - a\n"),
		"tasks":              fill("act: add\ntasks:\n", "  - id: a\n"),
		"keys":               keys(),
		"explicit keys":      fill("", "? a\n"),
		"deeper and deeper":  steps("a:\n"),
		"deeper lists":       steps("- \n"),
		"literals":           fill("", "- |-\n  a\n"),
		"a literal":          fill("a: |-\n", "  a\n"),
		"empty lines":        fill("a: |-\n  b\n", "\n"),
		"quotes":             fill("", "- \"\\0\"\n"),
		"a quoted text":      fill("a: \"", "\\0"),
		"an open quote":      fill("a: \"", "a"),
		"lines in quotes":    fill("a: \"", "a\n  "),
		"anchors":            fill("", "- &a b\n"),
		"aliases":            fill("a: &a [b]\nc:\n", "- *a\n"),
		"aliases of aliases": fill("a: &a [b,b,b,b,b,b,b,b,b]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: [", "*c,"),
		"merge keys":         fill("a: &a {b: c}\n", "<<: *a\n"),
		"tags":               fill("", "- !!str a\n"),
		"comments":           fill("", "# a\n"),
		"comments behind":    fill("", "- a # b\n"),
		"documents":          fill("", "---\na: b\n"),
		"directives":         fill("", "%YAML 1.1\n"),
		"colons":             fill("", ": "),
		"question marks":     fill("", "? "),
		"tabs":               fill("a:", "\t"),
		"a long word":        fill("a: ", "b"),
		"a long key":         fill("", "b"),
	}
}

// Whatever a pushed move or document holds, judging it takes neither much
// memory nor much time.
func TestTortureHostileDocumentsAreCheap(t *testing.T) {
	torture.Only(t)
	const bound = 64 << 20
	for name, text := range hostile(MaxMove - 1) {
		peak, took := measure(func() { _, _ = decodeMove("x", "add\n\n"+text) })
		t.Logf("%-20s move     %5.1f MiB %s", name, float64(peak)/(1<<20), took.Round(time.Millisecond))
		assert.Less(t, peak, uint64(bound), "%s in a move, %s", name, took)
		assert.Less(t, took, 20*time.Second, "%s in a move", name)
	}
	for name, text := range hostile(document.MaxSize) {
		peak, took := measure(func() { _ = document.Decode("x", []byte(text), new(board.Task)) })
		t.Logf("%-20s document %5.1f MiB %s", name, float64(peak)/(1<<20), took.Round(time.Millisecond))
		assert.Less(t, peak, uint64(bound), "%s in a document, %s", name, took)
		assert.Less(t, took, 20*time.Second, "%s in a document", name)
	}
}

// measure is how much memory a function takes at most, about, and how much of
// the processor, however many others want that.
func measure(what func()) (peak uint64, took time.Duration) {
	defer debug.SetGCPercent(debug.SetGCPercent(100)) // whatever the tests run with
	runtime.GC()
	var before, now runtime.MemStats
	runtime.ReadMemStats(&before)
	done, stopped := make(chan bool), make(chan bool)
	go func() {
		defer close(stopped)
		for {
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapInuse-min(now.HeapInuse, before.HeapInuse))
			select {
			case <-done:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	start := processorTime()
	what()
	took = processorTime() - start
	close(done)
	<-stopped
	return peak, took
}

// processorTime is what this process has had of the processor.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// The largest moves that are made in earnest pass.
func TestAMoveOfManyTasks(t *testing.T) {
	t.Parallel()
	var list []board.TaskInput
	for i := range board.MaxTasks {
		id := fmt.Sprintf("task-%d", i)
		list = append(list, board.TaskInput{ID: board.TaskID(id), Title: "Log in with a password, part " + id, DoneWhen: "go test ./login passes and\na wrong password is refused",
			Spec: "specs/login.md#" + id, Scope: "login and its tests", Priority: 1 + i%5, DependsOn: []board.TaskID{"task-a", "task-b", "task-c"},
			Owns: []string{"login/" + id + "/**", "cmd/" + id + ".go", "doc/**"}, Verify: "go test ./login/" + id, Kind: board.Code,
			Draft: true, Stretch: true, Limits: &board.Limits{Iterations: 3, Cycles: 2, MergeFails: 1, NoVerdicts: 1, FailedCoders: 2, Failures: 3}})
	}
	m := flow.Move{Act: board.ActAdd, By: ann, At: boardTime, Request: "7f3a9c2e11d04b58", Detail: &flow.AddMove{Tasks: list}}
	text, err := encodeMove(m, m.Subject(), board.NewestFormat)
	require.NoError(t, err)
	again, err := decodeMove("x", text)
	require.NoError(t, err)
	require.Equal(t, m, again)

	long := make([]board.TaskID, 20)
	for i := range long {
		long[i] = "t"
	}
	for i := range list {
		list[i].DependsOn = long
	}
	_, err = encodeMove(m, m.Subject(), board.NewestFormat)
	requireRule(t, err, flow.RuleLimit, "values")
}
