package gitstore

import (
	"encoding/binary"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// A field is a bit of the number before a row that says what the row has: what is zero or
// empty takes no room.
type field uint

// The fields of a row, in their order. Rows without those from rareField on are read
// faster.
const (
	idField field = iota
	titleField
	statusField
	kindField
	roleField
	goalField
	sprintField
	priorityField
	createdField
	changedField
	specField
	verifyField
	dependsField
	ownsField
	coderField
	leaseField
	iterationField
	rareField
)

const (
	stretchField = iota + rareField
	basedField
	ownReviewsField
	judgesField
	cyclesField
	reasonField
	limitField
	failedAtField
	failuresField
	failedByField
	limitsField
	budgetedField
	asksField
	askedOfField
	revertedField
	revertsField
	successorsField
	levelField
	estimateField
	enteredField
	notBeforeField
	retriesField
	labelsField
	phaseField
	askingField
	doubtField

	lastField = doubtField
)

// An encoder writes rows. Texts that many rows have are written once, as words.
type encoder struct {
	buf   []byte
	row   []byte // the fields of the row that is being written
	has   uint64
	words []string
	known map[string]int // the places of words
	texts int            // in lists of all rows
	tasks int            // ids in lists of all rows
}

func (e *encoder) plain(n int) { e.row = binary.AppendUvarint(e.row, uint64(n)) }

func (e *encoder) plainText(s string) {
	e.plain(len(s))
	e.row = append(e.row, s...)
}

func (e *encoder) plainWord(s string) {
	at, ok := e.known[s]
	if !ok {
		at = len(e.words)
		e.known[s] = at
		e.words = append(e.words, s)
	}
	e.plain(at)
}

func (e *encoder) plainTime(t time.Time) { e.row = binary.AppendVarint(e.row, t.Unix()) }

func (e *encoder) flag(f field, set bool) bool {
	if set {
		e.has |= 1 << f
	}
	return set
}

func (e *encoder) number(f field, n int64) {
	if e.flag(f, n != 0) {
		e.row = binary.AppendVarint(e.row, n)
	}
}

func (e *encoder) text(f field, s string) {
	if e.flag(f, s != "") {
		e.plainText(s)
	}
}

func (e *encoder) word(f field, s string) {
	if e.flag(f, s != "") {
		e.plainWord(s)
	}
}

func (e *encoder) time(f field, t time.Time) {
	if e.flag(f, !t.IsZero()) {
		e.plainTime(t)
	}
}

func (e *encoder) list(f field, list []string) { putTexts(e, f, &e.texts, list) }

func (e *encoder) ids(f field, list []board.TaskID) { putTexts(e, f, &e.tasks, list) }

// putTexts writes a list, and adds its length to that of the lists of its kind.
func putTexts[T ~string](e *encoder, f field, all *int, list []T) {
	if e.flag(f, len(list) > 0) {
		*all += len(list)
		e.plain(len(list))
		for _, s := range list {
			e.plainText(string(s))
		}
	}
}

// summary writes a row.
func (e *encoder) summary(s *board.Summary) {
	e.has, e.row = 0, e.row[:0]
	e.text(idField, string(s.ID))
	e.text(titleField, s.Title)
	e.number(statusField, int64(s.Status))
	e.number(kindField, int64(s.Kind))
	e.word(roleField, string(s.Role))
	e.word(goalField, string(s.Goal))
	e.word(sprintField, string(s.Sprint))
	e.number(priorityField, int64(s.Priority))
	e.time(createdField, s.Created)
	e.time(changedField, s.Changed)
	e.word(specField, s.Spec)
	e.text(verifyField, s.Verify)
	e.ids(dependsField, s.DependsOn)
	e.list(ownsField, s.Owns)
	e.word(coderField, string(s.Coder))
	e.time(leaseField, s.Lease)
	e.number(iterationField, int64(s.Iteration))
	e.rare(s)
	e.buf = binary.AppendUvarint(e.buf, e.has)
	e.buf = append(e.buf, e.row...)
}

// rare writes the fields that most tasks do not have.
func (e *encoder) rare(s *board.Summary) {
	e.flag(stretchField, s.Stretch)
	e.list(basedField, s.BasedOn)
	e.flag(ownReviewsField, s.OwnReviews)
	e.judges(s.Judges)
	e.number(cyclesField, int64(s.Cycles))
	e.text(reasonField, s.Reason)
	e.word(limitField, s.Limit)
	e.time(failedAtField, s.FailedAt)
	e.number(failuresField, int64(s.Failures))
	e.number(failedByField, int64(s.FailedBy))
	e.limits(s.Limits)
	e.flag(budgetedField, s.Budgeted)
	e.flag(asksField, s.Asks)
	e.word(askedOfField, string(s.AskedOf))
	e.flag(revertedField, s.Reverted)
	e.ids(revertsField, s.Reverts)
	e.ids(successorsField, s.Successors)
	e.number(levelField, int64(s.Level))
	e.number(estimateField, int64(s.Estimate))
	e.time(enteredField, s.Entered)
	e.time(notBeforeField, s.NotBefore)
	e.number(retriesField, int64(s.Retries))
	e.list(labelsField, s.Labels)
	e.word(phaseField, string(s.Phase))
	if e.flag(askingField, len(s.Asking) > 0) {
		e.plain(len(s.Asking))
		for _, r := range s.Asking {
			e.plainWord(string(r))
		}
	}
	e.text(doubtField, string(s.Doubt))
}

// The parts of a judge, as a number before it says which it has.
const (
	judgeLeased = 1 << iota
	judgeWaits
	judgeDone
)

func (e *encoder) judges(list []board.Judge) {
	if !e.flag(judgesField, len(list) > 0) {
		return
	}
	e.plain(len(list))
	for _, j := range list {
		has := 0
		for i, set := range [...]bool{!j.Lease.IsZero(), !j.NotBefore.IsZero(), j.Done} {
			if set {
				has |= 1 << i
			}
		}
		e.plain(has)
		e.plainWord(string(j.Role))
		e.plainWord(string(j.By))
		if has&judgeLeased != 0 {
			e.plainTime(j.Lease)
		}
		if has&judgeWaits != 0 {
			e.plainTime(j.NotBefore)
		}
	}
}

func (e *encoder) limits(l *board.Limits) {
	if e.flag(limitsField, l != nil) {
		for _, n := range []int{l.Iterations, l.Cycles, l.MergeFails, l.NoVerdicts, l.FailedCoders, l.Failures} {
			e.row = binary.AppendVarint(e.row, int64(n))
		}
	}
}
