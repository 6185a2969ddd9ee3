package main

import (
	"cmp"
	"slices"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// followPicture keeps a picture of the board up to date until the invocation ends. show
// gets it after each change, with the parts that may have changed: all of them at first.
// If something is wrong, show gets the error and the last picture, nil if the board could
// not be read yet; a call without an error says that it is over.
//
// show is called from one goroutine, and the picture may be asked in it alone. The values
// that it returns may be used anywhere.
func followPicture(inv *invocation, clone *work.Clone, show func(p *view.Picture, changes []view.Change, err error)) error {
	return watchPicture(inv, clone, nil, func(p *view.Picture, changes []view.Change, err error) time.Time {
		show(p, changes, err)
		return time.Time{}
	})
}

// watchPicture is followPicture where show says when it is to be called again at the
// latest, the zero time if it does not matter. It has the circuit breaker tripped, unless
// trips is nil.
func watchPicture(inv *invocation, clone *work.Clone, trips *work.Tripper, show func(p *view.Picture, changes []view.Change, err error) time.Time) error {
	f := &pictureKeeper{inv: inv, clone: clone, trips: trips}
	if trips != nil {
		defer trips.Wait()
	}
	return work.Follow(inv.ctx, clone, func(b *board.Board, tip git.ID, d gitstore.Delta, known work.Known, err error) time.Time {
		if b == nil {
			return show(nil, nil, err)
		}
		due := f.tripBreaker(b, d)
		changes, changeErr := f.change(b, tip, d, known)
		again := show(f.picture, changes, cmp.Or(err, changeErr))
		if f.picture != nil {
			again = earlier(again, f.picture.Due())
		}
		return earlier(again, due)
	})
}

// earlier returns the first of two times of which zero is never.
func earlier(x, y time.Time) time.Time {
	if x.IsZero() || !y.IsZero() && y.Before(x) {
		return y
	}
	return x
}

// A pictureKeeper keeps the picture of a board up to date.
type pictureKeeper struct {
	inv     *invocation
	clone   *work.Clone
	trips   *work.Tripper // nil if it leaves that to others
	picture *view.Picture

	asked     uint64       // the machine as it was when the rest was found
	about     board.GoalID // that of the focus; "" is the current goal of the board
	rest      view.Local   // what is slow to find
	allowed   work.Allowed
	vouched   git.ID      // the state of which rest.Breach speaks
	untripped []view.Need // a pattern for which the breaker cannot be tripped here
}

// tripBreaker has the circuit breaker tripped if records of a board form a pattern. It
// returns when to look again at the latest, the zero time if it does not matter.
func (f *pictureKeeper) tripBreaker(b *board.Board, d gitstore.Delta) (again time.Time) {
	if f.trips == nil {
		return again
	}
	news := d.Whole || slices.ContainsFunc(d.Keys, func(k board.Key) bool { return k.Folder == board.Anomalies || k.Folder == board.BreakerDoc })
	left, why, again := f.trips.Look(f.inv.ctx, b, news)
	f.untripped = nil
	if left != nil {
		need := view.Need{Kind: "pattern", Subject: "board", Text: "records form " + left.Pattern + ", and the circuit breaker cannot be tripped here: " + view.FirstLine(why), Command: "git liza status"}
		if newest, ok := b.Load(board.Key{Folder: board.Anomalies, ID: string(left.Records[len(left.Records)-1])}).(*board.Anomaly); ok {
			need.Since = newest.At
		}
		f.untripped = []view.Need{need}
	}
	return again
}

// change makes it the picture of a board, now, with what the machine knows.
func (f *pictureKeeper) change(b *board.Board, tip git.ID, d gitstore.Delta, known work.Known) ([]view.Change, error) {
	at := f.clone.Store.Now()
	if f.picture == nil {
		return f.begin(b, tip, d, known)
	}
	var list []view.Change
	if d.To != d.From {
		list = f.picture.Advance(b, tip, d, at)
	} else {
		list = f.picture.Pass(at)
	}
	l := look{f.clone, f.picture.Reading()}
	local, err := f.localOf(&l, f.picture, known)
	if err != nil {
		return list, err
	}
	return view.JoinChanges(view.JoinChanges(list, view.SetAbout(f.picture, f.about)), f.picture.SetLocal(local)), b.Err()
}

// begin makes the first picture.
func (f *pictureKeeper) begin(b *board.Board, tip git.ID, d gitstore.Delta, known work.Known) ([]view.Change, error) {
	l := lookOf(f.clone, b, tip)
	l.reading.Recent = view.EntriesOf(d.Events)
	if err := l.findPerson(f.inv); err != nil {
		return nil, err
	}
	p := view.NewPicture(l.reading)
	local, err := f.localOf(&l, p, known)
	if err != nil {
		return nil, err
	}
	view.SetAbout(p, f.about)
	p.SetLocal(local)
	f.picture = p
	return p.Everything(), b.Err()
}

// localOf returns what the machine knows beside the board. What is slow to find stays as
// it was while the machine does.
func (f *pictureKeeper) localOf(l *look, p *view.Picture, known work.Known) (local view.Local, err error) {
	if f.vouched == "" || known.Machine != f.asked {
		f.clone.Repo.Config.Renew()
		l.reading.Local = view.Local{}
		if f.about, err = usualGoal(f.inv, f.clone); err != nil {
			return local, err
		}
		l.reading.About = f.about
		if err := l.findLocal(f.inv, p); err != nil {
			return local, err
		}
		if f.allowed, err = f.clone.Trust.Allowed(f.inv.ctx); err != nil {
			return local, err
		}
		f.asked, f.rest, f.vouched = known.Machine, l.reading.Local, l.reading.Tip
	}
	l.reading.Local = f.rest
	l.reading.Local.Needs = slices.Concat(f.rest.Needs, f.untripped)
	l.reading.Local.Presences, l.reading.Local.Dead, l.reading.Local.Active = known.Presences, known.Dead, known.Active
	shared, err := l.clone.Trust.SharedCommands(f.inv.ctx, l.reading.Board)
	if err != nil {
		return local, err
	}
	l.judgeCommands(f.allowed, shared, p.Verifying())
	if f.vouched != l.reading.Tip {
		if l.reading.Local.Breach, err = l.breach(f.inv); err != nil {
			return local, err
		}
		if l.reading.Local.Uncounted, err = l.uncountedOfGoal(f.inv.ctx); err != nil {
			return local, err
		}
		f.rest.Breach, f.rest.Uncounted, f.vouched = l.reading.Local.Breach, l.reading.Local.Uncounted, l.reading.Tip
	}
	return l.reading.Local, nil
}
