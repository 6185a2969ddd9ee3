package main

import (
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/alecthomas/kong"

	"github.com/git-liza/git-liza/cmd/git-liza/view"
	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore"
	"github.com/git-liza/git-liza/gitstore/git"
)

// timeForms are the forms in which people write times.
const timeForms = "2026-01-17, 2026-01-17T14:06:00Z"

// parseSpan parses a span of time as people write it, see [view.ParseSpan].
func parseSpan(text string) (time.Duration, error) {
	if d, ok := view.ParseSpan(text); ok {
		return d, nil
	}
	return 0, fmt.Errorf("%q is no span of time (%s)", quoted(text), view.SpanForms)
}

// parseTime reads a time, or a span before now.
func parseTime(text string, now time.Time) (time.Time, error) {
	if at, ok := gitstore.ParseTime(text); ok {
		return at, nil
	}
	if d, err := parseSpan(text); err == nil {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither a time (%s) nor a span before now (%s)", quoted(text), timeForms, view.SpanForms)
}

// parseSince parses the value of --since. The zero time means no limit.
func parseSince(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	at, err := parseTime(text, now)
	if err != nil {
		return at, usagef("git liza log --since 3d", "--since: %v", err)
	}
	return at, nil
}

// rev returns the state that a name or a span before now stands for.
func (inv *invocation) rev(clone *work.Clone, name string) (git.ID, error) {
	id, err := clone.Store.Rev(inv.ctx, name)
	if !errors.Is(err, gitstore.ErrNoState) {
		return id, err
	}
	at, notOne := parseTime(name, clone.Store.Now())
	if notOne != nil {
		return "", fmt.Errorf("%w, no mark (sprint-1), no commit of %s, no time (%s) and no span before now (%s)", err, layout.State, timeForms, view.SpanForms)
	}
	return clone.Store.Rev(inv.ctx, at.UTC().Format(time.RFC3339))
}

// duration is a span of time that may have fractions of a second.
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := parseSpan(string(text))
	if err != nil {
		return err
	}
	*d = duration(v)
	return nil
}

// spans parses spans of time on the command line, where people may also write
// days and weeks. Documents have one form.
var spans = kong.TypeMapper(reflect.TypeFor[flow.Duration](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("span", &text); err != nil {
		return err
	}
	v, err := parseSpan(text)
	if err != nil {
		return err
	}
	var d flow.Duration
	if err := d.UnmarshalText([]byte(v.String())); err != nil {
		return err
	}
	target.SetInt(int64(d))
	return nil
}))
