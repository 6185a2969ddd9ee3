package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/notify"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/view"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/gitstore/git"
)

// An alarmKeeper follows the alarms of a board while a command runs. It notes those that
// fire and end, in the memory of the clone, and has the calls told to this machine's person.
type alarmKeeper struct {
	inv      *invocation
	clone    *work.Clone
	trips    *work.Tripper // nil if the process does not trip the circuit breaker so
	shown    work.Alarms   // what this process has seen
	memory   *work.Alarms
	notifier *notify.Notifier
	active   atomic.Pointer[activeAlarms]
	over     sync.Map      // keys of the alarms that ended in this process
	wake     chan struct{} // there may be something to deliver
	failed   bool          // that the memory cannot be written was said
	late     bool          // another process had the memory locked: it is tried again
}

// activeAlarms are the keys of the alarms that were on at a time.
type activeAlarms struct {
	keys map[string]bool
	at   time.Time
}

// newAlarmKeeper prepares to follow the alarms of a clone, which is for this keeper alone.
// In the session of an agent it remembers and tells nothing: what a clone remembers of its
// person is the person's.
func newAlarmKeeper(inv *invocation, clone *work.Clone) (*alarmKeeper, error) {
	k := &alarmKeeper{inv: inv, clone: clone, wake: make(chan struct{}, 1)}
	if inv.as != "" || inv.getenv("LIZA_AGENT_ID") != "" {
		return k, nil
	}
	command, every, err := readNotify(inv.ctx, &clone.Repo.Config.Configuration)
	if err != nil {
		return nil, err
	}
	k.memory = work.OpenAlarms(clone.Repo)
	folder := cmp.Or(clone.Repo.MainWorkTree(), clone.Repo.CommonDir())
	k.notifier = &notify.Notifier{Command: command, Every: every, Common: clone.Repo.CommonDir(), Dir: folder, Environ: inv.environ, Now: time.Now, Bound: true,
		Folder: filepath.Base(folder)}
	return k, nil
}

// readNotify reads liza.notify, "" for no command, and how often it is called at most.
func readNotify(ctx context.Context, conf *git.Configuration) (command string, every time.Duration, err error) {
	command, err = conf.Config(ctx, "liza.notify")
	if err != nil {
		return "", 0, err
	}
	every = time.Minute
	err = readSpan(ctx, conf, "liza.notify.every", "1m", func(d time.Duration) { every = d })
	return command, every, err
}

