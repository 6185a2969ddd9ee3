package board

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/git-liza/git-liza/flow/oid"
)

// An ObjectID is the full hexadecimal id of a git object, 40 digits (sha1) or
// 64 (sha256); "" names no object.
type ObjectID = oid.ID

// A TaskID names a task; it is also the name of its branch below liza/ and of
// its folder below .worktrees/, hence the narrow alphabet. Ids are unique
// ignoring case, because some file systems are.
type TaskID string

// UnmarshalText accepts [A-Za-z][A-Za-z0-9._-]{0,63} without "..", and without
// "." or ".lock" at the end, but no name of [reservedNames]. git accepts such a name as one component of a
// branch name, and no shell or option parser misreads it.
func (id *TaskID) UnmarshalText(text []byte) error { return unmarshalID(id, text) }

// A GoalID names a goal, by the rules of a [TaskID].
type GoalID string

// UnmarshalText accepts what [TaskID.UnmarshalText] accepts.
func (id *GoalID) UnmarshalText(text []byte) error { return unmarshalID(id, text) }

// A SprintID names a sprint, by the rules of a [TaskID].
type SprintID string

// UnmarshalText accepts what [TaskID.UnmarshalText] accepts.
func (id *SprintID) UnmarshalText(text []byte) error { return unmarshalID(id, text) }

// A RecordID names an anomaly, a discovery or a note: SPRINT/NUMBER.
type RecordID string

// UnmarshalText accepts a sprint id, a slash and a positive number.
func (id *RecordID) UnmarshalText(text []byte) error {
	sprint, number, ok := strings.Cut(string(text), "/")
	n, err := strconv.Atoi(number)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != number || !ValidID(sprint) {
		return fmt.Errorf("%q is not a record id (SPRINT/NUMBER)", Clip(string(text)))
	}
	*id = RecordID(text)
	return nil
}

// Number is the record's number, which no other record of the board has; 0 of what is
// no record id.
func (id RecordID) Number() int {
	_, number, _ := strings.Cut(string(id), "/")
	n, _ := strconv.Atoi(number)
	return n
}

// An AgentID names an agent: <role>-<n>, such as coder-1.
type AgentID string

// UnmarshalText accepts the name of a role, a hyphen and a positive number.
func (id *AgentID) UnmarshalText(text []byte) error {
	if AgentID(text).Role() == "" {
		return fmt.Errorf("%q is not an agent id (ROLE-NUMBER, such as coder-1)", Clip(string(text)))
	}
	*id = AgentID(text)
	return nil
}

// Role is the role that the id names, "" if it is not an agent id. Whether the
// board has the role is a question of its rules.
func (id AgentID) Role() Role {
	i := strings.LastIndexByte(string(id), '-')
	if i < 0 || len(id) > 64 {
		return ""
	}
	n, err := strconv.Atoi(string(id[i+1:]))
	if err != nil || n < 1 || strconv.Itoa(n) != string(id[i+1:]) {
		return ""
	}
	role := Role(id[:i])
	if !goodRole(string(role)) || slices.Contains(ReservedRoles, role) {
		return ""
	}
	return role
}

// An Actor is the maker of a move: an [AgentID], or human:<name>.
type Actor string

// Human is the actor of a person: the name in lower case without accents, everything else
// outside [a-z0-9._-] turned into hyphens. Where letters or digits are lost so, six digits
// of the name's SHA-256 tell it from others. A name without any gives human:unknown.
func Human(name string) Actor {
	lost := false
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		lost = lost || NotSlug(r) && (unicode.IsLetter(r) || unicode.IsNumber(r))
		return r
	}, norm.NFKD.String(strings.ToLower(name)))
	slug := strings.Trim(strings.Join(strings.FieldsFunc(plain, NotSlug), "-"), "-.")
	if lost || len(slug) > 64 {
		sum := sha256.Sum256([]byte(norm.NFC.String(name)))
		slug = cmp.Or(strings.Trim(slug[:min(len(slug), 57)], "-."), "person") + "-" + hex.EncodeToString(sum[:3])
	}
	return Actor("human:" + cmp.Or(slug, "unknown"))
}

// UnmarshalText accepts an agent id, or human: and [a-z0-9._-]{1,64}.
func (a *Actor) UnmarshalText(text []byte) error {
	if Actor(text).IsHuman() {
		*a = Actor(text)
		return nil
	}
	var id AgentID
	if err := id.UnmarshalText(text); err != nil {
		return fmt.Errorf("%q is neither an agent id (coder-1) nor a human (human:alice)", Clip(string(text)))
	}
	*a = Actor(text)
	return nil
}

