package planforms

import (
	"cmp"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
)

// A phase is one of a roadmap, with the plans that it lists.
type phase struct {
	number   string // without zeros before it: 1, 2.1
	name     string
	line     int // 0 if only a folder tells of it
	goal     string
	done     bool
	needs    []string // numbers of phases
	saysNone bool     // it says that it needs none
	criteria []string
	listed   []listed
	dir      string // its folder; "" without one
}

// A listed is a plan as a roadmap lists it.
type listed struct {
	key   string // as keyOf gives it
	title string
	line  int
	done  bool
}

var (
	phaseBoxPattern   = pattern.Late(`^\s*[-*+]\s+\[([ xX])\]\s+\**Phase\s+([0-9]+(?:\.[0-9]+)*)\s*[:.–—-]?\s*(.*)$`)
	phaseTitlePattern = pattern.Late(`^Phase\s+([0-9]+(?:\.[0-9]+)*)\s*[:.–—-]?\s*(.*)$`)
	planBoxPattern    = pattern.Late(`^\s*[-*+]\s+\[([ xX])\]\s+\**(?:Plan\s+)?([0-9]+(?:\.[0-9]+)*-[0-9]+[a-z]?)(?:-PLAN(?:\.md)?)?\**\s*[:–—-]*\s*(.*)$`)
	phaseRefPattern   = pattern.Late(`(?i)phases?\s+([0-9]+(?:\.[0-9]+)*(?:\s*(?:,|and|&)\s*(?:phase\s+)?[0-9]+(?:\.[0-9]+)*)*)`)
	decimalPattern    = pattern.Late(`[0-9]+(?:\.[0-9]+)*`)
)

// readRoadmap reads the phases of a ROADMAP.md in their order.
func (r *reading) readRoadmap(file string) (list []*phase) {
	p := r.page(file)
	if p == nil {
		return nil
	}
	known := map[string]*phase{}
	of := func(number, name string, line int) *phase {
		number = plainNumber(number)
		if known[number] == nil {
			known[number] = &phase{number: number, name: strings.Trim(name, "* "), line: line}
			list = append(list, known[number])
		}
		return known[number]
	}
	r.feature = projectOf(p)
	var now *phase
	criteria := false
	for _, l := range p.lines {
		if level, title := l.heading(); level > 0 {
			now, criteria = nil, false
			if m := phaseTitlePattern().FindStringSubmatch(title); m != nil {
				now = of(m[1], m[2], l.number)
			}
			continue
		}
		if m := phaseBoxPattern().FindStringSubmatch(l.text); m != nil && !l.fenced {
			name, about, _ := strings.Cut(m[3], "**")
			now = of(m[2], name, l.number)
			now.done = now.done || m[1] != " "
			now.goal = cmp.Or(now.goal, strings.Trim(about, " -–—:"))
			now = nil
			continue
		}
		if now == nil || l.fenced {
			continue
		}
		if m := planBoxPattern().FindStringSubmatch(l.text); m != nil {
			now.listed, criteria = append(now.listed, listed{keyOf(m[2]), strings.TrimSpace(m[3]), l.number, m[1] != " "}), false
			continue
		}
		if m := itemPattern().FindStringSubmatch(l.text); criteria && m != nil {
			now.criteria = append(now.criteria, strings.TrimSpace(m[3]))
			continue
		}
		name, value := l.field()
		criteria = name == "success criteria" || criteria && name == ""
		r.phaseField(file, now, l.number, name, value)
	}
	return list
}

// phaseField takes what a line says of a phase.
func (r *reading) phaseField(file string, now *phase, number int, name, value string) {
	switch name {
	case "goal":
		now.goal = value
	case "depends on":
		for _, group := range phaseRefPattern().FindAllStringSubmatch(value, -1) {
			for _, one := range decimalPattern().FindAllString(group[1], -1) {
				now.needs = append(now.needs, plainNumber(one))
			}
		}
		if now.saysNone = len(now.needs) == 0 && strings.HasPrefix(strings.ToLower(value), "no"); !now.saysNone && len(now.needs) == 0 {
			r.leave(file, number, "Depends on", "it names no phase: "+value)
		}
	case "", "success criteria", "plans", "status":
	default:
		if value != "" {
			r.leave(file, number, name, "a phase has nothing of this kind here")
		}
	}
}

// projectOf is the name of the project, as the first heading says it.
func projectOf(p *page) string {
	title, _ := p.title()
	if _, name, ok := strings.Cut(title, ":"); ok {
		return strings.TrimSpace(name)
	}
	return title
}

// plainNumber is the number of a phase without zeros before its parts.
func plainNumber(text string) string {
	parts := strings.Split(text, ".")
	for i, one := range parts {
		parts[i] = cmp.Or(strings.TrimLeft(one, "0"), "0")
	}
	return strings.Join(parts, ".")
}

// keyOf is what all spellings of a plan's number have in common: 01-02 is 1-2.
func keyOf(text string) string {
	of, plan, _ := strings.Cut(text, "-")
	return plainNumber(of) + "-" + plainNumber(plan)
}

// padded is a number with two digits, as files spell it.
func padded(number string) string {
	if head, _, _ := strings.Cut(number, "."); len(strings.TrimRight(head, "abcdefghijklmnopqrstuvwxyz")) == 1 {
		return "0" + number
	}
	return number
}

// idOfKey is the words of the id of a plan.
func idOfKey(key string) string {
	of, plan, _ := strings.Cut(key, "-")
	return "plan-" + padded(of) + "-" + padded(plan)
}
