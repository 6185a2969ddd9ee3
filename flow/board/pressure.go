package board

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"slices"
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
	StreakLength = 3
)

// After is the pressure after one more claim ended.
func (o Pressure) After(end End, claimed, rate int) Pressure {
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

// After is the streak after one more claim ended; nil if there is none.
func (s *Streak) After(end End) *Streak {
	switch {
	case end.OK || end.Fingerprint == "":
		return nil
	case s != nil && s.Fingerprint == end.Fingerprint:
		return &Streak{end.Fingerprint, s.Failures + 1}
	}
	return &Streak{end.Fingerprint, 1}
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
