package provider

import (
	"regexp"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// Trouble says what kept the provider, and not the task, from working, by what
// the program said when it failed; nil if nothing did. What it says of the time
// when that is over is read against now; clock times without a zone are local.
//
// The text must be the program's own, of a session that failed: an agent's
// words about somebody's rate limits look the same.
func (r Row) Trouble(text string, now time.Time) *Trouble {
	for _, known := range []struct {
		kind    TroubleKind
		pattern string
	}{{Quota, r.Quota}, {Login, r.Login}, {Outage, r.Outage}} {
		if known.pattern == "" {
			continue
		}
		found := regexp.MustCompile(known.pattern).FindAllStringIndex(text, -1)
		if len(found) == 0 {
			continue
		}
		last := found[len(found)-1]
		about := passage(text, last[0])
		t := &Trouble{Kind: known.kind, Until: expiry(about, now.Local()), Text: said(about, text[last[0]:last[1]])}
		if message := messageAt(text, last[0]); message != "" {
			t.Text = message
		}
		t.Rate = t.Kind == Quota && rateWords.MatchString(about) && !quotaWords.MatchString(about)
		return t
	}
	return nil
}

// What says that too much was asked at once, and what says that an amount is used up:
// codex tells of every 429 the first alone, and not for how long.
var (
	rateWords  = regexp.MustCompile(`(?i)\b429\b|too many requests|rate.?limit`)
	quotaWords = regexp.MustCompile(`(?i)quota|usage.?limit|credit|billing|balance|allowance|capacity|exceed your account|(?:hour|day|daily|week|weekly|month|session) limit`)
)

// maxNear is how many bytes there may be between a message and the words that tell,
// such as a code.
const maxNear = 2000

var messageField = regexp.MustCompile(`\\*"message\\*"\s*:\s*\\*"((?:[^"\\]|\\[^"])+)\\*"`)

// messageAt is what an error in JSON says for people, of which a text has the
// words that tell at an offset; "" if they stand in none.
func messageAt(text string, at int) string {
	var found string
	for _, m := range messageField.FindAllStringSubmatchIndex(text, -1) {
		if m[0]-at > maxNear || m[0] > at && found != "" {
			break
		}
		if at-m[1] < maxNear {
			found = text[m[2]:m[3]]
		}
	}
	if found = flow.Clean(found); len(found) > maxSaid {
		found = strings.ToValidUTF8(found[:maxSaid], "") + "…"
	}
	return found
}

// passage is the line at an offset and the two after it, over which people's
// terminals break a sentence.
func passage(text string, at int) string {
	begin := strings.LastIndexByte(text[:at], '\n') + 1
	end := at
	for range 3 {
		i := strings.IndexByte(text[end:], '\n')
		if i < 0 {
			return text[begin:]
		}
		end += i + 1
	}
	return text[begin:end]
}

// maxSaid is how much of what a program said is repeated, in bytes.
const maxSaid = 240

// said is the first line of a passage, or its part around the words that tell.
func said(about, words string) string {
	line, _, _ := strings.Cut(about, "\n")
	if i := strings.Index(line, words); i > maxSaid/2 {
		line = "…" + strings.ToValidUTF8(line[i-maxSaid/4:], "")
	}
	if line = flow.Clean(line); len(line) > maxSaid {
		line = strings.ToValidUTF8(line[:maxSaid], "") + "…"
	}
	return line
}
