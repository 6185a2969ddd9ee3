package gittest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Terminal is a pseudo-terminal at which a test reads and types as a person does.
type Terminal struct {
	keys, line *os.File // its two ends: the person's, and the one of programs
	lock       sync.Mutex
	more       sync.Cond
	shown      []byte
	read       int // how much of shown was awaited
	ended      bool
	late       bool
}

// longestWait bounds how long a test waits for what a terminal should show.
const longestWait = 3 * time.Minute

// OpenTerminal returns a new terminal. [Terminal.Close] ends it.
func OpenTerminal() (*Terminal, error) {
	keys, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	name, err := unlockTerminal(keys)
	if err != nil {
		keys.Close()
		return nil, err
	}
	line, err := os.OpenFile(name, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		keys.Close()
		return nil, err
	}
	t := &Terminal{keys: keys, line: line}
	t.more.L = &t.lock
	go t.watch()
	return t, nil
}

// watch collects what is shown until no program has the terminal any more.
func (t *Terminal) watch() {
	part := make([]byte, 4096)
	for {
		n, err := t.keys.Read(part)
		t.lock.Lock()
		t.shown = append(t.shown, part[:n]...)
		t.ended = err != nil
		t.more.Broadcast()
		t.lock.Unlock()
		if err != nil {
			return
		}
	}
}

// Line is the end of the terminal from which programs read.
func (t *Terminal) Line() *os.File { return t.line }

// Control makes this the controlling terminal of a command that is not started yet, and
// its standard input.
func (t *Terminal) Control(cmd *exec.Cmd) {
	cmd.Stdin = t.line
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true, Ctty: 0}
}

// Type types keys; "\r" is Enter.
func (t *Terminal) Type(keys string) error {
	_, err := t.keys.WriteString(keys)
	return err
}

// Await waits until the terminal shows a text behind what was awaited last.
func (t *Terminal) Await(text string) error {
	timer := time.AfterFunc(longestWait, func() {
		t.lock.Lock()
		defer t.lock.Unlock()
		t.late = true
		t.more.Broadcast()
	})
	defer timer.Stop()
	t.lock.Lock()
	defer t.lock.Unlock()
	for {
		if i := bytes.Index(t.shown[t.read:], []byte(text)); i >= 0 {
			t.read += i + len(text)
			return nil
		}
		if t.ended || t.late {
			return fmt.Errorf("the terminal does not show %q behind what was awaited before", text)
		}
		t.more.Wait()
	}
}

// Close lets go of the terminal, and returns all that it showed once no program has it
// any more.
func (t *Terminal) Close() string {
	t.line.Close()
	t.lock.Lock()
	defer t.lock.Unlock()
	for !t.ended {
		t.more.Wait()
	}
	t.keys.Close()
	return string(t.shown)
}

// Follow types what a list says. A line "> TEXT" waits until the terminal shows the text
// behind what was awaited last; every other line is typed, with Enter. Between quotation
// marks it is a string of Go's, and typed without Enter.
func (t *Terminal) Follow(list string) error {
	for line := range strings.Lines(list) {
		line = strings.TrimSuffix(line, "\n")
		if text, ok := strings.CutPrefix(line, "> "); ok {
			if err := t.Await(text); err != nil {
				return err
			}
			continue
		}
		keys := line + "\r"
		if strings.HasPrefix(line, `"`) {
			var err error
			if keys, err = strconv.Unquote(line); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
		}
		if err := t.Type(keys); err != nil {
			return err
		}
	}
	return nil
}

// RunAtTerminal runs a command at a terminal of its own, with the output of this process,
// types what a list says, see [Terminal.Follow], and writes to the file named all that the
// terminal showed. It returns the command's exit code, -1 after a signal.
func RunAtTerminal(list, screen string, command []string) (code int, err error) {
	t, err := OpenTerminal()
	if err != nil {
		return 0, err
	}
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	t.Control(cmd)
	if err := cmd.Start(); err != nil {
		t.Close()
		return 0, err
	}
	timer := time.AfterFunc(longestWait, func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	missed := t.Follow(list)
	err = cmd.Wait()
	if !timer.Stop() && missed == nil {
		missed = errors.New("the command does not end")
	}
	if _, exits := err.(*exec.ExitError); exits {
		err = nil
	}
	shown := t.Close()
	return cmd.ProcessState.ExitCode(), errors.Join(missed, err, os.WriteFile(screen, []byte(shown), 0o600))
}
