// Package diagnosis says why a program failed, from what it printed. It finds the errors
// that compilers and runtimes report, and ranks causes by the evidence for and against
// each and by how often they were the cause in outputs of the past.
//
// It has no input and no output, and it asks nobody: without evidence it has no answer. No
// word of a text that it reads becomes part of a command, except as one quoted argument of
// a command that is only shown.
package diagnosis

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/git-liza/git-liza/flow/pattern"
	"github.com/git-liza/git-liza/flow/plaintext"
	"github.com/git-liza/git-liza/flow/shell"
)

// A Report is what a text says about a failure.
type Report struct {
	Lines      int          `json:"lines"`
	Binary     bool         `json:"binary"` // it is no text: nothing was looked for
	Errors     []Error      `json:"errors"`
	Hypotheses []Hypothesis `json:"hypotheses"` // the likeliest one first; none without evidence
}

// A Hypothesis is a cause with what speaks for and against it.
type Hypothesis struct {
	Cause   *Cause     `json:"-"`
	ID      string     `json:"cause"`
	Area    Area       `json:"area"`
	Title   string     `json:"title"`
	About   string     `json:"about"`  // what the evidence names, such as a program; "" for nothing
	Chance  float64    `json:"chance"` // from 0 to 1
	For     []Evidence `json:"for"`
	Against []Evidence `json:"against"`
	Test    string     `json:"test"` // a command to type that shows whether it is so
	Fix     string     `json:"fix"`
}

// Evidence is a line that speaks for a cause or against it.
type Evidence struct {
	Line   int     `json:"line"`
	Text   string  `json:"text"`
	Weight float64 `json:"weight"` // logarithm of odds; negative: against
	Why    string  `json:"why"`    // it weighs less than it says; "" if not
}

const (
	// maxEvidence is how many lines are shown for a cause, and against it.
	maxEvidence = 3
	// maxHypotheses is how many causes are named.
	maxHypotheses = 5
	// leastChance is what a cause needs to be named.
	leastChance = 0.05
	// doubt is what has to be outweighed beside the prior of no cause at all.
	doubt = 1.5
)

// Read returns the report of a text. It knows the built-in causes, and more.
func Read(data []byte, more ...*Cause) Report {
	known := slices.Concat(causes, more)
	text, binary := Decode(data)
	if binary {
		return Report{Binary: true, Errors: []Error{}, Hypotheses: []Hypothesis{}}
	}
	lines := split(text)
	r := Report{Errors: findErrors(lines)}
	if n := len(lines); n > 0 {
		r.Lines = lines[n-1].number
	}
	r.Hypotheses = rank(weighCauses(known, lines, r.Errors))
	return r
}

// A candidate is a cause while its evidence is weighed.
type candidate struct {
	Hypothesis
	score float64 // without the prior
}

// weighCauses returns the causes with evidence.
func weighCauses(known []*Cause, lines []line, errors []Error) []*candidate {
	told := map[int]bool{} // lines at which an error is reported
	for _, e := range errors {
		for _, at := range e.told {
			told[at] = true
		}
	}
	last := lastRun(known, lines)
	var list []*candidate
	for _, cause := range known {
		since := last
		if cause.Area == Agent {
			since = 0 // it is about the session, and not about one of its commands
		}
		if c := weighCause(cause, lines, told, since); c != nil {
			list = append(list, c)
		}
	}
	seen := map[string]*candidate{}
	for _, c := range list {
		seen[c.ID] = c
	}
	for _, c := range list {
		c.explain(seen)
	}
	return list
}

// mostLines is how many of the last lines may show which command was the last one.
const mostLines = 2000

// lastRun is the number of the last command that shows any sign, or that went well.
func lastRun(known []*Cause, lines []line) int {
	for _, l := range slices.Backward(lines[max(0, len(lines)-mostLines):]) {
		if l.counts < 1 {
			continue
		}
		if l.run == 0 || wentWell().MatchString(l.text) || hasSign(known, l) {
			return l.run
		}
	}
	return 0
}

// wentWell is the form of a line by which a program says that all went well.
var wentWell = pattern.Late(`^ok\s+\t?\S|^PASS$|^test result: ok|^OK$|^=+ \d+ passed|^Tests:\s+\d+ passed, \d+ total|BUILD SUCCESS|^All checks passed|^# fail 0$|^Success: no issues`)

// hasSign reports whether a line has any strong sign of a cause.
func hasSign(known []*Cause, l line) bool {
	for _, cause := range known {
		for _, s := range cause.signs {
			if s.weight >= plain && strings.Contains(l.small, s.has) {
				if _, found := s.find(l.text); found {
					return true
				}
			}
		}
	}
	return false
}

