package view

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/view/metrics"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/lists"
	"github.com/git-liza/git-liza/flow/plaintext"
)

// Metrics is a report of the metrics as it is shown.
type Metrics struct {
	*metrics.Report
	By metrics.By // of its rows, "" if it has none
}

// Value returns the metrics for JSON. Spans are in seconds; a number that nobody knows is
// null.
func (m *Metrics) Value() Object {
	r := m.Report
	budgets := append([]Object{}, lists.Of(r.Budgets, func(b metrics.Spending) Object {
		return Object{{"of", b.Of}, {"limit", ValueOf(b.Limit)}, {"spent", ValueOf(b.Spent)}}
	})...)
	burndown := append([]Object{}, lists.Of(r.Burndown, func(d metrics.SprintDay) Object {
		return Object{{"sprint", d.Sprint}, {"day", d.Day.Format(time.DateOnly)}, {"planned", d.Planned}, {"open", d.Open}}
	})...)
	days := append([]Object{}, lists.Of(r.Days, func(d metrics.Day) Object {
		return Object{{"day", d.Day.Format(time.DateOnly)}, {"states", statesValue(d.Counts, func(n int) any { return n })}}
	})...)
	var by any
	rows := []Object{}
	if m.By != "" {
		by = m.By
		rows = append(rows, lists.Of(r.Rows, func(row metrics.Row) Object { return m.rowValue(&row) })...)
	}
	return Object{
		{"tasks", Object{{"merged", r.Tasks.Merged}, {"open", r.Tasks.Open}, {"blocked", blockedTasks(r)}, {"reverted", r.Tasks.Reverted},
			{"states", statesValue(r.Tasks.States, func(n int) any { return n })}}},
		{"iterations", r.Iterations}, {"review_cycles", r.ReviewCycles},
		{"verdicts", Object{{"approvals", r.Verdicts.Approvals}, {"rejections", r.Verdicts.Rejections}}},
		{"approval_rate", shareValue(r.Verdicts.PerVerdict)}, {"approval_rate_per_task", shareValue(r.Verdicts.PerTask)},
		{"rework_share", shareValue(r.Rework)}, {"merge_failures", r.Failures},
		{"lead_time", spreadValue(r.LeadTime)}, {"working_time", spreadValue(r.Working)}, {"waiting_time", spreadValue(r.Waiting)},
		{"states", statesValue(r.States, spreadValue)}, {"roles", rolesValue(r.Roles)}, {"drift", spreadValue(r.Drift)},
		{"usage", Spent{r.Usage, r.Uncounted}.value()},
		{"budgets", budgets}, {"burndown", burndown}, {"days", days}, {"by", by}, {"rows", rows},
	}
}

func blockedTasks(r *metrics.Report) (n int) {
	for status, count := range r.Tasks.States {
		if status.IsBlocked() {
			n += count
		}
	}
	return n
}

// statesValue is an object with the states that have a value, in the order of a task's
// life.
func statesValue[T any](of map[board.Status]T, value func(T) any) Object {
	o := Object{}
	for _, status := range board.Statuses() {
		if v, ok := of[status]; ok {
			o = o.With(status.String(), value(v))
		}
	}
	return o
}

func rolesValue(of map[board.Role]metrics.Spread) Object {
	o := Object{}
	for _, role := range slices.Sorted(maps.Keys(of)) {
		o = o.With(string(role), spreadValue(of[role]))
	}
	return o
}

func spreadValue(s metrics.Spread) any {
	if s.Count == 0 {
		return Object{{"median", nil}, {"p95", nil}, {"count", 0}}
	}
	return Object{{"median", s.Median}, {"p95", s.P95}, {"count", s.Count}}
}

// shareValue is a share with at most four decimals.
func shareValue(s metrics.Share) any {
	v, ok := s.Of()
	if !ok {
		return nil
	}
	return math.Round(v*10000) / 10000
}

func (m *Metrics) rowValue(row *metrics.Row) Object {
	o := Object{{string(m.By), row.Name}, {"percent", Percent(row.Usage, m.Usage)}}
	o = append(o, Spent{row.Usage, row.Uncounted}.value()...)
	if m.By.HasWork() {
		o = append(o, Object{{"merged", row.Merged}, {"iterations", row.Iterations}, {"rejected", row.Rejected}, {"approvals", row.Approvals}, {"rejections", row.Rejections}}...)
	}
	return o
}

// Sessions returns the rows with sessions alone, as usage shows them.
func (m *Metrics) Sessions() *Usage {
	u := &Usage{By: string(m.By), total: Spent{m.Report.Usage, m.Uncounted}, shares: map[string]Spent{}}
	for _, row := range m.Rows {
		if row.Usage.Sessions > 0 {
			u.shares[row.Name] = Spent{row.Usage, row.Uncounted}
		}
	}
	return u
}

