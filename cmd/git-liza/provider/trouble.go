package provider

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// Trouble finds in what a program said of its failure that the provider, and
// not the task, is in trouble; nil if it is not.
func (r Row) Trouble(text string, now time.Time) *Trouble {
	for _, one := range []struct {
		kind    TroubleKind
		pattern string
	}{{Login, r.Login}, {Quota, r.Quota}, {Outage, r.Outage}} {
		if one.pattern == "" {
			continue
		}
		pattern, err := regexp.Compile(one.pattern)
		if err != nil {
			continue // a bad pattern is refused where it is read
		}
		if at := pattern.FindStringIndex(text); at != nil {
			line := lineAt(text, at[0])
			return &Trouble{Kind: one.kind, Until: expiry(line, now), Text: flow.Excerpt(line, 200)}
		}
	}
	return nil
}

func lineAt(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[begin:], "\n")
	return strings.TrimSpace(line)
}

// wait is how providers say how long to wait.
var wait = regexp.MustCompile(`(?i)(?:try again in|retry[- ]after:?|reset(?:s)? (?:after|in))\s*(\d+)\s*(ms|s|m|h)?`)

// expiry is when a trouble is over by the line that tells of it; zero if that
// does not say.
func expiry(line string, now time.Time) time.Time {
	m := wait.FindStringSubmatch(line)
	if m == nil {
		return time.Time{}
	}
	n, err := strconv.Atoi(m[1])
	if err != nil {
		return time.Time{}
	}
	unit := map[string]time.Duration{"ms": time.Millisecond, "": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour}[strings.ToLower(m[2])]
	return now.Add(time.Duration(n) * unit)
}
