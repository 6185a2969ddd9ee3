package flow

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/pattern"
)

// A Pressure says how the last claims of a goal ended that one principal's agents held,
// and how many they may hold at once.
type Pressure struct {
	Principal string `yaml:"principal"` // "" on a board without principals
	Ends      []End  `yaml:"ends"`      // the last [keptEnds], the oldest first
	Cap       int    `yaml:"cap"`       // 0 is none
}

// An End is how one claim ended.
type End struct {
	Task        TaskID `yaml:"task"`
	OK          bool   `yaml:"ok,keep"` // with a submission
	Fingerprint string `yaml:"fingerprint"`
}

// A Streak is a run of failures of a goal with the same fingerprint.
type Streak struct {
	Fingerprint string `yaml:"fingerprint"`
	Failures    int    `yaml:"failures"`
}

// A PressurePolicy says when fewer claims are allowed at once.
type PressurePolicy struct {
	Rate int `yaml:"rate,keep"` // percent of the last claims of a goal that failed; 0 is never
}

const (
	keptEnds     = 10
	leastEnds    = 5 // below them a rate says nothing
	streakLength = 3
)

// countEnd enters how a claim ended in the goal, before it does: claimed is how many the
// principal's agents hold, with this one, and text the error.
func countEnd(p *effect, end End, claimed int, text string) {
	g := p.board.Goal(p.task.Goal)
	if g == nil {
		return
	}
	edited := *g
	edited.Pressure = slices.Clone(g.Pressure)
	who := chargedAccount(p.board, p.move.Principal)
	at := slices.IndexFunc(edited.Pressure, func(o Pressure) bool { return o.Principal == who })
	if at < 0 {
		if len(edited.Pressure) >= MaxList {
			edited.Pressure = edited.Pressure[1:]
		}
		edited.Pressure = append(edited.Pressure, Pressure{Principal: who})
		at = len(edited.Pressure) - 1
	}
	edited.Pressure[at] = edited.Pressure[at].after(end, claimed, p.board.Settings().Config.Pressure.Rate)
	edited.Streak = g.Streak.after(end)
	p.put(Key{Goals, string(g.ID)}, &edited)
	if s := edited.Streak; s != nil && s.Failures == streakLength {
		p.recordAnomaly(FailureStreak, p.task.ID, map[string]string{"failures": strconv.Itoa(s.Failures), "fingerprint": s.Fingerprint, "error": Clean(clip(text))})
	}
}

// after is the pressure after one more claim ended.
func (o Pressure) after(end End, claimed, rate int) Pressure {
	o.Ends = append(slices.Clip(o.Ends), end)
	o.Ends = o.Ends[max(0, len(o.Ends)-keptEnds):]
	failed := len(lists.Where(o.Ends, func(e End) bool { return !e.OK }))
	switch {
	case rate == 0 || len(o.Ends) < leastEnds || failed*100 < rate*len(o.Ends):
		o.Cap = 0
	case !end.OK:
		o.Cap = max(1, claimed/2)
	case o.Cap > 0:
		o.Cap++
	}
	return o
}

// after is the streak after one more claim ended; nil if there is none.
func (s *Streak) after(end End) *Streak {
	switch {
	case end.OK || end.Fingerprint == "":
		return nil
	case s != nil && s.Fingerprint == end.Fingerprint:
		return &Streak{end.Fingerprint, s.Failures + 1}
	}
	return &Streak{end.Fingerprint, 1}
}

// chargedAccount is a principal that a move names, "" on a board without principals, where a
// move may name any.
func chargedAccount(b *Board, principal string) string {
	if len(b.Principals().List) == 0 {
		return ""
	}
	return principal
}

// countClaims counts the tasks of a goal that agents of a principal hold, of any on a board
// without principals.
func countClaims(b *Board, goal GoalID, principal string) (n int) {
	known := len(b.Principals().List) > 0
	eachInWork(b, func(s *Summary) {
		if s.Status != Claimed || s.Goal != goal || s.Coder.IsHuman() {
			return
		}
		if a := b.Agent(s.Coder.Agent()); !known || a != nil && a.Principal == principal {
			n++
		}
	})
	return n
}

// mostClaims is how many tasks of a goal the agents of a principal may hold at once; 0 is not
// bounded.
func mostClaims(b *Board, goal GoalID, principal string) int {
	g := b.Goal(goal)
	if g == nil {
		return 0
	}
	if o := lists.Find(g.Pressure, func(o Pressure) bool { return o.Principal == principal }); o != nil {
		return o.Cap
	}
	return 0
}

// checkPressure refuses an agent one more task of a goal of which too many fail.
func checkPressure(p *play) *Refusal {
	t := p.task
	if p.move.By.IsHuman() {
		return nil
	}
	who := chargedAccount(p.board, p.move.Principal)
	most := mostClaims(p.board, t.Goal, who)
	if most == 0 || p.from == Claimed && chargedAccount(p.board, t.Claim.Principal) == who {
		return nil
	}
	if n := countClaims(p.board, t.Goal, who); n >= most {
		return refuse(RulePressure, "git liza goal show "+string(t.Goal), "many claims of %s failed: %d of its tasks are worked on at once, and no more than %d may be", t.Goal, n, most)
	}
	return nil
}

// Fingerprint is what errors have in common that differ in numbers, paths, addresses and
// quoted words only: 16 hexadecimal digits; "" of an error without a word.
func Fingerprint(text string) string {
	same := strings.Map(lowerLatin, text)
	for _, f := range fingerprintForms {
		same = f.form().ReplaceAllString(same, f.by)
	}
	same = strings.Join(strings.FieldsFunc(same, func(r rune) bool { return r <= ' ' }), " ")
	if !strings.ContainsFunc(same, func(r rune) bool { return r >= 'a' && r <= 'z' }) {
		return ""
	}
	sum := sha256.Sum256([]byte(same))
	return hex.EncodeToString(sum[:8])
}

// lowerLatin is the small letter of a capital from A to Z. Those of other alphabets depend
// on tables that grow.
func lowerLatin(r rune) rune {
	if r >= 'A' && r <= 'Z' {
		return r + 'a' - 'A'
	}
	return r
}

// fingerprintForms are what a fingerprint leaves out. They belong to the
// format: other ones are another format.
var fingerprintForms = []struct {
	form func() *regexp.Regexp
	by   string
}{
	{pattern.Late("\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`"), " "},
	{pattern.Late(`[^\s:]*[/\\][^\s:]*`), " "},
	{pattern.Late(`\b0x[0-9a-f]+\b|\b[0-9a-f]{7,64}\b`), " "},
	{pattern.Late(`[0-9]+`), " "},
}
