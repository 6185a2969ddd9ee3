package provider

import (
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/agent/transcript"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/gitstore/secret"
)

// keptOutput is how many bytes of a program's output are kept for people.
const keptOutput = 4096

// A capture keeps the output of a program and passes it on, without the secrets of
// the program's environment.
type capture struct {
	lastWrite atomic.Pointer[time.Time] // to standard output
	mask      *secret.Mask
	all       *proc.Clip // the output on both streams
	errs      *proc.Clip // the output on standard error
	stdout    *secret.Writer
	stderr    *secret.Writer
	follow    *secret.Writer // nil if nobody follows
}

// newCapture begins to capture a program with the environment env.
func (s Spawn) newCapture(env []string) *capture {
	c := &capture{mask: secret.New(env), all: proc.NewClip(keptOutput), errs: proc.NewClip(keptOutput)}
	c.stdout = c.mask.Writer(&logWriter{c.all, s.Output})
	c.stderr = c.mask.Writer(&logWriter{io.MultiWriter(c.all, c.errs), s.Output})
	if s.Follow != nil {
		c.follow = c.mask.Writer(s.Follow)
	}
	return c
}

// close passes on the output that was held back to mask secrets in it.
func (c *capture) close() {
	_ = c.stdout.Close() // a log that cannot be written does no harm
	_ = c.stderr.Close()
	if c.follow != nil {
		_ = c.follow.Close()
	}
}

// maskReport returns a report without secrets.
func (c *capture) maskReport(r transcript.Report) transcript.Report {
	r.Text, r.Error, r.Say = c.mask.String(r.Text), c.mask.String(r.Error), c.mask.String(r.Say)
	for i, tool := range r.Denied {
		r.Denied[i] = c.mask.String(tool)
	}
	return r
}

// Write notes the time at which the program writes to standard output.
func (c *capture) Write(p []byte) (int, error) {
	now := time.Now()
	c.lastWrite.Store(&now)
	return len(p), nil
}

// cutShort reports whether the program was ended before it wrote its end record:
// some programs write one that tells of success when they are told to end.
func (c *capture) cutShort(r proc.Result) bool {
	last := c.lastWrite.Load()
	return r.Reason != proc.Exited && r.Reason != proc.Signaled && last != nil && last.After(r.Cut)
}

// excerpt is the output of the program for people. Of a program with records it is
// the text in them and the output on standard error, without the records.
func (c *capture) excerpt(r transcript.Report) string {
	unread := r.Garbage > 0 && r.Turns == 0 && r.Session == "" // it wrote no records
	if r.End == transcript.Unmarked || unread {
		return c.all.Text()
	}
	var parts []string
	for _, part := range []string{c.errs.Text(), r.Text, r.Error} {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	clip := proc.NewClip(keptOutput)
	_, _ = clip.Write([]byte(strings.Join(parts, "\n")))
	return clip.Text()
}

// A logWriter writes to a writer that never fails and to a log, whose errors do no
// harm.
type logWriter struct {
	to  io.Writer
	log io.Writer // nil if there is none, or if it failed
}

// Write takes everything and never fails.
func (l *logWriter) Write(p []byte) (int, error) {
	if l.log != nil {
		if _, err := l.log.Write(p); err != nil {
			l.log = nil
		}
	}
	return l.to.Write(p)
}
