package provider

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
)

// Fullness is the part of its context that a session's model has read, from 0 to 1; 0 if
// that is not known. A number beyond the window says that the window is another one.
func (p Provider) Fullness(r transcript.Report) float64 {
	window := cmp.Or(r.Window, p.window(cmp.Or(r.Model, p.Model)))
	if r.Filled <= 0 || r.Filled > window {
		return 0
	}
	return float64(r.Filled) / float64(window)
}

// window is how many tokens the context of a model holds, as the first word of Windows
// that fits has it; 0 if none does.
func (r Row) window(model string) int64 {
	for _, word := range r.Windows {
		pattern, tokens, err := splitWindow(word)
		if err == nil && pattern.MatchString(model) {
			return tokens
		}
	}
	return 0
}

// splitWindow reads a word of Windows: MODEL=TOKENS. In MODEL, * stands for any text.
func splitWindow(word string) (pattern *regexp.Regexp, tokens int64, err error) {
	model, number, _ := strings.Cut(word, "=")
	tokens, err = strconv.ParseInt(number, 10, 64)
	if err != nil || tokens <= 0 || model == "" {
		return nil, 0, fmt.Errorf("%q is not MODEL=TOKENS", word)
	}
	pattern, err = regexp.Compile("^" + strings.ReplaceAll(regexp.QuoteMeta(model), `\*`, ".*") + "$")
	return pattern, tokens, err
}

// maxIgnored is how many results of tools an agent may get after it was asked for a
// handoff: enough to commit, and to leave one.
const maxIgnored = 10

// A handover has a session whose context is full end between two results of tools. An
// agent that takes messages is asked for a handoff before.
type handover struct {
	provider Provider
	spawn    Spawn
	messages chan string   // to the agent; nil if the program takes none
	news     chan struct{} // gets a value after output
	made     atomic.Int64  // how full the context was when the session was asked or ended, in percent

	// Of the goroutine that watches the session.
	due    bool // the context was full at the last look
	asked  bool
	before int // results of tools before it was asked

	mu     sync.Mutex
	family func() []string // as in proc.Command.Began
	own    []string        // the processes of the program itself; nil before it printed
}

func (p Provider) newHandover(s Spawn) *handover {
	h := &handover{provider: p, spawn: s, news: make(chan struct{}, 1)}
	if p.ACP {
		h.messages = make(chan string, 1)
	}
	return h
}

// began is proc.Command.Began.
func (h *handover) began(family func() []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.family = family
}

// notePrinted is called when the program prints. At the first time it has started what it
// needs, and no tool.
func (h *handover) notePrinted() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.own == nil && h.family != nil {
		h.own = append([]string{}, h.family()...)
	}
}

// hasChildren reports whether a process runs that a tool has started.
func (h *handover) hasChildren() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.family != nil && slices.ContainsFunc(h.family(), func(one string) bool { return !slices.Contains(h.own, one) })
}

// noteOutput is called after output of the program was read.
func (h *handover) noteOutput() {
	select {
	case h.news <- struct{}{}:
	default:
	}
}

// A writeCall is an io.Writer that calls itself.
type writeCall func()

func (f writeCall) Write(p []byte) (int, error) {
	f()
	return len(p), nil
}

// look notes whether the context is full.
func (h *handover) look(r transcript.Report) {
	h.due = h.spawn.Full != nil && h.spawn.Full(h.provider.Fullness(r))
}

// ends reports whether the session has to end now. It asks the agent for a handoff first
// if it can, and then lets it use some more tools.
func (h *handover) ends(r transcript.Report) bool {
	h.look(r)
	switch {
	case !h.due || !r.Paused:
		return false
	case h.messages != nil && !h.asked:
		h.asked, h.before = true, r.Results
		h.messages <- h.spawn.HandoffRequest
	case h.asked && r.Results-h.before < maxIgnored, h.hasChildren():
		return false
	}
	h.made.CompareAndSwap(0, int64(Percent(h.provider.Fullness(r))))
	return h.messages == nil || r.Results-h.before >= maxIgnored
}

// judge changes the ending of a session that was asked for a handoff, or ended for one.
func (h *handover) judge(e Ending) Ending {
	if percent := h.made.Load(); percent > 0 && e.Trouble == nil {
		e.Outcome, e.Text = Exhausted, fmt.Sprintf("its context was full to %d%%", percent)
	}
	return e
}

// Percent is a fullness in percent, rounded up, so that only 0 is unknown.
func Percent(fullness float64) int { return int(math.Ceil(100 * fullness)) }