// watch follows the alarms until ctx is done, or tell fails because nobody reads any more.
// It calls tell for each one that fires or ends.
func (k *alarmKeeper) watch(ctx context.Context, tell func(view.AlarmEvent) error) error {
	ctx, cancel := context.WithCancel(ctx)
	delivered := k.startDelivery(ctx)
	defer func() {
		cancel()
		<-delivered
	}()
	err := k.follow(ctx, func(list []view.Alarm, at time.Time) {
		if k.note(ctx, list, at, tell) != nil {
			cancel()
		}
	})
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// idleShare is how much longer than it takes to find the alarms the keeper waits before it
// does so again.
const idleShare = 10

// follow calls see with the alarms that are on, whenever they may have changed.
func (k *alarmKeeper) follow(ctx context.Context, see func(list []view.Alarm, at time.Time)) error {
	inv := *k.inv
	inv.ctx, inv.stderr = ctx, io.Discard
	var last []view.Alarm
	var next time.Time
	return watchPicture(&inv, k.clone, k.trips, func(p *view.Picture, _ []view.Change, err error) (again time.Time) {
		begun, at := time.Now(), k.clone.Store.Now()
		if begun.Before(next) {
			return at.Add(time.Second)
		}
		list := last
		if p != nil {
			list = p.Alarms()
			last = list
		}
		if list, is := k.complete(&inv, p, list, err); is {
			see(list, at)
		}
		if k.late { // what took time was to wait
			return at.Add(time.Second)
		}
		next = time.Now().Add(idleShare * time.Since(begun))
		return time.Time{}
	})
}

// complete returns the alarms of a picture with that of a board that cannot be read, if err
// says so. It is false if there was no picture yet: the remote may answer soon.
func (k *alarmKeeper) complete(inv *invocation, p *view.Picture, list []view.Alarm, err error) ([]view.Alarm, bool) {
	if err != nil {
		if broken, is := unreadableBoard(inv, k.clone, err); is {
			return append([]view.Alarm{broken}, list...), true
		}
	}
	return list, p != nil
}

// unreadableBoard returns the alarm of a board that cannot be read. It is false for other
// errors.
func unreadableBoard(inv *invocation, clone *work.Clone, err error) (view.Alarm, bool) {
	f := hints{inv}.explain(err)
	if !slices.Contains([]flow.Rule{flow.RuleCorrupt, flow.RuleDamaged, flow.RuleStateLost}, f.rule) {
		return view.Alarm{}, false
	}
	tip, _ := clone.Repo.Refs.Resolve(inv.ctx, layout.State) // "" if the ref is broken, too
	return view.Unreadable(f.reason, string(tip), f.hint), true
}

// note notes the alarms that are on, and lets calls wait for their delivery. It calls tell,
// unless that is nil, for those that fire or end.
func (k *alarmKeeper) note(ctx context.Context, list []view.Alarm, at time.Time, tell func(view.AlarmEvent) error) error {
	now := time.Now()
	rows, byKey, keys := make([]work.AlarmRow, 0, len(list)), map[string]view.Alarm{}, map[string]bool{}
	for _, a := range list {
		byKey[a.Key()], keys[a.Key()] = a, true
		rows = append(rows, work.AlarmRow{Key: a.Key(), Kind: string(a.Kind), Subject: a.Subject, Since: a.Since, Text: board.Excerpt(plaintext.Line(a.Text), mostAlarmText), Next: a.Next, Call: a.Call, Recurs: a.Recurs})
	}
	k.active.Store(&activeAlarms{keys, now})
	fired, ended, err := k.shown.Note(ctx, rows, now, nil)
	for _, row := range ended {
		k.over.Store(row.Key, true)
	}
	for _, row := range slices.Concat(ended, fired) {
		if tell == nil || err != nil {
			break
		}
		a, on := byKey[row.Key]
		if !on {
			a = view.Alarm{Kind: view.AlarmKind(row.Kind), Subject: row.Subject, Moment: strings.TrimPrefix(row.Key, row.Kind+" "+row.Subject+" "),
				Since: row.Since, Text: row.Text, Next: row.Next, Call: row.Call}
		}
		err = tell(view.AlarmEvent{At: at, Ended: !on, Alarm: a})
	}
	if err != nil || k.memory == nil {
		return err
	}
	_, _, err = k.memory.Note(ctx, rows, now, func(fired []work.AlarmRow) error { return k.notifier.Add(ctx, callsAmong(fired)) })
	k.late = errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
	if err != nil && ctx.Err() == nil && !k.failed {
		k.failed = true
		what := "alarms cannot be remembered here, so calls are not told"
		if k.late {
			what = "calls are told later"
		}
		fmt.Fprintf(k.inv.stderr, "%s: %v\n", what, err)
	}
	select {
	case k.wake <- struct{}{}:
	default:
	}
	return nil
}

// mostAlarmText bounds the text of an alarm that is remembered, in bytes.
const mostAlarmText = 400

// callsAmong returns the calls among alarms that fire.
func callsAmong(fired []work.AlarmRow) (items []notify.Item) {
	for _, row := range fired {
		if row.Call {
			items = append(items, notify.Item{Key: row.Key, Since: row.Since, Text: row.Text, Command: row.Next, At: row.At})
		}
	}
	return items
}

// isOn reports whether a call that came some time ago is still on. One that another
// process saw a moment ago is.
func (k *alarmKeeper) isOn(i notify.Item) bool {
	known := k.active.Load()
	_, over := k.over.Load(i.Key)
	return known == nil || known.keys[i.Key] || !over && known.at.Sub(i.At) < 2*time.Second
}

// startDelivery delivers calls until ctx is done.
func (k *alarmKeeper) startDelivery(ctx context.Context) (ended <-chan struct{}) {
	over := make(chan struct{})
	if k.notifier == nil || k.notifier.Command == "" {
		close(over)
		return over
	}
	go func() {
		defer close(over)
		due := time.NewTimer(time.Hour)
		defer due.Stop()
		for {
			select {
			case <-k.wake:
			case <-due.C:
			case <-ctx.Done():
				return
			}
			again, err := k.notifier.Deliver(ctx, k.isOn, false)
			if err != nil || again.IsZero() {
				again = time.Now().Add(time.Hour)
			}
			due.Reset(time.Until(again))
		}
	}()
	return over
}

// otherKeeper is how often a process looks whether another one that keeps the alarms of
// the clone has ended.
const otherKeeper = 5 * time.Second

// keepAlarms follows the alarms of the clone beside what a command does, unless another
// process of the clone is at it. finish ends that: with last it looks once more, and
// delivers what waits.
func keepAlarms(inv *invocation) (finish func(last bool), err error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, err
	}
	k, err := newAlarmKeeper(inv, clone)
	if err != nil || k.memory == nil {
		return func(bool) {}, err
	}
	ctx, cancel := context.WithCancel(inv.ctx)
	over := make(chan struct{})
	go func() {
		defer close(over)
		for ctx.Err() == nil {
			k.watchAlone(ctx)
			select {
			case <-time.After(otherKeeper):
			case <-ctx.Done():
			}
		}
	}()
	return func(last bool) {
		cancel()
		<-over
		if last && k.notifier.Command != "" {
			k.lookOnce()
		}
	}, nil
}

