package gitstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxIdent bounds the line of an author or a committer, in bytes; real names
// and addresses are far shorter. The committer is the one part of a state
// commit that the move does not determine.
const maxIdent = 1 << 10

// CheckIdent checks the line of an author or a committer, without the keyword
// and the line feed, as fsck_ident of git's fsck.c does. It also refuses
// control characters and lines of more than a kibibyte.
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

// identLine is the line of an author or committer at a time. It refuses a name
// and an address that are too long.
func identLine(name, email string, now time.Time) (string, error) {
	line := fmt.Sprintf("%s <%s> %d +0000", name, email, now.Unix())
	if err := CheckIdent(line); err != nil {
		return "", &flow.Refusal{Rule: flow.RuleText, Hint: "git config user.name NAME && git config user.email ADDRESS",
			Reason: "user.name and user.email give no valid author line: " + err.Error()}
	}
	return line, nil
}

// agentHeader has the lines of author and committer of what an agent says of itself: it is
// the author, and this clone's user brings it.
func agentHeader(ctx context.Context, r *git.Repo, by board.AgentID, at time.Time) (string, error) {
	name, email, err := r.Config.Identity(ctx)
	if err != nil {
		return "", err
	}
	committer, err := identLine(name, email, at)
	if err != nil {
		return "", err
	}
	name, email = authorOf(board.Actor(by))
	author, err := identLine(name, email, at)
	return "author " + author + "\ncommitter " + committer + "\n", err
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
		return errors.New("its date is not a number of seconds")
	case len(seconds) > 1 && seconds[0] == '0':
		return errors.New("its date begins with a zero")
	case len(zone) != 5 || zone[0] != '+' && zone[0] != '-' || strings.Trim(zone[1:], "0123456789") != "":
		return errors.New("its time zone is not of the form +HHMM")
	}
	return nil
}

// checkCommit checks a commit as fsck_commit of git's fsck.c does. Clones with
// transfer.fsckObjects refuse what it refuses, since for them warnings are
// errors too.
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
			return errors.New("it has a parent line without an id")
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
			return fmt.Errorf("it has two %s lines", key)
		}
	}
	return nil
}

func isID(text string, hashLen int) bool {
	return len(text) == hashLen && strings.Trim(text, "0123456789abcdef") == ""
}