// Text formats the metrics for people. Of the burndown it has the last days.
func (m *Metrics) Text(width int) string {
	if m.By != "" {
		return m.rowsText(width)
	}
	r := m.Report
	var head Table
	tasks := fmt.Sprintf("%d merged, %d open, %d blocked", r.Tasks.Merged, r.Tasks.Open, blockedTasks(r))
	if r.Tasks.Reverted > 0 {
		tasks += fmt.Sprintf(", %d reverted", r.Tasks.Reverted)
	}
	head.Add("tasks", tasks)
	head.Add("lead time", spreadText(r.LeadTime, "merged task"))
	head.Add("worked on", spreadText(r.Working, ""))
	head.Add("waiting", spreadText(r.Waiting, ""))
	head.Add("iterations", iterationsText(r))
	head.Add("verdicts", verdictsText(r))
	merges := failedMerges(r.Failures)
	if r.Drift.Count > 0 {
		merges += fmt.Sprintf("; drift median %d, 95%% up to %d", r.Drift.Median, r.Drift.P95)
	}
	head.Add("merges", merges)
	if r.Usage.Sessions > 0 {
		head.Add("used", Spent{r.Usage, r.Uncounted}.Words())
	}
	for _, b := range r.Budgets {
		head.Add("budget", b.Of+": "+budgetText(b))
	}
	head.Wrap(width)
	return head.Text(width) + section("time in each state", stateRows(r), width) + section("time of each role", roleRows(r), width) +
		section("burndown", lists.Of(r.Burndown[max(0, len(r.Burndown)-glanceDays):], func(d metrics.SprintDay) []string {
			return []string{string(d.Sprint), d.Day.Format(time.DateOnly), fmt.Sprintf("%d of %d planned open", d.Open, d.Planned)}
		}), width)
}

func iterationsText(r *metrics.Report) string {
	if r.Iterations == 0 {
		return "none; " + Count(r.ReviewCycles, "review cycle")
	}
	return fmt.Sprintf("%d, %s rework; %s", r.Iterations, shareText(r.Rework), Count(r.ReviewCycles, "review cycle"))
}

func verdictsText(r *metrics.Report) string {
	var parts []string
	if v := r.Verdicts.PerVerdict; v.Whole > 0 {
		parts = append(parts, fmt.Sprintf("%s of %d approve", shareText(v), v.Whole))
	}
	if v := r.Verdicts.PerTask; v.Whole > 0 {
		parts = append(parts, shareText(v)+" of merged tasks were never rejected")
	}
	return cmp.Or(strings.Join(parts, "; "), "none")
}

func stateRows(r *metrics.Report) (rows [][]string) {
	for _, status := range board.Statuses() {
		if s := r.States[status]; s.Count > 0 {
			rows = append(rows, []string{status.String(), spreadText(s, "time")})
		}
	}
	return rows
}

func roleRows(r *metrics.Report) [][]string {
	return lists.Of(slices.Sorted(maps.Keys(r.Roles)), func(role board.Role) []string { return []string{string(role), spreadText(r.Roles[role], "time")} })
}

// glanceDays is how many days of the burndown people are shown.
const glanceDays = 10

// spreadText describes spans; of what they are is said if noun is not "".
func spreadText(s metrics.Spread, noun string) string {
	if s.Count == 0 {
		return "-"
	}
	text := fmt.Sprintf("median %s, 95%% up to %s", seconds(s.Median), seconds(s.P95))
	if noun != "" {
		text += ", of " + Count(s.Count, noun)
	}
	return text
}

// seconds formats a span like [Span], to the minute below two days: figures are compared.
func seconds(n int64) string {
	d := time.Duration(min(n, 1<<32)) * time.Second
	if d >= time.Hour && d < 48*time.Hour {
		return board.Duration(d.Truncate(time.Minute)).String()
	}
	return Span(d)
}

func shareText(s metrics.Share) string {
	v, ok := s.Of()
	if !ok {
		return "-"
	}
	return strconv.Itoa(int(math.Round(100*v))) + "%"
}

func budgetText(b metrics.Spending) string {
	var parts []string
	if b.Limit.Tokens > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d tokens", b.Spent.Tokens, b.Limit.Tokens))
	}
	if b.Limit.Cost > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s dollars", b.Spent.Cost, b.Limit.Cost))
	}
	if b.IsOver() {
		return strings.Join(parts, ", ") + "; spent"
	}
	return strings.Join(parts, ", ")
}

