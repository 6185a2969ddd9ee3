package view

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// A summaryKey is a key of [Reading.Task] whose value is in the task's summary, with what
// appends the value as JSON.
type summaryKey struct {
	name string
	add  func(out []byte, t *flow.Summary) []byte
}

// summaryKeys are in the order of [Reading.Task].
var summaryKeys = []summaryKey{
	{"id", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.ID) }},
	{"title", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Title) }},
	{"status", func(out []byte, t *flow.Summary) []byte { return appendName(out, t.Status) }},
	{"kind", func(out []byte, t *flow.Summary) []byte { return appendName(out, t.Kind) }},
	{"goal", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Goal) }},
	{"sprint", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Sprint) }},
	{"spec", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Spec) }},
	{"priority", func(out []byte, t *flow.Summary) []byte { return appendInt(out, t.Priority) }},
	{"depends_on", func(out []byte, t *flow.Summary) []byte { return appendTexts(out, t.DependsOn) }},
	{"owns", func(out []byte, t *flow.Summary) []byte { return appendTexts(out, t.Owns) }},
	{"verify", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Verify) }},
	{"created", func(out []byte, t *flow.Summary) []byte { return appendTime(out, t.Created) }},
	{"changed", func(out []byte, t *flow.Summary) []byte { return appendTime(out, t.Changed) }},
	{"assigned_to", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Coder) }},
	{"lease_expires", func(out []byte, t *flow.Summary) []byte { return appendTime(out, t.Lease) }},
	{"iteration", func(out []byte, t *flow.Summary) []byte { return appendInt(out, t.Iteration) }},
	{"review_cycles", func(out []byte, t *flow.Summary) []byte { return appendInt(out, t.Cycles) }},
	{"reviewing_by", func(out []byte, t *flow.Summary) []byte {
		by, _ := t.Reviewing(time.Time{})
		return appendText(out, by)
	}},
	{"review_lease_expires", func(out []byte, t *flow.Summary) []byte {
		_, lease := t.Reviewing(time.Time{})
		return appendTime(out, lease)
	}},
	{"blocked_reason", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Reason) }},
	{"role", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Role) }},
	{"based_on", func(out []byte, t *flow.Summary) []byte { return appendTexts(out, t.BasedOn) }},
	{"missing", func(out []byte, t *flow.Summary) []byte { return appendTexts(out, missingOf(t)) }},
	{"limits", func(out []byte, t *flow.Summary) []byte { return appendValue(out, t.Limits) }},
	{"reverts", func(out []byte, t *flow.Summary) []byte { return appendTexts(out, t.Reverts) }},
	{"level", func(out []byte, t *flow.Summary) []byte { return appendInt(out, t.Level) }},
	{"estimate", func(out []byte, t *flow.Summary) []byte { return appendSpan(out, t.Estimate) }},
	{"labels", func(out []byte, t *flow.Summary) []byte { return appendTexts(out, t.Labels) }},
	{"retries", func(out []byte, t *flow.Summary) []byte { return appendInt(out, t.Retries) }},
	{"not_before", func(out []byte, t *flow.Summary) []byte { return appendTime(out, t.NotBefore) }},
	{"entered", func(out []byte, t *flow.Summary) []byte { return appendTime(out, t.Entered) }},
	{"phase", func(out []byte, t *flow.Summary) []byte { return appendText(out, t.Phase) }},
}

// SummaryKeys are the keys of [Reading.Task] whose values are in summaries.
func SummaryKeys() []string {
	var keys []string
	for _, k := range summaryKeys {
		keys = append(keys, k.name)
	}
	return keys
}

// TaskRows are tasks with those keys of [Reading.Task] whose values are in summaries, in
// its order. No document is read for them.
type TaskRows struct {
	tasks []*flow.Summary
	keys  []summaryKey
}

// NewTaskRows are tasks with some keys. ok is false if one of the keys is in documents only.
func NewTaskRows(tasks []*flow.Summary, keys []string) (rows TaskRows, ok bool) {
	rows.tasks = tasks
	for _, k := range summaryKeys {
		if slices.Contains(keys, k.name) {
			rows.keys = append(rows.keys, k)
		}
	}
	known := SummaryKeys()
	return rows, !slices.ContainsFunc(keys, func(key string) bool { return !slices.Contains(known, key) })
}

// flushAt is the number of bytes after which a row is followed by a write.
const flushAt = 60 << 10

// WriteJSON writes {"tasks": …} without a blank, part by part, with what a reader would not
// see spelled out.
func (r TaskRows) WriteJSON(to io.Writer) error {
	out := append(make([]byte, 0, flushAt+8<<10), `{"tasks":[`...)
	for i, t := range r.tasks {
		if i > 0 {
			out = append(out, ',')
		}
		out = r.appendRow(out, t)
		if len(out) < flushAt {
			continue
		}
		if _, err := to.Write(out); err != nil {
			return err
		}
		out = out[:0]
	}
	_, err := to.Write(append(out, "]}"...))
	return err
}

// MarshalJSON is what [TaskRows.WriteJSON] writes.
func (r TaskRows) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	err := r.WriteJSON(&out)
	return out.Bytes(), err
}

func (r TaskRows) appendRow(out []byte, t *flow.Summary) []byte {
	out = append(out, '{')
	for i, k := range r.keys {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), k.name...), '"', ':')
		out = k.add(out, t)
	}
	return append(out, '}')
}

func appendInt(out []byte, n int) []byte { return strconv.AppendInt(out, int64(n), 10) }

func appendText[T ~string](out []byte, text T) []byte {
	if !plaintext.IsPlain(string(text)) || strings.ContainsAny(string(text), `"\`) {
		return appendValue(out, string(text))
	}
	return append(append(append(out, '"'), text...), '"')
}

// appendName appends a value of an enumeration.
func appendName[T interface {
	~uint8
	String() string
}](out []byte, name T) []byte {
	if name == 0 {
		return append(out, `""`...)
	}
	return appendText(out, name.String())
}

func appendTexts[T ~string](out []byte, list []T) []byte {
	out = append(out, '[')
	for i, text := range list {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendText(out, text)
	}
	return append(out, ']')
}

func appendTime(out []byte, at time.Time) []byte {
	if at.IsZero() {
		return append(out, "null"...)
	}
	return append(at.UTC().AppendFormat(append(out, '"'), time.RFC3339), '"')
}

func appendSpan(out []byte, d flow.Duration) []byte {
	if d == 0 {
		return append(out, `""`...)
	}
	return appendText(out, d.String())
}

// appendValue appends what is rare as other JSON shows it.
func appendValue(out []byte, value any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(ValueOf(value)); err != nil {
		return append(out, "null"...)
	}
	return append(out, plaintext.EscapeJSON(bytes.TrimSpace(text.Bytes()))...)
}
