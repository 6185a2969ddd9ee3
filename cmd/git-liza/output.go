package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/provider"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/hooks"
)

// An output is where an invocation prints, and in which form.
type output struct {
	stdout io.Writer
	stderr io.Writer
	json   bool
	color  bool
	call   *call // a tool's call, which takes the output instead of the streams
}

// result prints what a move did: outcome and data as JSON, or the line for
// people.
func (o *output) result(r gitstore.Result, data any, format string, args ...any) error {
	return o.answer(madeOutcome(r.Already), data, fmt.Sprintf(format, args...))
}

// saidOf says what a move did, or that it was so before.
func saidOf(r gitstore.Result, what string) string {
	if r.Already {
		return "already " + what
	}
	return what
}

// answer prints one JSON object, or the text for people.
func (o *output) answer(outcome string, data any, text string) error {
	if data == nil {
		data = struct{}{}
	}
	if o.call != nil {
		o.call.data, o.call.text = data, text
		return nil
	}
	if !o.json {
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		_, err := io.WriteString(o.stdout, text)
		return err
	}
	if rows, ok := data.(written); ok && outcome == "" {
		return o.write(rows)
	}
	return o.encode(struct {
		OK      bool   `json:"ok"`
		Outcome string `json:"outcome,omitempty"`
		Data    any    `json:"data"`
	}{true, outcome, data})
}

// partly is the error of a command that fails with an answer: people are shown the text,
// and JSON has the data beside the error.
func (o *output) partly(f failure, data any, text string) error {
	if o.call != nil {
		o.call.text = text
	}
	if !o.json {
		if err := o.answer("", nil, text); err != nil {
			return err
		}
	}
	return &partial{f, data}
}

// Long data writes its own JSON, part by part.
type written interface{ WriteJSON(io.Writer) error }

// write prints one JSON object with long data.
func (o *output) write(data written) error {
	_, err := io.WriteString(o.stdout, `{"ok":true,"data":`)
	if err == nil {
		err = data.WriteJSON(o.stdout)
	}
	if err == nil {
		_, err = io.WriteString(o.stdout, "}\n")
	}
	return err
}

func (o *output) encode(v any) error {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := o.stdout.Write(plaintext.EscapeJSON(text.Bytes()))
	return err
}

// progress prints a line about long work, on stderr and only for people.
func (o *output) progress(format string, args ...any) {
	if o.call != nil {
		o.call.tell(fmt.Sprintf(format, args...))
	}
	if !o.json {
		fmt.Fprintf(o.stderr, format+"\n", args...)
	}
}

// fail prints an error and returns the exit code.
func (inv *invocation) fail(err error) int {
	if !inv.json && inv.isInterrupt(err) {
		return exitInterrupted
	}
	if rejection, is := errors.AsType[*hooks.Rejection](err); is && !inv.json {
		fmt.Fprintln(inv.stderr, hints{inv}.adaptAll(rejection))
		return exitRefused
	}
	f := hints{inv}.explain(err)
	noteMove(inv, strings.Join(inv.args, " "), &f)
	f.reason = board.Clean(f.reason) // git repeats what hooks print, and that may hold escape sequences
	if !inv.json {
		f.reason = strings.ReplaceAll(plaintext.Lines(f.reason), "\n", "\n  ") // a reason must not look like a hint
		fmt.Fprintf(inv.stderr, "git-liza: %s\n", f.reason)
		if f.rule != "" && f.code != exitUsage {
			fmt.Fprintf(inv.stderr, "rule: %s\n", f.rule)
		}
		if f.hint != "" {
			fmt.Fprintf(inv.stderr, "hint: %s\n", f.hint)
		}
		return f.code
	}
	type problem struct {
		Rule   string `json:"rule"`
		Reason string `json:"reason"`
		Hint   string `json:"hint"`
	}
	report := inv.encode(struct {
		OK      bool    `json:"ok"`
		Outcome string  `json:"outcome"`
		Error   problem `json:"error"`
		Data    any     `json:"data,omitempty"`
	}{false, f.outcome, problem{string(f.rule), f.reason, f.hint}, f.data})
	if report != nil {
		fmt.Fprintln(inv.stderr, "git-liza:", report)
	}
	return f.code
}

// longestEnd is how long a command that has made the last move of its session waits for its end.
const longestEnd = 30 * time.Second

// noteMove keeps for the supervisor of this session why its last move, which its command names,
// was refused, as nobody else has seen what was printed; without a failure it forgets that.
func noteMove(inv *invocation, command string, f *failure) {
	id, acts := board.AgentID(inv.getenv("LIZA_AGENT_ID")), board.Acts()
	i := slices.IndexFunc(acts, func(act board.Act) bool { return isCommand(command, act.Command()) })
	if i < 0 || id.Role() == "" || !board.Generation(inv.getenv("LIZA_GENERATION")).Spawned() {
		return
	}
	switch repo, err := inv.repo(); {
	case err != nil:
	case f == nil:
		work.TakeRefused(repo, id)
		switch how, ends, _ := strings.Cut(inv.getenv("LIZA_ENDS"), " "); {
		case !slices.Contains(strings.Fields(ends), acts[i].String()):
		case how == string(provider.EndsTold):
			fmt.Fprintln(inv.stderr, provider.EndsHere(inv.getenv("LIZA_GENERATION")))
		default:
			select { // what it printed would only be read by one more call of its model
			case <-time.After(longestEnd):
			case <-inv.ctx.Done():
			}
		}
	case f.rule != "":
		text := fmt.Sprintf("Its %s was refused (rule %s): %s; hint: %s", acts[i].Command(), f.rule, view.FirstLine(plaintext.Lines(f.reason)), f.hint)
		_ = work.NoteRefused(repo, id, board.Excerpt(strings.TrimSuffix(text, "; hint: "), 600)) // or its output alone has it
	}
}

// width returns the number of characters in a line, from COLUMNS or the
// terminal. It is 0 if the output is no terminal: then nothing is cut.
func (inv *invocation) width() int {
	if n, err := strconv.Atoi(inv.getenv("COLUMNS")); err == nil && n > 0 {
		return n
	}
	out, ok := inv.stdout.(*os.File)
	if !ok || !term.IsTerminal(int(out.Fd())) {
		return 0
	}
	n, _, err := term.GetSize(int(out.Fd()))
	if err != nil || n < 20 {
		return 80
	}
	return n
}

// accentOf returns how the one thing is marked that needs the user: in git's colour of
// what it asks about, if color.ui and NO_COLOR allow colours here.
func accentOf(inv *invocation, repo *git.Repo) (func(string) string, error) {
	when, err := repo.Config.Config(inv.ctx, "color.ui")
	plain := func(text string) string { return text }
	switch {
	case err != nil || inv.getenv("NO_COLOR") != "" || slices.Contains([]string{"never", "false", "no", "off", "0"}, when):
		return plain, err
	case when != "always" && (!inv.color || inv.getenv("TERM") == "dumb"):
		return plain, nil
	}
	return func(text string) string { return "\x1b[1;33m" + text + "\x1b[m" }, nil
}
