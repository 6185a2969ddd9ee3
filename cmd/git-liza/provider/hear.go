package provider

import (
	"io"
	"strings"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/secret"
	"github.com/git-liza/git-liza/cmd/git-liza/transcript"
)

// keptWords is how many bytes of what a program said are kept for people.
const keptWords = 4096

// An ear takes in what a program says and passes it on without the secrets of
// its environment.
type ear struct {
	began  time.Time
	heard  atomic.Int64 // when it last wrote to standard output, in nanoseconds after that
	mask   *secret.Mask
	said   *proc.Clip // on both streams
	errs   *proc.Clip // on standard error
	stdout *secret.Writer
	stderr *secret.Writer
	follow *secret.Writer // nil if nobody follows
}

func (s Spawn) listen(env []string) *ear {
	e := &ear{began: time.Now(), mask: secret.New(env, nil), said: proc.NewClip(keptWords), errs: proc.NewClip(keptWords)}
	e.stdout = e.mask.Writer(&listener{e.said, s.Output})
	e.stderr = e.mask.Writer(&listener{io.MultiWriter(e.said, e.errs), s.Output})
	if s.Follow != nil {
		e.follow = e.mask.Writer(s.Follow)
	}
	return e
}

// end passes on what was held back.
func (e *ear) end() {
	_ = e.stdout.Close() // what cannot be logged is lost without harm
	_ = e.stderr.Close()
	if e.follow != nil {
		_ = e.follow.Close()
	}
}

// hide takes the secrets out of a report.
func (e *ear) hide(r transcript.Report) transcript.Report {
	r.Text, r.Error, r.Say = e.mask.String(r.Text), e.mask.String(r.Error), e.mask.String(r.Say)
	for i, tool := range r.Denied {
		r.Denied[i] = e.mask.String(tool)
	}
	return r
}

// Write notes when the program writes to standard output.
func (e *ear) Write(p []byte) (int, error) {
	e.heard.Store(int64(time.Since(e.began)))
	return len(p), nil
}

// forced reports whether a limit ended the program before it wrote its end record:
// some write one that speaks of success when they are told to end.
func (e *ear) forced(r proc.Result, s Spawn) bool {
	heard, took := time.Duration(e.heard.Load()), time.Since(e.began)
	switch r.Reason {
	case proc.IdleLimit:
		return took-heard < s.Idle
	case proc.WallLimit:
		return heard >= s.Wall
	}
	return false
}

// excerpt is what the program said, for people: of one with records what they
// say, and what it complained of beside them, not the records.
func (e *ear) excerpt(r transcript.Report) string {
	unread := r.Garbage > 0 && r.Turns == 0 && r.Session == "" // it wrote no records
	if r.End == transcript.Unmarked || unread {
		return e.said.Text()
	}
	var parts []string
	for _, part := range []string{e.errs.Text(), r.Text, r.Error} {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	c := proc.NewClip(keptWords)
	_, _ = c.Write([]byte(strings.Join(parts, "\n")))
	return c.Text()
}

// A listener writes to what never refuses, and to a log that may refuse without
// harm to it.
type listener struct {
	to  io.Writer
	log io.Writer // nil if there is none, or it refused
}

// Write takes everything and never fails.
func (l *listener) Write(p []byte) (int, error) {
	if l.log != nil {
		if _, err := l.log.Write(p); err != nil {
			l.log = nil
		}
	}
	return l.to.Write(p)
}
