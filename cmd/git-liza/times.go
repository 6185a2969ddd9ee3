package main

import (
	"fmt"
	"reflect"
	"time"

	"github.com/alecthomas/kong"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore"
)

// parseSpan parses a span of time as people write it, see [gitstore.ParseSpan].
func parseSpan(text string) (time.Duration, error) {
	if d, ok := gitstore.ParseSpan(text); ok {
		return d, nil
	}
	return 0, fmt.Errorf("%q is no span of time (%s)", quoted(text), gitstore.SpanForms)
}

// parseTime reads a time, or a span before now.
func parseTime(text string, now time.Time) (time.Time, error) {
	if at, ok := gitstore.ParseTime(text); ok {
		return at, nil
	}
	if d, err := parseSpan(text); err == nil {
		return now.Add(-d), nil
	}
	return time.Time{}, fmt.Errorf("%q is neither a time (%s) nor a span before now (%s)", quoted(text), gitstore.TimeForms, gitstore.SpanForms)
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
var spans = kong.TypeMapper(reflect.TypeFor[board.Duration](), kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
	var text string
	if err := ctx.Scan.PopValueInto("span", &text); err != nil {
		return err
	}
	v, err := parseSpan(text)
	if err != nil {
		return err
	}
	var d board.Duration
	if err := d.UnmarshalText([]byte(v.String())); err != nil {
		return err
	}
	target.SetInt(int64(d))
	return nil
}))
