package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// TaskRows are tasks with those keys of [Task] whose values are in summaries. No document is
// read for them, and they are written field by field: thousands of them as an [Object] each
// take several times as long.
type TaskRows struct {
	tasks  []*board.Summary
	fields []taskField
}

// NewTaskRows are tasks with some keys. ok is false if one of the keys is in documents only.
func NewTaskRows(tasks []*board.Summary, keys []string) (rows TaskRows, ok bool) {
	rows.tasks, ok = tasks, true
	for _, f := range taskFields() {
		if slices.Contains(keys, f.key) {
			rows.fields = append(rows.fields, f)
			ok = ok && f.short
		}
	}
	return rows, ok
}

// flushAt is the number of bytes after which a row is followed by a write.
const flushAt = 60 << 10

// WriteJSON writes {"tasks": …} without a blank, part by part, with what a reader would not
// see spelled out.
func (r TaskRows) WriteJSON(to io.Writer) error {
	out := append(make([]byte, 0, flushAt+8<<10), `{"tasks":[`...)
	var one Task
	value := reflect.ValueOf(&one).Elem()
	for i, t := range r.tasks {
		if i > 0 {
			out = append(out, ',')
		}
		one = summarised(t)
		for n, f := range r.fields {
			out = append(append(append(out, "{,"[min(n, 1)], '"'), f.key...), '"', ':')
			out = appendJSON(out, value.Field(f.index))
		}
		if out = append(out, '}'); len(out) < flushAt {
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

// appendJSON appends a field as [ValueOf] and JSON show it.
func appendJSON(out []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.String:
		return appendText(out, v.String())
	case reflect.Int:
		return strconv.AppendInt(out, v.Int(), 10)
	case reflect.Slice:
		out = append(out, '[')
		for i := range v.Len() {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendJSON(out, v.Index(i))
		}
		return append(out, ']')
	}
	switch known := v.Addr().Interface().(type) {
	case *time.Time:
		if known.IsZero() {
			return append(out, "null"...)
		}
		return append(known.UTC().AppendFormat(append(out, '"'), time.RFC3339), '"')
	case fmt.Stringer: // of an enumeration or a span
		if v.IsZero() {
			return append(out, `""`...)
		}
		return appendText(out, known.String())
	}
	return appendRare(out, reflected(v))
}

func appendText(out []byte, text string) []byte {
	if !plaintext.IsPlain(text) || strings.ContainsAny(text, `"\`) {
		return appendRare(out, text)
	}
	return append(append(append(out, '"'), text...), '"')
}

func appendRare(out []byte, value any) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	if err := e.Encode(value); err != nil {
		return append(out, "null"...)
	}
	return append(out, plaintext.EscapeJSON(bytes.TrimSpace(text.Bytes()))...)
}
