package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow"
)

// maxIdent is how many bytes the line of an author or a committer has at most,
// names and addresses of people being far shorter: it is the one part of a state
// commit that its move does not give.
const maxIdent = 1 << 10

// CheckIdent holds the line of an author or a committer, without the word and
// the line feed, against what fsck_ident of git's fsck.c asks for, and takes no
// control characters and no line of more than a kibibyte.
func CheckIdent(line string) error {
	if len(line) > maxIdent {
		return fmt.Errorf("it has %d bytes, at most %d are allowed", len(line), maxIdent)
	}
	if i := strings.IndexFunc(line, unicode.IsControl); i >= 0 {
		r, _ := utf8.DecodeRuneInString(line[i:])
		return fmt.Errorf("it holds the control character %U", r)
	}
	name, rest, ok := strings.Cut(line, "<")
	email, date, closed := strings.Cut(rest, ">")
	switch {
	case !ok || strings.Contains(name, ">"):
		return errors.New("it holds no address")
	case name == "":
		return errors.New("there is no name before the address")
	case !strings.HasSuffix(name, " "):
		return errors.New("there is no blank before the address")
	case !closed || strings.Contains(email, "<"):
		return errors.New("its address is not closed")
	}
	return checkDate(date)
}

// identLine is the line of a committer or author with the time now. It refuses a name
// and an address that are too long.
func identLine(name, email string, now time.Time) (string, error) {
	line := fmt.Sprintf("%s <%s> %d +0000", name, email, now.Unix())
	if err := CheckIdent(line); err != nil {
		return "", &flow.Refusal{Rule: flow.RuleText, Hint: "git config user.name NAME && git config user.email ADDRESS",
			Reason: "nobody can commit as user.name and user.email say: " + err.Error()}
	}
	return line, nil
}

// checkDate reads " 1768658760 +0100", the end of an author's line.
func checkDate(date string) error {
	date, ok := strings.CutPrefix(date, " ")
	if !ok {
		return errors.New("there is no blank before the date")
	}
	seconds, zone, ok := strings.Cut(date, " ")
	n, err := strconv.ParseUint(seconds, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) || err == nil && n > math.MaxInt64:
		return errors.New("its date overflows")
	case !ok || err != nil:
		return errors.New("its date is no number of seconds")
	case len(seconds) > 1 && seconds[0] == '0':
		return errors.New("its date begins with a zero")
	case len(zone) != 5 || zone[0] != '+' && zone[0] != '-' || strings.Trim(zone[1:], "0123456789") != "":
		return errors.New("its time zone is none")
	}
	return nil
}

// checkCommit holds a commit against what fsck_commit of git's fsck.c asks for,
// where clones that check what they get refuse it (transfer.fsckObjects, which
// takes warnings for errors too).
func checkCommit(raw []byte, hashLen int) error {
	if bytes.IndexByte(raw, 0) >= 0 {
		return errors.New("it holds a NUL")
	}
	header, _, ended := strings.Cut(string(raw), "\n\n")
	if !ended && !strings.HasSuffix(header, "\n") {
		return errors.New("its header does not end")
	}
	lines := strings.Split(strings.TrimSuffix(header, "\n"), "\n")
	next := func(key string) (string, bool) {
		if len(lines) == 0 {
			return "", false
		}
		value, ok := strings.CutPrefix(lines[0], key+" ")
		if ok {
			lines = lines[1:]
		}
		return value, ok
	}
	if tree, ok := next("tree"); !ok || !isID(tree, hashLen) {
		return errors.New("it names no tree")
	}
	for parent, ok := next("parent"); ok; parent, ok = next("parent") {
		if !isID(parent, hashLen) {
			return errors.New("it names no parent where it says so")
		}
	}
	for _, key := range []string{"author", "committer"} {
		line, ok := next(key)
		if !ok {
			return fmt.Errorf("it has no %s", key)
		}
		if err := CheckIdent(line); err != nil {
			return fmt.Errorf("its %s: %w", key, err)
		}
		if _, twice := next(key); twice {
			return fmt.Errorf("it has two lines of the %s", key)
		}
	}
	return nil
}

func isID(text string, hashLen int) bool {
	return len(text) == hashLen && strings.Trim(text, "0123456789abcdef") == ""
}
