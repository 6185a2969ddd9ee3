package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/git-liza/git-liza/internal/gittest"
)

// A watched board is one that a program shows.
type watched struct {
	*clone
	name    string // of the rows
	program *exec.Cmd
	end     func() // ends the program; nil before it started
}

// measureWatch measures what a board of many tasks costs on a terminal and in a browser,
// while nobody does anything and while ten moves a second come.
func (b *bench) measureWatch() error {
	c, err := b.board(b.scale.list, b.scale.few)
	if err != nil {
		return err
	}
	for _, show := range []func(*watched, string) error{(*watched).onTerminal, (*watched).inBrowser} {
		w := watched{clone: c}
		if err := b.measureWatched(&w, func() error { return show(&w, b.program) }); err != nil {
			return err
		}
	}
	return nil
}

// measureWatched adds the rows of one program that shows a board.
func (b *bench) measureWatched(w *watched, start func() error) error {
	defer func() {
		if w.end != nil {
			w.end()
		}
	}()
	if err := start(); err != nil {
		return err
	}
	time.Sleep(b.scale.together / 5) // what it looks at once is over
	idle, _, err := w.share(b.scale.together, func(int) error { return nil })
	if err != nil {
		b.add(row{what: w.name, measured: firstLine(err.Error())})
		return nil
	}
	b.noteBound(fmt.Sprintf("%s of %d tasks, nothing happens, CPU", w.name, b.scale.list), "%", idle, 2)
	busy, moves, err := w.share(b.scale.together, w.makeMove)
	if err != nil {
		return err
	}
	rate := float64(moves) / b.scale.together.Seconds()
	b.noteBound(fmt.Sprintf("%s of %d tasks, %s moves/s, CPU", w.name, b.scale.list, short(rate)), "%", busy, 10)
	return nil
}

// onTerminal shows the board on a large terminal.
func (w *watched) onTerminal(program string) error {
	terminal, err := gittest.OpenTerminal()
	if err != nil {
		return err
	}
	w.name = "watch"
	w.program = exec.CommandContext(w.b.ctx, program, "watch")
	w.program.Dir, w.program.Env = w.path, append(slices.Clip(w.b.environ), "TERM=xterm-256color")
	w.program.Stdout, w.program.Stderr = terminal.Line(), terminal.Line()
	terminal.Control(w.program)
	w.end = func() { terminal.Close() }
	err = unix.IoctlSetWinsize(int(terminal.Line().Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 60, Col: 200})
	if err == nil {
		err = w.program.Start()
	}
	if err != nil {
		return err
	}
	w.end = func() {
		terminal.Type("q")
		_ = w.program.Wait()
		terminal.Close()
	}
	return terminal.Await("merged") // of the first line
}

// inBrowser opens a page of the board, and reads what changes on it.
func (w *watched) inBrowser(program string) error {
	ctx, cancel := context.WithCancel(w.b.ctx)
	w.name = "web with an open page"
	w.program = exec.CommandContext(ctx, program, "web")
	w.program.Dir, w.program.Env = w.path, w.b.environ
	w.end = cancel
	said, err := w.program.StdoutPipe()
	if err == nil {
		err = w.program.Start()
	}
	if err != nil {
		return err
	}
	w.end = func() {
		cancel()
		_ = w.program.Wait()
	}
	address, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		return err
	}
	page, err := http.Get(strings.TrimSpace(address)) // follows to the board
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, page.Body); err != nil {
		return err
	}
	events, err := http.Get(page.Request.URL.String() + "events?page=")
	if err != nil {
		return err
	}
	go io.Copy(io.Discard, events.Body)
	return nil
}

// makeMove makes the n-th move: one coder takes a task and gives it back.
func (w *watched) makeMove(n int) error {
	next := w.claim(0)
	if n%2 == 1 {
		next = w.release(0)
	}
	p := exec.CommandContext(w.b.ctx, next.args[0], next.args[1:]...)
	p.Dir, p.Env = next.dir, w.b.environ
	if out, err := p.CombinedOutput(); err != nil { // orphans would wait for the program that is measured
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// share calls move ten times a second, as far as it ends within that time, and returns how
// much of one core the program took meanwhile.
func (w *watched) share(span time.Duration, move func(n int) error) (taken spread, moves int, err error) {
	before, err := spentBy(w.program.Process.Pid)
	if err != nil {
		return taken, 0, err
	}
	begun := time.Now()
	beat := time.NewTicker(100 * time.Millisecond)
	defer beat.Stop()
	for time.Since(begun) < span {
		if err := move(moves); err != nil {
			return taken, moves, err
		}
		moves++
		<-beat.C
	}
	after, err := spentBy(w.program.Process.Pid)
	part := 100 * (after - before).Seconds() / time.Since(begun).Seconds()
	return spread{part, part, part}, moves, err
}
