package main

import (
	"bytes"
	"encoding"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/work"
	"github.com/git-liza/git-liza/flow"
)

// An object is a JSON object that keeps the order of its keys.
type object []member

type member struct {
	key   string
	value any
}

// MarshalJSON writes the members in order.
func (o object) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	for i, m := range o {
		out.WriteByte("{,"[min(i, 1)])
		if err := e.Encode(m.key); err != nil {
			return nil, err
		}
		out.WriteByte(':')
		if err := e.Encode(m.value); err != nil {
			return nil, err
		}
	}
	if len(o) == 0 {
		out.WriteByte('{')
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// find is the value of a key, nil if there is none.
func (o object) find(key string) any {
	for _, m := range o {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// viewOf turns a document of the blackboard, or a part of one, into what JSON
// shows. The keys are those of the YAML, in its order, and all of them are
// always there: what is absent is null where it would be an object or a time,
// [] where it would be a list, {} where it would be a mapping, and otherwise
// "", 0 or false. Times are RFC 3339 in UTC.
func viewOf(document any) any { return viewValue(reflect.ValueOf(document)) }

func viewValue(v reflect.Value) any {
	if !v.IsValid() {
		return nil
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil
		}
		return viewValue(v.Elem())
	}
	switch known := v.Interface().(type) {
	case time.Time:
		return viewTime(known)
	case flow.Cost:
		return known.String() // zero is an amount too
	case flow.Usage:
		return append(viewStruct(v), member{"tokens", known.Tokens()})
	case encoding.TextMarshaler:
		return viewText(v, known)
	}
	switch v.Kind() {
	case reflect.Struct:
		return viewStruct(v)
	case reflect.Slice:
		list := make([]any, v.Len())
		for i := range list {
			list[i] = viewValue(v.Index(i))
		}
		return list
	case reflect.Map:
		return viewMap(v)
	case reflect.String:
		return v.String()
	}
	return v.Interface()
}

func viewTime(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339)
}

// viewText is the name of a value, "" for the zero value of an enumeration,
// which has none.
func viewText(v reflect.Value, m encoding.TextMarshaler) any {
	text, err := m.MarshalText()
	if err != nil || v.IsZero() {
		return ""
	}
	return string(text)
}

func viewMap(v reflect.Value) any {
	all := make(map[string]any, v.Len())
	for _, key := range v.MapKeys() {
		all[key.String()] = viewValue(v.MapIndex(key))
	}
	return all
}

func viewStruct(v reflect.Value) object {
	all := make(object, 0, v.NumField())
	for i := range v.NumField() {
		key, options, _ := strings.Cut(v.Type().Field(i).Tag.Get("yaml"), ",")
		value := v.Field(i)
		switch {
		case options == "inline":
			if inner, ok := viewValue(value).(object); ok {
				all = append(all, inner...)
			}
		case key != "" && key != "-":
			all = append(all, member{key, viewValue(value)})
		}
	}
	return all
}

// A taskView shows tasks of one board to one asker.
type taskView struct {
	board *flow.Board
	clone *work.Clone
	asker flow.Caller // who would claim
	at    time.Time
}

// of is a task with exactly the keys that scripts rely on. Values follow the
// rule of [viewOf]. lease_expires is the claim's, assigned_to whoever holds
// the task or worked on it last. claimable says whether the asker could claim
// the task now, and why_not what stands against it: nothing but its state where
// that is final, so it is "" there.
func (v taskView) of(t *flow.Task) object {
	a, sub, review, merge, block := part(t.Attempt), part(t.Submission), part(t.Review), part(t.Merge), part(t.Block)
	assigned, approvedBy := a.Coder, part(t.Verdict).By
	if t.Claim != nil {
		assigned = t.Claim.By
	}
	branch, worktree := "", ""
	if t.Attempt != nil && !t.Status.Final() {
		branch, worktree = t.ID.Branch(), v.clone.Folder(t)
	}
	if _, err := os.Stat(worktree); err != nil {
		worktree = "" // it is on another host
	}
	whyNot := v.whyNot(t.ID)
	claimable := whyNot == ""
	if t.Status.Final() {
		whyNot = ""
	}
	return object{
		{"id", t.ID}, {"title", t.Title}, {"status", viewOf(t.Status)}, {"kind", viewOf(t.Kind)}, {"goal", t.Goal}, {"sprint", t.Sprint},
		{"done_when", t.DoneWhen}, {"spec", t.Spec}, {"scope", t.Scope}, {"priority", t.Priority},
		{"depends_on", viewOf(t.DependsOn)}, {"owns", viewOf(t.Owns)}, {"verify", t.Verify},
		{"created", viewOf(t.Created)}, {"changed", viewOf(t.Changed)},
		{"assigned_to", assigned}, {"lease_expires", viewOf(part(t.Claim).Lease)}, {"worktree", worktree}, {"branch", branch},
		{"base_commit", a.Base}, {"iteration", a.Iteration}, {"review_cycles", a.Cycles}, {"review_cycles_total", t.Cycles},
		{"attempts", t.Attempts}, {"failed_by", viewOf(t.Failures)}, {"intent", viewOf(t.Intent)},
		{"review_commit", sub.Commit}, {"reviewing_by", review.By}, {"review_lease_expires", viewOf(review.Lease)},
		{"approved_by", approvedBy}, {"verdict", viewOf(t.Verdict)}, {"rejection", viewOf(t.Rejection)},
		{"merge_commit", merge.Commit}, {"drift", merge.Drift},
		{"blocked_reason", block.Reason}, {"blocked_questions", viewOf(block.Questions)},
		{"integration_failure", viewOf(t.Integration)}, {"integration_fix", a.Fix}, {"handoff", viewOf(t.Handoff)},
		{"supersedes", viewOf(t.Supersedes)}, {"superseded_by", viewOf(t.SupersededBy)}, {"rescope_reason", t.Rescope},
		{"usage", viewOf(t.Usage)}, {"budget", viewOf(t.Budget)}, {"budget_left", v.left(t.ID)},
		{"claimable", claimable}, {"why_not", whyNot},
	}
}

// summarised is what [taskView.of] says of a task under the keys whose values its
// summary holds: no document is read for it.
func summarised(t flow.Summary) object {
	return object{
		{"id", t.ID}, {"title", t.Title}, {"status", viewOf(t.Status)}, {"kind", viewOf(t.Kind)}, {"goal", t.Goal}, {"sprint", t.Sprint},
		{"priority", t.Priority}, {"depends_on", viewOf(t.DependsOn)}, {"owns", viewOf(t.Owns)},
		{"created", viewOf(t.Created)}, {"changed", viewOf(t.Changed)}, {"assigned_to", t.Coder}, {"lease_expires", viewOf(t.Lease)},
		{"iteration", t.Iteration}, {"review_cycles", t.Cycles}, {"reviewing_by", t.Reviewer}, {"review_lease_expires", viewOf(t.ReviewLease)},
		{"blocked_reason", t.Reason},
	}
}

// rows are tasks with at least the keys that are wanted. Documents are read
// only where a summary does not hold them.
func (v taskView) rows(list []flow.Summary, wanted []string) []object {
	known := summarised(flow.Summary{})
	short := !slices.ContainsFunc(wanted, func(key string) bool {
		return !slices.ContainsFunc(known, func(m member) bool { return m.key == key })
	})
	var rows []object
	for _, s := range list {
		if short {
			rows = append(rows, summarised(s))
		} else if t := v.board.Task(s.ID); t != nil {
			rows = append(rows, v.of(t))
		}
	}
	return rows
}

// only is an object with these keys, in the object's order.
func (o object) only(keys []string) object {
	return slices.DeleteFunc(o, func(m member) bool { return !slices.Contains(keys, m.key) })
}

// part is a sub-document, the zero value where the task has none.
func part[T any](p *T) T {
	if p == nil {
		var none T
		return none
	}
	return *p
}

// left is what is left for the sessions of a task, null where nothing bounds
// them.
func (v taskView) left(id flow.TaskID) any {
	left, bounded := v.board.Left(id)
	if !bounded {
		return nil
	}
	return viewOf(left)
}

// whyNot is what stands against a claim by the asker, "" if nothing does.
func (v taskView) whyNot(id flow.TaskID) string {
	if r := v.board.Opens(flow.ActClaim, id, v.asker, v.at); r != nil {
		return r.Reason
	}
	return ""
}

// taskKeys are the keys of [taskView.of].
func taskKeys() []string {
	empty := taskView{board: flow.Open(flow.Documents{}, time.Time{}), asker: flow.Caller{By: "coder-1"}}
	var keys []string
	for _, m := range empty.of(&flow.Task{}) {
		keys = append(keys, m.key)
	}
	return slices.Clip(keys)
}
