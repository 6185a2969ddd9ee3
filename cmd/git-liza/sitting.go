package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A sitting is what a person reviews on a terminal, one submission after the other.
type sitting struct {
	*invocation
	clone   *work.Clone
	asked   reviewCommand
	dialog  *dialog
	got     work.Reviewing
	task    *board.Task     // as it was when the review was taken
	texts   []board.TextRef // of it, as they were then
	history []view.Entry
	ended   error // why the review could not be renewed; read after renewal has stopped or under its lock
	lock    sync.Mutex
}

// isForPerson reports whether a review is held with the person on a terminal.
func (c *reviewCommand) isForPerson(inv *invocation, clone *work.Clone) bool {
	return !inv.json && inv.call == nil && clone.By.IsHuman() && isTerminal(inv.stdout) && inForeground(inv.stdin) &&
		clone.Checkouts.Trees != nil && (hints{inv}).agent() == ""
}

// A sittingEnd is how the review of one submission ended.
type sittingEnd uint8

const (
	judged sittingEnd = iota
	skipped
	quitted
)

// run reviews the task that the command names, or one task after the other until there
// is none or the person quits.
func (s *sitting) run() error {
	passed := map[board.TaskID]bool{}
	for {
		id, err := s.next(passed)
		if err != nil {
			if len(passed) > 0 && flow.IsRefused(err, flow.RuleNothing) {
				return s.answer("", nil, "nothing more waits for your review")
			}
			return err
		}
		passed[id] = true
		how, err := s.review(id)
		if err != nil || how == quitted || s.asked.ID != "" {
			return err
		}
	}
}

// next is the task to review: the one that the command names, else the best one that
// was not passed.
func (s *sitting) next(passed map[board.TaskID]bool) (board.TaskID, error) {
	if s.asked.ID != "" {
		return s.asked.ID, nil
	}
	b, err := s.clone.Fresh(s.ctx)
	if err != nil {
		return "", err
	}
	id, refusal := flow.Best(b, board.ActReview, s.clone.Caller, b.At(), func(t board.Summary) bool { return passed[t.ID] })
	if err := b.Err(); err != nil {
		return "", err
	}
	if refusal != nil {
		return "", refusal
	}
	return id, nil
}

// review takes one review, shows it and asks for the verdict. However it ends without
// one, the review is given back, which does not count as a review without a verdict.
func (s *sitting) review(id board.TaskID) (how sittingEnd, err error) {
	if err := s.take(id); err != nil {
		return quitted, err
	}
	stop := s.keepRenewed()
	defer func() {
		stop()
		if how != judged {
			err = errors.Join(err, s.giveBack())
		}
	}()
	if err := s.show(false); err != nil {
		return quitted, err
	}
	return s.ask()
}

// take takes the review of a task, or reads again what it stands on.
func (s *sitting) take(id board.TaskID) error {
	got, r, err := s.asked.take(s.invocation, s.clone, id)
	if err != nil {
		return err
	}
	s.got, s.task, s.history = got, r.After.Task(id), nil
	s.texts = board.ShownTexts(r.After, s.task, s.clone.By)
	l, err := s.look()
	if err != nil {
		return err
	}
	s.history, err = l.wholeHistoryOf(s.invocation, id)
	return err
}

// keepRenewed prolongs the lease while the person reads, until stop is called.
func (s *sitting) keepRenewed() (stop func()) {
	ctx, cancel := context.WithCancel(s.ctx)
	done := make(chan struct{})
	id, lease, m := s.got.Task, s.got.Lease.Sub(s.now()), flow.RenewMove{Lease: s.asked.Lease, Role: s.role()}
	clone, err := s.clone.As(ctx, s.clone.By, s.clone.Generation)
	go func() {
		defer close(done)
		defer s.dialog.unmarkAtPanic()
		if err == nil {
			s.renew(ctx, clone, id, m, lease)
		}
	}()
	return func() { cancel(); <-done }
}

// renew prolongs the lease whenever a third of it has passed. A review that somebody
// else ended is not taken again.
func (s *sitting) renew(ctx context.Context, clone *work.Clone, id board.TaskID, m flow.RenewMove, lease time.Duration) {
	tick := time.NewTicker(max(lease/3, time.Second/2))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		_, err := clone.Renew(ctx, id, m)
		if _, is := errors.AsType[*flow.Refusal](err); is {
			s.lock.Lock()
			s.ended = err
			s.lock.Unlock()
			return
		}
	}
}

// role is the role of the review where a move has to name it, "" where there is one.
func (s *sitting) role() board.Role {
	if len(s.task.Submission.ReviewBy) < 2 {
		return ""
	}
	return s.got.Role
}

// giveBack releases the review, also after an interrupt.
func (s *sitting) giveBack() error {
	const enough = 20 * time.Second
	ctx, cancel := context.WithTimeout(context.WithoutCancel(s.ctx), enough)
	defer cancel()
	_, err := s.clone.Release(ctx, s.got.Task, flow.ReleaseMove{Role: s.role()})
	if _, is := errors.AsType[*flow.Refusal](err); is {
		return nil // it ended by itself
	}
	if err == nil {
		s.progress("the review of %s is given back", s.got.Task)
	}
	return err
}