// rowsText formats the rows for people.
func (m *Metrics) rowsText(width int) string {
	if !m.By.HasWork() {
		return m.Sessions().Text(width)
	}
	if len(m.Rows) == 0 {
		return "nothing was claimed, judged or used"
	}
	t := Table{Rows: [][]string{{string(m.By), "merged", "claims", "rejected", "gave +/-", "sessions", "tokens", "dollars", "share", "took"}}}
	for _, row := range m.Rows {
		used := Spent{row.Usage, row.Uncounted}
		cells := []string{plaintext.Line(cmp.Or(row.Name, "-")), strconv.Itoa(row.Merged), strconv.Itoa(row.Iterations), strconv.Itoa(row.Rejected),
			fmt.Sprintf("%d/%d", row.Approvals, row.Rejections), strconv.Itoa(row.Usage.Sessions)}
		if row.Usage.Sessions > 0 {
			cells = append(cells, used.Tokens(), used.Dollars(), fmt.Sprintf("%d%%", Percent(row.Usage, m.Usage)), took(row.Usage))
		}
		t.Add(cells...)
	}
	return t.Text(width)
}

// CSV returns the rows as lines of cells, the first with their names.
func (m *Metrics) CSV() [][]string {
	lines := [][]string{{string(m.By), "percent", "sessions", "input", "cached", "output", "cost", "seconds", "tokens", "uncounted"}}
	if m.By.HasWork() {
		lines[0] = append(lines[0], "merged", "iterations", "rejected", "approvals", "rejections")
	}
	for i := range m.Rows {
		lines = append(lines, lists.Of(m.rowValue(&m.Rows[i]), func(one Member) string { return plaintext.Line(fmt.Sprint(one.Value)) }))
	}
	return lines
}

// Exposition returns the metrics as Prometheus reads them. Labels are states, ids of
// goals and sprints, and words of this program.
func (m *Metrics) Exposition() string {
	r := m.Report
	var text strings.Builder
	put := func(name, kind, help string, samples ...string) {
		fmt.Fprintf(&text, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
		for _, s := range samples {
			text.WriteString(name + s + "\n")
		}
	}
	spread := func(s metrics.Spread, label string) []string {
		if s.Count == 0 {
			return nil
		}
		return []string{fmt.Sprintf(`{%squantile="0.5"} %d`, label, s.Median), fmt.Sprintf(`{%squantile="0.95"} %d`, label, s.P95)}
	}
	var tasks, stays, tokens, dollars []string
	for _, status := range board.Statuses() {
		tasks = append(tasks, fmt.Sprintf(`{state="%s"} %d`, status, r.Tasks.States[status]))
		stays = append(stays, spread(r.States[status], fmt.Sprintf(`state="%s",`, status))...)
	}
	for _, b := range r.Budgets {
		if b.Limit.Tokens > 0 {
			tokens = append(tokens, fmt.Sprintf(`{of="%s"} %d`, b.Of, b.Limit.Tokens-b.Spent.Tokens))
		}
		if b.Limit.Cost > 0 {
			dollars = append(dollars, fmt.Sprintf(`{of="%s"} %s`, b.Of, (b.Limit.Cost-b.Spent.Cost)))
		}
	}
	put("liza_tasks", "gauge", "Tasks by state.", tasks...)
	put("liza_tasks_reverted", "gauge", "Merged tasks that were taken back.", fmt.Sprintf(" %d", r.Tasks.Reverted))
	put("liza_iterations_total", "counter", "Claims.", fmt.Sprintf(" %d", r.Iterations))
	put("liza_verdicts_total", "counter", "Verdicts.", fmt.Sprintf(`{verdict="approve"} %d`, r.Verdicts.Approvals), fmt.Sprintf(`{verdict="reject"} %d`, r.Verdicts.Rejections))
	put("liza_merge_failures_total", "counter", "Approved work that did not merge.", fmt.Sprintf(" %d", r.Failures))
	put("liza_lead_time_seconds", "gauge", "From the addition of a task to its merge.", spread(r.LeadTime, "")...)
	put("liza_working_time_seconds", "gauge", "Time in which a merged task was claimed or reviewed.", spread(r.Working, "")...)
	put("liza_state_seconds", "gauge", "Time that tasks stayed in a state.", stays...)
	put("liza_drift_commits", "gauge", "How far integration had got on at a merge.", spread(r.Drift, "")...)
	put("liza_sessions_total", "counter", "Sessions that ended.", fmt.Sprintf(" %d", r.Usage.Sessions))
	put("liza_tokens_total", "counter", "Tokens read without a cache, or written.", fmt.Sprintf(" %d", r.Usage.Tokens()))
	put("liza_cost_dollars_total", "counter", "Cost of sessions.", " "+r.Usage.Cost.String())
	put("liza_session_seconds_total", "counter", "Wall time of sessions.", fmt.Sprintf(" %d", r.Usage.Seconds))
	put("liza_budget_left_tokens", "gauge", "Tokens that a budget leaves.", tokens...)
	put("liza_budget_left_dollars", "gauge", "Dollars that a budget leaves.", dollars...)
	return text.String()
}