// keeperLock is the lock of the one process of a clone that keeps its alarms.
const keeperLock = "keeper.lock"

// watchAlone follows the alarms if no other process of the clone does.
func (k *alarmKeeper) watchAlone(ctx context.Context) {
	release, err := git.TryHoldLock(k.clone.Repo.CommonDir(), keeperLock)
	if err != nil || release == nil {
		return
	}
	defer release()
	_ = k.watch(ctx, nil) // supervisors say what is wrong with the board
}

// maxLastDelivery is how long a command that has ended waits for liza.notify.
const maxLastDelivery = 50 * time.Second

// lookOnce notes the alarms that are on now, and delivers what waits.
func (k *alarmKeeper) lookOnce() {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(k.inv.ctx), maxLastDelivery)
	defer cancel()
	inv := *k.inv
	inv.ctx, inv.stderr = ctx, io.Discard
	list, at, err := readAlarms(&inv)
	if err == nil && k.note(ctx, list, at, nil) == nil {
		_, _ = k.notifier.Deliver(ctx, k.isOn, true) // what fails waits for the next command
	}
}

// readAlarms returns the alarms that are on now.
func readAlarms(inv *invocation) ([]view.Alarm, time.Time, error) {
	clone, err := inv.reader()
	if err != nil {
		return nil, time.Time{}, err
	}
	b, tip, err := clone.Store.Board(inv.ctx)
	if err != nil {
		broken, is := unreadableBoard(inv, clone, err)
		if !is {
			return nil, time.Time{}, err
		}
		return []view.Alarm{broken}, clone.Store.Now(), nil
	}
	l := lookOf(clone, b, tip)
	p, err := l.picture(inv, func(l *look, inv *invocation, p *view.Picture) error {
		l.reading.Local.Active = work.ReadActive(l.clone)
		return l.findNeeds(inv, p)
	})
	if err != nil {
		return nil, l.reading.At, err
	}
	return p.Alarms(), l.reading.At, b.Err()
}