// weighCause weighs the lines for one cause; nil if none speaks for it.
func weighCause(cause *Cause, lines []line, told map[int]bool, last int) *candidate {
	c := &candidate{Hypothesis: Hypothesis{Cause: cause, ID: cause.ID, Area: cause.Area, Title: cause.Title, Fix: cause.Fix, Against: []Evidence{}}}
	best, rest, minus := 0.0, 0.0, 0.0
	counted := map[int]bool{}
	for _, s := range cause.signs {
		at, about, weight := s.best(lines, told, last)
		if at < 0 {
			continue
		}
		l := lines[at]
		if weight < 0 {
			minus = min(minus, weight)
			c.Against = append(c.Against, Evidence{l.number, plaintext.Line(l.text), weight, "another cause says this, too"})
			continue
		}
		if weight > best {
			if about != "" {
				c.About = about
			}
			if !counted[at] {
				rest += best
			}
			best = weight
		} else if !counted[at] {
			rest += weight
		}
		if c.About == "" && weight > 0 {
			c.About = about
		}
		if !counted[at] {
			counted[at] = true
			e := Evidence{l.number, plaintext.Line(l.text), weight, l.why}
			if weight == 0 {
				c.Against = append(c.Against, e)
			} else {
				c.For = append(c.For, e)
			}
		}
	}
	if best == 0 {
		return nil
	}
	c.score = best + min(2, rest/4) + minus
	c.About = plaintext.Line(c.About)
	c.Test = command(cause.Test, c.About)
	return c
}

// mostTried bounds, in bytes, the lines that are compared with the form of one sign, from
// the beginning of the text and again from its end: a text may be made of nothing but words
// of errors.
const mostTried = 64 << 10

// best returns the line at which a sign weighs most, -1 if no line has it, with what it is
// about and its weight there.
func (s sign) best(lines []line, told map[int]bool, last int) (at int, about string, weight float64) {
	at = -1
	compare := func(i int) {
		what, found := s.find(lines[i].text)
		if !found {
			return
		}
		if w := s.weigh(lines[i], told[i], last); at < 0 || math.Abs(w) > math.Abs(weight) {
			at, about, weight = i, what, w
		}
	}
	i, tried := 0, 0
	for ; i < len(lines) && tried < mostTried; i++ {
		if strings.Contains(lines[i].small, s.has) {
			tried += len(lines[i].text)
			compare(i)
		}
	}
	tried = 0
	for j := len(lines) - 1; j >= i && tried < mostTried; j-- {
		if strings.Contains(lines[j].small, s.has) {
			tried += len(lines[j].text)
			compare(j)
		}
	}
	return at, about, weight
}

// weigh returns what a sign weighs at a line.
func (s sign) weigh(l line, told bool, last int) float64 {
	counts := l.counts
	if counts == asNoted && (strings.Contains(s.has, "warn") || strings.Contains(s.has, "info")) {
		counts = 1 // the sign is the warning
	}
	w := float64(s.weight) * counts
	if told && w > 0 {
		w++
	}
	if l.run < last {
		w /= 2
	}
	return w
}

// explain lowers a cause that is the result of another one.
func (c *candidate) explain(seen map[string]*candidate) {
	for _, id := range c.Cause.After {
		first := seen[id]
		if first == nil || first.score < plain || slices.Contains(first.Cause.After, c.ID) && first.score < c.score {
			continue
		}
		e := first.For[0]
		c.Against = append(c.Against, Evidence{e.Line, e.Text, against, "it may be the result of " + id})
		c.score += against
		return
	}
}

// rank orders causes by their chances, which take into account how often each was the
// cause in outputs of the past and how often there was none.
func rank(list []*candidate) []Hypothesis {
	ranked := []Hypothesis{}
	none := math.Exp(math.Log(prior("none")) + doubt)
	sum := none
	for _, c := range list {
		c.Chance = prior(c.ID) * math.Exp(c.score)
		sum += c.Chance
	}
	slices.SortStableFunc(list, func(x, y *candidate) int { return cmp.Compare(y.Chance, x.Chance) })
	if len(list) == 0 || list[0].Chance <= none {
		return ranked
	}
	for _, c := range list {
		c.Chance = math.Round(c.Chance/sum*1000) / 1000
		if c.Chance < leastChance || len(ranked) == maxHypotheses {
			break
		}
		heaviest := func(x, y Evidence) int { return cmp.Compare(math.Abs(y.Weight), math.Abs(x.Weight)) }
		slices.SortStableFunc(c.For, heaviest)
		slices.SortStableFunc(c.Against, heaviest)
		c.For = c.For[:min(len(c.For), maxEvidence)]
		c.Against = c.Against[:min(len(c.Against), maxEvidence)]
		ranked = append(ranked, c.Hypothesis)
	}
	return ranked
}

// placeholder is the word of a command that what the evidence names may stand for.
var placeholder = pattern.Late(`\{([A-Z]+)\}`)

// name is the form of what may stand in a command that is shown.
var name = pattern.Late(`^[A-Za-z0-9_@./][A-Za-z0-9_@./+:-]{0,199}$`)

// command returns a command of the knowledge base about something.
func command(row, about string) string {
	return placeholder().ReplaceAllStringFunc(row, func(word string) string {
		if name().MatchString(about) {
			return shell.Quote(about)
		}
		return word[1 : len(word)-1]
	})
}

// prior is the share of outputs of the past of which this was the cause, as if each cause
// had been one once more.
func prior(id string) float64 {
	total := 0
	for _, n := range priors {
		total += n
	}
	return float64(priors[id]+1) / float64(total+len(causes)+1)
}