// choices is what the person may type.
const choices = `a [TEXT]  approve this commit, with a word
r [TEXT]  reject: write the findings in your editor; TEXT is the one blocker
f         write findings in your editor and keep them for later
n TEXT    leave a note for those who work on the task
d         the diff again, of all files
t         the spec
s         skip: somebody else may review it
q         quit
`

// ask asks for the verdict until there is one, or the person goes on.
func (s *sitting) ask() (sittingEnd, error) {
	for {
		s.lock.Lock()
		ended := s.ended
		s.lock.Unlock()
		if err := errors.Join(ended, s.ctx.Err()); err != nil {
			return quitted, err
		}
		if kept := s.findings().kept(s.invocation); strings.TrimSpace(kept) != "" {
			fmt.Fprintln(s.stderr, "findings that are not sent yet: r sends them, f shows them")
		}
		line, err := s.dialog.ask(fmt.Sprintf("verdict on %s [a,r,f,n,d,t,s,q,?]?", s.got.Task))
		if err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return quitted, err
		}
		word, text, _ := strings.Cut(line, " ")
		how, done, err := s.do(word, strings.TrimSpace(text))
		if done || s.ctx.Err() != nil {
			return how, errors.Join(err, s.ctx.Err())
		}
		if err != nil {
			s.fail(err)
		}
	}
}

// do does what the person typed. It is done if the review is over.
func (s *sitting) do(word, text string) (how sittingEnd, done bool, err error) {
	switch word {
	case "a", "approve":
		return s.approve(text)
	case "r", "reject":
		return s.reject(text)
	case "f", "findings":
		err := s.findings().write(s.invocation, text, func(board.Feedback, bool) error { return errKeep })
		if errors.Is(err, errKeep) {
			err = nil
		}
		return 0, false, err
	case "n", "note":
		if text == "" {
			return 0, false, usagef("git liza help note", "a note needs words: n TEXT")
		}
		return 0, false, s.runCommand(&noteCommand{Text: text, For: string(s.got.Task)})
	case "d", "diff":
		return 0, false, s.show(true)
	case "t", "text":
		return 0, false, s.showSpec()
	case "s", "skip":
		return skipped, true, nil
	case "q", "quit":
		return quitted, true, nil
	}
	fmt.Fprint(s.stderr, choices)
	return 0, false, nil
}

func (s *sitting) findings() findings {
	return findings{s.clone, s.got.Task, flow.RejectMove{Commit: s.got.Commit, Role: s.role()}}
}

// approve approves the commit that was shown.
func (s *sitting) approve(text string) (sittingEnd, bool, error) {
	question := ""
	if text != "" { // a sentence may begin with a
		question = fmt.Sprintf("approve %s, and say %q?", s.got.Commit.Short(), view.Cut(board.Clean(text), 200))
	}
	if strings.TrimSpace(s.findings().kept(s.invocation)) != "" {
		question = "approve, and drop the findings that are not sent?"
	}
	if question != "" {
		if yes, err := s.dialog.confirm(question); !yes || err != nil {
			return 0, false, err
		}
	}
	c := &approveCommand{ID: s.got.Task, Message: text, Role: s.role(), texts: s.texts}
	err := c.approve(s.invocation, s.clone, s.got.Commit)
	if err == nil {
		s.findings().drop()
		return judged, true, nil
	}
	if flow.IsRefused(err, flow.RuleSpecChanged) {
		s.fail(err)
		shown := s.got.Commit
		if err := s.take(s.got.Task); err != nil || s.got.Commit == shown {
			return 0, false, err
		}
		return 0, false, s.show(true)
	}
	return quitted, isOver(err), err
}

// reject rejects the commit that was shown.
func (s *sitting) reject(text string) (sittingEnd, bool, error) {
	if text == "" {
		err := s.findings().edit(s.invocation, "")
		return endOf(err), isOver(err), err
	}
	c := &rejectCommand{ID: s.got.Task, Message: text, Commit: string(s.got.Commit), Role: s.role()}
	m := s.findings().move
	var err error
	if m.Feedback, err = c.blocker(s.invocation, s.clone); err == nil {
		err = reject(s.invocation, s.clone, s.got.Task, m)
	}
	return endOf(err), isOver(err), err
}

func endOf(err error) sittingEnd {
	var setback *work.Setback
	if err == nil || errors.As(err, &setback) {
		return judged
	}
	return quitted
}

// isOver reports whether a verdict ended the review: it was given, or another commit or
// state makes it impossible.
func isOver(err error) bool {
	_, setBack := errors.AsType[*work.Setback](err)
	return err == nil || setBack || flow.IsRefused(err, flow.RuleCommit, flow.RuleState, flow.RuleFinal)
}
