package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A row is one measurement beside its budget.
type row struct{ what, measured, floor, ratio, budget, verdict string }

// MarshalJSON gives the cells by the names of their columns.
func (r row) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		What     string `json:"what"`
		Measured string `json:"measured,omitempty"`
		Floor    string `json:"floor,omitempty"`
		Ratio    string `json:"ratio,omitempty"`
		Budget   string `json:"budget,omitempty"`
		Verdict  string `json:"verdict,omitempty"`
	}{r.what, r.measured, r.floor, r.ratio, r.budget, r.verdict})
}

type table []row

// add adds a row and shows it at once on standard error.
func (b *bench) add(r row) {
	b.table = append(b.table, r)
	b.progress("%s: %s %s", r.what, r.measured, r.ratio)
}

// noteRatio notes a ratio of two medians and whether it keeps to a budget, 0 for none.
func (b *bench) noteRatio(what, unit string, measured, floor spread, budget float64) {
	ratio := measured.median / floor.median
	r := row{what: what, measured: measured.in(unit), floor: floor.in(unit), ratio: fmt.Sprintf("%.2f ×", ratio)}
	if budget > 0 {
		r.budget, r.verdict = "≤ "+trim(budget)+" ×", budgetWord(ratio <= budget)
	}
	b.add(r)
}

// noteBound notes a value that has an upper bound.
func (b *bench) noteBound(what, unit string, measured spread, budget float64) {
	b.add(row{what: what, measured: measured.in(unit), budget: fmt.Sprintf("≤ %s %s", trim(budget), unit), verdict: budgetWord(measured.median <= budget)})
}

// trim is a budget without needless digits.
func trim(v float64) string { return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64) }

func budgetWord(kept bool) string {
	if kept {
		return "ok"
	}
	return "over"
}

// print writes the table as Markdown, aligned for people.
func (t table) print(w io.Writer) error {
	lines := [][]string{{"what", "measured: median (min–max)", "floor", "ratio", "budget", ""}}
	for _, r := range t {
		lines = append(lines, []string{r.what, r.measured, r.floor, r.ratio, r.budget, r.verdict})
	}
	width := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, c := range cells {
			width[i] = max(width[i], utf8.RuneCountInString(c))
		}
	}
	rule := make([]string, len(width))
	for i, n := range width {
		rule[i] = strings.Repeat("-", max(n, 3))
	}
	for i, cells := range lines {
		if i == 1 {
			fmt.Fprintln(w, "| "+strings.Join(rule, " | ")+" |")
		}
		for j, c := range cells {
			cells[j] = c + strings.Repeat(" ", max(width[j], 3)-utf8.RuneCountInString(c))
		}
		if _, err := fmt.Fprintln(w, "| "+strings.Join(cells, " | ")+" |"); err != nil {
			return err
		}
	}
	return nil
}
