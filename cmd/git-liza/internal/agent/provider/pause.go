package provider

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Pause keeps the supervisors of a clone from spawning a provider. It is a file in
// the common git directory, so that all processes of the clone see it.
type Pause struct {
	Provider string      `yaml:"provider" json:"provider"`
	Kind     TroubleKind `yaml:"kind" json:"kind"`
	Reason   string      `yaml:"reason" json:"reason"`
	Since    time.Time   `yaml:"since" json:"since"`
	Until    time.Time   `yaml:"until" json:"until,omitzero"` // zero: until [Resume]
	Times    int         `yaml:"times" json:"times"`          // in a row
}

// Over reports whether the time of a pause has passed.
func (p Pause) Over(now time.Time) bool { return !p.Until.IsZero() && !now.Before(p.Until) }

// String says why the provider pauses, and for how long: quota until
// 2026-11-21T17:00:00Z: usage limit reached.
func (p Pause) String() string {
	until := ""
	if !p.Until.IsZero() {
		until = " until " + p.Until.UTC().Format(time.RFC3339)
	}
	return fmt.Sprintf("%s%s: %s", p.Kind, until, p.Reason)
}

// How long a provider pauses whose output does not say for how long, by the number of
// pauses in a row. A service that is down can return soon, and most rate limits are
// per minute.
var (
	ratePauses   = []time.Duration{10 * time.Second, 30 * time.Second, time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}
	quotaPauses  = []time.Duration{time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour}
	outagePauses = []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute}
)

// maxPause bounds the time that a provider's output names: no quota lasts longer than
// a month.
const maxPause = 32 * 24 * time.Hour

// pauseEnd is the end of the n-th pause in a row, n from 1.
func (t Trouble) pauseEnd(n int, now time.Time) time.Time {
	steps := quotaPauses
	switch {
	case t.Kind == Login:
		return time.Time{} // it lasts until a user logs in
	case t.Until.After(now) && t.Until.Before(now.Add(maxPause)):
		return roundUpSecond(laterOf(t.Until, now.Add(minimumPause(n))))
	case t.Kind == Outage:
		steps = outagePauses
	case t.Rate:
		steps = ratePauses
	}
	return roundUpSecond(now.Add(steps[min(n, len(steps))-1]))
}

// minimumPause is how long the n-th pause in a row lasts at least, so that a provider
// whose output names short times again and again is not spawned each time.
func minimumPause(n int) time.Duration {
	if n < 3 {
		return 0
	}
	return outagePauses[min(n-2, len(outagePauses))-1]
}

func laterOf(x, y time.Time) time.Time {
	if x.After(y) {
		return x
	}
	return y
}

// roundUpSecond is t, rounded up to a whole second.
func roundUpSecond(t time.Time) time.Time { return t.Add(time.Second - 1).Truncate(time.Second).UTC() }

// PauseFor pauses a provider because of a trouble. If it is paused already, the two
// count as one pause, which has the later end.
func PauseFor(commonDir, name string, t Trouble, now time.Time) (Pause, error) {
	before := readPause(commonDir, name)
	p := Pause{Provider: name, Kind: t.Kind, Reason: t.Text, Since: now.UTC().Truncate(time.Second), Times: 1}
	if before != nil {
		p.Times = before.Times
		if before.Over(now) {
			p.Times++
		}
	}
	p.Until = t.pauseEnd(p.Times, now)
	if before != nil && !before.Over(now) && !p.Until.IsZero() && (before.Until.IsZero() || before.Until.After(p.Until)) {
		return *before, nil
	}
	return p, p.write(commonDir)
}

// Paused is the pause that keeps a provider from being spawned, nil if none
// does.
func Paused(commonDir, name string, now time.Time) *Pause {
	if p := readPause(commonDir, name); p != nil && !p.Over(now) {
		return p
	}
	return nil
}

// AllPaused are the pauses of all providers of a clone that have not ended, by the
// provider's name.
func AllPaused(commonDir string, now time.Time) ([]Pause, error) {
	entries, err := os.ReadDir(filepath.Dir(pausePath(commonDir, "any")))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("pauses: %w", err)
	}
	var list []Pause
	for _, e := range entries {
		name, err := url.PathUnescape(e.Name())
		if err != nil || url.PathEscape(name) != e.Name() {
			continue
		}
		if p := Paused(commonDir, name, now); p != nil && p.Provider == name { // not what a killed process left beside it
			list = append(list, *p)
		}
	}
	return list, nil
}

// Resume ends a provider's pause and forgets the pauses before it. It is false if
// there was none.
func Resume(commonDir, name string) (bool, error) {
	switch err := os.Remove(pausePath(commonDir, name)); {
	case err == nil:
		return true, nil
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	default:
		return false, fmt.Errorf("pause of %s: %w", name, err)
	}
}

// Recover forgets the pauses of a provider that has worked again. A pause that has not
// ended stays, because the work began before it.
func Recover(commonDir, name string, now time.Time) error {
	p := readPause(commonDir, name)
	if p == nil || !p.Over(now) {
		return nil
	}
	_, err := Resume(commonDir, name)
	return err
}

func pausePath(commonDir, name string) string {
	return filepath.Join(commonDir, layout.Private, "paused", url.PathEscape(name))
}

// readPause returns the pause of a provider, nil if there is none. A file that cannot be read
// is one without an end: a session can write there, and neither ends supervisors nor lifts a
// pause by it.
func readPause(commonDir, name string) *Pause {
	path := pausePath(commonDir, name)
	data, err := git.ReadSmall(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	var p Pause
	if err == nil {
		err = document.Decode(path, data, &p)
	}
	if err != nil {
		return &Pause{Provider: name, Kind: Outage, Reason: err.Error()}
	}
	return &p
}

// write replaces the file of the pause.
func (p Pause) write(commonDir string) error {
	data, err := document.Encode(&p)
	if err == nil {
		err = git.ReplaceFile(pausePath(commonDir, p.Provider), data)
	}
	if err != nil {
		return fmt.Errorf("pause of %s: %w", p.Provider, err)
	}
	return nil
}
