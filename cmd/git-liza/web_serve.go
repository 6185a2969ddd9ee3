package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/ui/web"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// Run shows the pages until the person ends it.
func (c *webCommand) Run(inv *invocation) error {
	l, err := inv.look()
	if err == nil {
		l.reading.Board.Tasks() // a document that is none shows when it is read
		err = l.reading.Board.Err()
	}
	if err == nil {
		err = inv.operator(l.clone.Repo, "the board in a browser")
	}
	if err == nil && inv.as != "" {
		err = usagef("git liza help web", "the pages are for a person: leave --as out")
	}
	if err != nil {
		return err
	}
	known, err := providerChoice{inv, &l.clone.Repo.Config.Configuration}.catalogue()
	if err != nil {
		return err
	}
	options := web.Options{Addr: c.Addr, Hosts: c.Host, Base: c.Base, TrustPeers: c.TrustPeers, Clone: l.clone,
		Explain: func(err error) *flow.Refusal {
			// Requests are answered at once, and an invocation is for one goroutine.
			return hints{&invocation{ctx: inv.ctx, environ: inv.environ, now: inv.now, dir: inv.dir, args: inv.args}}.refusal(err)
		},
		Output: func(a view.Agent) string { return outputOf(l.clone.Repo, a.ID, a.Provider, known) }, Said: readable}
	if c.Act {
		options.Act = webActor{inv}.act
	}
	s, err := web.Listen(options)
	if err != nil {
		return err
	}
	if err := c.open(inv, s); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(inv.ctx)
	defer cancel()
	go reprint(ctx, inv, s)
	followed := make(chan error, 1)
	go func() {
		defer cancel()
		watching := *inv
		watching.ctx = ctx
		followed <- followPicture(&watching, l.clone, s.Feed.Show)
	}()
	err = s.Serve(ctx)
	cancel()
	if failed := <-followed; failed != nil && inv.ctx.Err() == nil {
		return failed
	}
	return err
}

// open prints the first address, alone on standard output, and what to do with it.
func (c *webCommand) open(inv *invocation, s *web.Server) error {
	if inv.json {
		return inv.answer("", map[string]any{"url": s.URL(), "act": c.Act}, "")
	}
	if _, err := fmt.Fprintln(inv.stdout, s.URL()); err != nil {
		return err
	}
	inv.progress("opens once; Enter prints another, Ctrl-C ends git liza web")
	if !c.Act {
		inv.progress("the pages change nothing: git liza web --act has forms")
	}
	return nil
}

// reprint prints another address for each line that the person types. A process in the
// background reads no terminal.
func reprint(ctx context.Context, inv *invocation, s *web.Server) {
	if inv.json {
		return
	}
	signal.Ignore(syscall.SIGTTIN)
	lines := bufio.NewReader(inv.stdin)
	for ctx.Err() == nil {
		if isTerminal(inv.stdin) && !inForeground(inv.stdin) {
			time.Sleep(time.Second)
			continue
		}
		if _, err := lines.ReadString('\n'); err != nil {
			return
		}
		if _, err := fmt.Fprintln(inv.stdout, s.URL()); err != nil {
			return
		}
	}
}

// A webActor makes the moves that forms ask for, as the commands of the terminal do.
type webActor struct{ *invocation }

// act makes one move. It returns what the command prints.
func (a webActor) act(ctx context.Context, d web.Deed) (said string, refused *flow.Refusal) {
	var out, progress bytes.Buffer
	inner := &invocation{output: output{stdout: &out, stderr: &progress}, ctx: ctx, stdin: strings.NewReader(""), environ: a.environ, now: a.now, dir: a.dir, args: typed(d)}
	err := ctx.Err() // a command that starts no process does not look
	if err == nil {
		err = a.make(inner, d)
	}
	if err != nil {
		return "", hints{inner}.refusal(err)
	}
	return strings.TrimSpace(out.String() + progress.String()), nil
}

// typed is the command of a move as a person types it, without the text.
func typed(d web.Deed) []string {
	switch d.Act {
	case board.ActApprove:
		return []string{"approve", d.Subject, "--commit", string(d.Commit)}
	case board.ActReject:
		return []string{"reject", d.Subject, "--commit", string(d.Commit), "-e"}
	case board.ActAnswer:
		return []string{"answer", d.Subject, "TEXT"}
	case board.ActNote:
		return []string{"note", "TEXT", "--for", d.Subject}
	}
	return []string{d.Act.Command(), "--reason", "R"}
}

// make runs the command of a move.
func (a webActor) make(inv *invocation, d web.Deed) error {
	if strings.TrimSpace(d.Text) == "-" {
		return usagef("git liza help "+d.Act.Command(), "- is no text")
	}
	switch d.Act {
	case board.ActAnswer:
		var id board.RecordID
		if err := id.UnmarshalText([]byte(d.Subject)); err != nil {
			return err
		}
		return (&answerCommand{About: taskOrRecord{record: id}, Text: &d.Text}).Run(inv)
	case board.ActNote:
		return inv.runCommand(&noteCommand{Text: d.Text, For: d.Subject})
	case board.ActPause:
		return inv.runCommand(&pauseCommand{Reason: d.Text})
	}
	clone, err := inv.clone()
	if err != nil {
		return err
	}
	id := board.TaskID(d.Subject)
	if d.Act == board.ActApprove {
		return (&approveCommand{ID: id, Message: d.Text, texts: d.Texts}).approve(inv, clone, d.Commit)
	}
	return findings{clone, id, flow.RejectMove{Commit: d.Commit}}.send(inv, d.Text)
}

// refusal is an error in the words of [hints.explain].
func (h hints) refusal(err error) *flow.Refusal {
	f := h.explain(err)
	return &flow.Refusal{Rule: f.rule, Reason: board.Clean(f.reason), Hint: f.hint}
}