// IsHuman reports whether a person acts.
func (a Actor) IsHuman() bool {
	name, ok := strings.CutPrefix(string(a), "human:")
	return ok && name != "" && len(name) <= 64 && !strings.ContainsFunc(name, NotSlug)
}

// NotSlug reports whether the name of a human cannot contain the character.
func NotSlug(r rune) bool { return !IsWordRune(r) || r >= 'A' && r <= 'Z' }

// Agent is the actor as an agent id, "" for a human.
func (a Actor) Agent() AgentID {
	if id := AgentID(a); id.Role() != "" {
		return id
	}
	return ""
}

// Role is the role of an acting agent, "" for a human.
func (a Actor) Role() Role { return AgentID(a).Role() }

// A Generation is the random number, 16 hexadecimal digits, that a supervisor
// draws when it registers an agent. Moves of the supervisor carry it; moves of
// the spawned process carry it with ".child" appended.
type Generation string

// Child is the generation as the spawned process carries it.
func (g Generation) Child() Generation { return g + childSuffix }

const childSuffix = ".child"

// Parent is the generation of the registration, also for that of a spawned process.
func (g Generation) Parent() Generation {
	return Generation(strings.TrimSuffix(string(g), childSuffix))
}

// Spawned reports whether the generation is that of a spawned process.
func (g Generation) Spawned() bool { return strings.HasSuffix(string(g), childSuffix) }

// UnmarshalText accepts 16 hexadecimal digits, with or without ".child".
func (g *Generation) UnmarshalText(text []byte) error {
	if !IsRandomID(strings.TrimSuffix(string(text), childSuffix)) {
		return fmt.Errorf("%q is not a generation (16 hexadecimal digits)", Clip(string(text)))
	}
	*g = Generation(text)
	return nil
}

// A Request is the random id, 16 hexadecimal digits, by which a repeated
// attempt recognises that its move has landed.
type Request string

// UnmarshalText accepts 16 hexadecimal digits.
func (r *Request) UnmarshalText(text []byte) error {
	if !IsRandomID(string(text)) {
		return fmt.Errorf("%q is not a request id (16 hexadecimal digits)", Clip(string(text)))
	}
	*r = Request(text)
	return nil
}

// IsWordRune accepts A-Z a-z 0-9 . _ -
// It is no regular expression, as the checks below are none: every process would compile
// them at its start, and every document would run them for each of its ids.
func IsWordRune(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-'
}

// IsHex reports whether a text has hexadecimal digits alone, in lower case.
func IsHex(s string) bool { return strings.Trim(s, "0123456789abcdef") == "" }

// IsRandomID reports whether a text is 16 such digits, as those of boards and requests.
func IsRandomID(s string) bool { return len(s) == 16 && IsHex(s) }

// ValidID reports whether a text can be an id of a board: at most 64 of the characters of
// [IsWordRune], as one component of a path and of a ref that every file system takes.
func ValidID(s string) bool {
	if s == "" || len(s) > 64 || strings.IndexByte("0123456789._-", s[0]) >= 0 {
		return false
	}
	return !strings.ContainsFunc(s, func(r rune) bool { return !IsWordRune(r) }) && !strings.Contains(s, "..") &&
		!strings.HasSuffix(strings.ToLower(s), ".lock") && !strings.HasSuffix(s, ".")
}

// reservedNames are kept free, in any case, for refs of the board itself: no task, goal,
// sprint, role or integration branch has them.
var reservedNames = []string{"board", "candidate", "queue"}

// IsReservedName reports whether nothing on a board may have a name, in whatever case.
func IsReservedName(name string) bool { return slices.Contains(reservedNames, strings.ToLower(name)) }

func unmarshalID[T ~string](id *T, text []byte) error {
	if IsReservedName(string(text)) {
		return fmt.Errorf("%q is no free id: the board itself uses the name", text)
	}
	if !ValidID(string(text)) {
		return fmt.Errorf("%q is not an id (a letter, then at most 63 of A-Z a-z 0-9 . _ -, no \"..\", not ending in \".\" or \".lock\")", Clip(string(text)))
	}
	*id = T(text)
	return nil
}

// Clip shortens hostile input for a message; it cuts between characters.
func Clip(s string) string {
	if len(s) > 80 {
		return strings.ToValidUTF8(s[:80], "") + "…"
	}
	return s
}
