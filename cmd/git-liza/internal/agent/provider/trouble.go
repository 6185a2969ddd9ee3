package provider

import (
	"regexp"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/pattern"
)

// FindTrouble finds in the output of a program that failed what kept the provider from
// working, whatever the task; nil if nothing did. Times in the text are read relative
// to now, and clock times without a zone are local.
//
// The text must be the program's own, of a session that failed: an agent may write
// the same words about the rate limits of other programs.
func (r Row) FindTrouble(text string, now time.Time) *Trouble {
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
		about := linesAt(text, last[0])
		t := &Trouble{Kind: known.kind, Until: findExpiry(about, now.Local()), Text: excerptAround(about, text[last[0]:last[1]])}
		if message := messageAt(text, last[0]); message != "" {
			if t.Text = message; t.Until.IsZero() { // the last match may be a line of a stack
				t.Until = findExpiry(message, now.Local())
			}
		}
		t.Rate = t.Kind == Quota && rateWords().MatchString(about) && !quotaWords().MatchString(about)
		return t
	}
	return nil
}

// The words of a rate limit, and the words of a quota that is used up. For every 429
// codex prints only the first, and no time.
var (
	rateWords  = pattern.Late(`(?i)\b429\b|too many requests|rate.?limit`)
	quotaWords = pattern.Late(`(?i)quota|usage.?limit|credit|billing|balance|allowance|capacity|exceed your account|(?:hour|day|daily|week|weekly|month|session) limit`)
)

// maxDistance is how many bytes there may be between a message and the words of the
// trouble, such as a code.
const maxDistance = 2000

var messageField = pattern.Late(`\\*"message\\*"\s*:\s*\\*"((?:[^"\\]|\\[^"])+)\\*"`)

// messageAt is the message in the error in JSON around an offset of a text, at which
// the words of the trouble are; "" if there is no such error.
func messageAt(text string, at int) string {
	var found string
	for _, m := range messageField().FindAllStringSubmatchIndex(text, -1) {
		if m[0]-at > maxDistance || m[0] > at && found != "" {
			break
		}
		if at-m[1] < maxDistance {
			found = text[m[2]:m[3]]
		}
	}
	if found = board.Clean(found); len(found) > maxExcerpt {
		found = strings.ToValidUTF8(found[:maxExcerpt], "") + "…"
	}
	return found
}

// linesAt is the line at an offset and the next two lines, since a sentence may be
// wrapped for a terminal.
func linesAt(text string, at int) string {
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

// maxExcerpt is how many bytes of a program's output are repeated.
const maxExcerpt = 240

// excerptAround is the first line of about, or the part of it around words.
func excerptAround(about, words string) string {
	line, _, _ := strings.Cut(about, "\n")
	if i := strings.Index(line, words); i > maxExcerpt/2 {
		line = "…" + strings.ToValidUTF8(line[i-maxExcerpt/4:], "")
	}
	if line = board.Clean(line); len(line) > maxExcerpt {
		line = strings.ToValidUTF8(line[:maxExcerpt], "") + "…"
	}
	return line
}
