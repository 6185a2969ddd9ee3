package provider

import (
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/pattern"
)

// findExpiry is the latest time after now at which a limit ends as a text says; zero
// if it names none.
func findExpiry(text string, now time.Time) time.Time {
	var latest time.Time
	for _, read := range []func(string, time.Time) []time.Time{readSpans, readStamps, readClocks} {
		for _, t := range read(text, now) {
			if t.After(now) && t.After(latest) {
				latest = t
			}
		}
	}
	return latest
}

var (
	// in 5 days 22 hours, after 8h44m7s, retry-after: 3600, "retryDelay":"34s"
	spanLead = pattern.Late(`(?i)(?:\bin|\bafter|\bwait|retry-after|retryDelay|resets_in_seconds)["':=\s]+`)
	spanPart = pattern.Late(`(?i)^[\s,]*(?:and\s+)?(\d+(?:\.\d+)?)\s*([a-z]*)`)

	// limit reached|1766502000, "resets_at":1777936568
	epochs = pattern.Late(`(?i)(?:limit reached\||resets?_?at["':=\s]+)(\d{10})(?:\d{3})?\b`)
	iso    = pattern.Late(`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)`)

	// resets 12:50am (America/Los_Angeles), try again at Nov 25th, 2026 5:32 PM
	clockTime = pattern.Late(`(?i)\b(?:resets?|reset at|resets at|at|until|on)\s+` +
		`(?:([a-z]{3})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?(?:at\s+)?)?` +
		`(\d{1,2})(?::(\d\d))?\s*([ap]\.?m\b\.?)?(?:\s*\(?([a-z]+/[a-z_/]+|UTC|GMT)\)?)?`)
)

var units = map[string]time.Duration{
	"ms": time.Millisecond, "millisecond": time.Millisecond,
	"": time.Second, "s": time.Second, "sec": time.Second, "second": time.Second,
	"m": time.Minute, "min": time.Minute, "minute": time.Minute,
	"h": time.Hour, "hr": time.Hour, "hour": time.Hour,
	"d": 24 * time.Hour, "day": 24 * time.Hour, "w": 7 * 24 * time.Hour, "week": 7 * 24 * time.Hour,
}

// readSpans lists the times that a text names by the duration until then.
func readSpans(text string, now time.Time) []time.Time {
	var list []time.Time
	for _, at := range spanLead().FindAllStringIndex(text, -1) {
		if d := sumSpan(text[at[1]:], strings.Contains(text[at[0]:at[1]], " ")); d > 0 {
			list = append(list, now.Add(d))
		}
	}
	return list
}

// sumSpan adds up the parts of a duration at the beginning of a text. In a spoken
// sentence a number needs its unit.
func sumSpan(text string, spoken bool) time.Duration {
	var sum time.Duration
	for sum < maxPause {
		m := spanPart().FindStringSubmatch(text)
		if m == nil {
			break
		}
		name := strings.ToLower(m[2])
		unit, known := units[name]
		if !known {
			unit, known = units[strings.TrimSuffix(name, "s")]
		}
		n, err := strconv.ParseFloat(m[1], 64)
		if err != nil || !known || n > 1e7 || name == "" && (spoken && sum == 0 || sum > 0) {
			break
		}
		sum += time.Duration(n * float64(unit))
		text = text[len(m[0]):]
	}
	return min(sum, maxPause)
}

// readStamps lists the times that a text names by date and time, or in Unix seconds.
func readStamps(text string, _ time.Time) []time.Time {
	var list []time.Time
	for _, m := range epochs().FindAllStringSubmatch(text, -1) {
		if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
			list = append(list, time.Unix(n, 0))
		}
	}
	for _, stamp := range iso().FindAllString(text, -1) {
		if t, err := time.Parse(time.RFC3339, stamp); err == nil {
			list = append(list, t)
		}
	}
	return list
}

// readClocks lists the times that a text names by the clock, with or without a day.
func readClocks(text string, now time.Time) []time.Time {
	var list []time.Time
	for _, m := range clockTime().FindAllStringSubmatch(text, -1) {
		hour, _ := strconv.Atoi(m[4])
		minute, _ := strconv.Atoi(m[5])
		switch half := strings.ToLower(m[6]); {
		case half == "" && m[5] == "", hour > 23, minute > 59, half != "" && (hour < 1 || hour > 12):
			continue // "at 5" need not be a time
		case half != "" && half[0] == 'p':
			hour = hour%12 + 12
		case half != "":
			hour %= 12
		}
		named := clockReading{m[1], m[2], m[3], hour, minute}
		if t, ok := named.nextTime(now.In(zoneNamed(m[7], now))); ok {
			list = append(list, t)
		}
	}
	return list
}

// A clockReading is a time as a text names it by the clock: on a day, or with "" on
// any; of a year, or with "" of any.
type clockReading struct {
	month, day, year string
	hour, minute     int
}

// nextTime is the time that is meant at now, in the zone of now: the next one where
// no day or no year is named. It is false if there is no such month.
func (c clockReading) nextTime(now time.Time) (time.Time, bool) {
	if c.month == "" {
		t := time.Date(now.Year(), now.Month(), now.Day(), c.hour, c.minute, 0, 0, now.Location())
		if !t.After(now) {
			t = t.AddDate(0, 0, 1)
		}
		return t, true
	}
	at, err := time.Parse("Jan", strings.ToUpper(c.month[:1])+strings.ToLower(c.month[1:]))
	if err != nil {
		return time.Time{}, false
	}
	d, _ := strconv.Atoi(c.day)
	y, err := strconv.Atoi(c.year)
	if err != nil {
		y = now.Year()
	}
	t := time.Date(y, at.Month(), d, c.hour, c.minute, 0, 0, now.Location())
	if c.year == "" && !t.After(now) {
		t = t.AddDate(1, 0, 0)
	}
	return t, true
}

// zoneNamed is the time zone with a name, or that of now if there is none.
func zoneNamed(name string, now time.Time) *time.Location {
	if strings.EqualFold(name, "GMT") {
		name = "UTC"
	}
	if loc, err := time.LoadLocation(name); err == nil && name != "" {
		return loc
	}
	return now.Location()
}
