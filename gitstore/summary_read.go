package gitstore

import (
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// A decoder reads what an encoder wrote; strings share the memory of the file.
type decoder struct {
	all   string
	at    int
	bad   bool
	has   uint64
	words []string
	texts []string       // room for the lists of all rows
	tasks []board.TaskID // likewise
}

func (d *decoder) plain() uint64 {
	var n uint64
	for shift := 0; shift < 64 && d.at < len(d.all); shift += 7 {
		b := d.all[d.at]
		d.at++
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return n
		}
	}
	d.bad = true
	return 0
}

func (d *decoder) signed() int64 {
	u := d.plain()
	return int64(u>>1) ^ -int64(u&1)
}

// count reads a number of things of which each takes a byte at least.
func (d *decoder) count() int {
	n := d.plain()
	if n > uint64(len(d.all)-d.at) {
		d.bad = true
		return 0
	}
	return int(n)
}

func (d *decoder) plainText() string {
	n := d.count()
	s := d.all[d.at : d.at+n]
	d.at += n
	return s
}

func (d *decoder) plainWord() string {
	n := d.plain()
	if n >= uint64(len(d.words)) {
		d.bad = true
		return ""
	}
	return d.words[n]
}

func (d *decoder) plainTime() time.Time { return time.Unix(d.signed(), 0).UTC() }

func (d *decoder) flag(f field) bool { return d.has>>f&1 != 0 }

func (d *decoder) number(f field) int64 { return given(d, f, (*decoder).signed) }

func (d *decoder) text(f field) string { return given(d, f, (*decoder).plainText) }

func (d *decoder) word(f field) string { return given(d, f, (*decoder).plainWord) }

func (d *decoder) time(f field) time.Time { return given(d, f, (*decoder).plainTime) }

func (d *decoder) list(f field) []string {
	return given(d, f, func(d *decoder) []string { return takeTexts(d, &d.texts) })
}

func (d *decoder) ids(f field) []board.TaskID {
	return given(d, f, func(d *decoder) []board.TaskID { return takeTexts(d, &d.tasks) })
}

// given reads a field that the row has; of others it is the zero value.
func given[T any](d *decoder, f field, read func(*decoder) T) (value T) {
	if d.flag(f) {
		value = read(d)
	}
	return value
}

// takeTexts reads a list into the front of the room for lists.
func takeTexts[T ~string](d *decoder, room *[]T) []T {
	n := d.count()
	if n > len(*room) {
		d.bad = true
		return nil
	}
	list := (*room)[:n:n]
	*room = (*room)[n:]
	for i := range list {
		list[i] = T(d.plainText())
	}
	return list
}

// summary reads a row.
func (d *decoder) summary(s *board.Summary) {
	d.has = d.plain()
	d.bad = d.bad || d.has>>lastField > 1
	s.ID = board.TaskID(d.text(idField))
	s.Title = d.text(titleField)
	s.Status = board.Status(d.number(statusField))
	s.Kind = board.Kind(d.number(kindField))
	s.Role = board.Role(d.word(roleField))
	s.Goal = board.GoalID(d.word(goalField))
	s.Sprint = board.SprintID(d.word(sprintField))
	s.Priority = int(d.number(priorityField))
	s.Created = d.time(createdField)
	s.Changed = d.time(changedField)
	s.Spec = d.word(specField)
	s.Verify = d.text(verifyField)
	s.DependsOn = d.ids(dependsField)
	s.Owns = d.list(ownsField)
	s.Coder = board.Actor(d.word(coderField))
	s.Lease = d.time(leaseField)
	s.Iteration = int(d.number(iterationField))
	if d.has>>rareField != 0 {
		d.rare(s)
	}
}

// rare reads the fields that most tasks do not have.
func (d *decoder) rare(s *board.Summary) {
	s.Stretch = d.flag(stretchField)
	s.BasedOn = d.list(basedField)
	s.OwnReviews = d.flag(ownReviewsField)
	s.Judges = d.judges()
	s.Cycles = int(d.number(cyclesField))
	s.Reason = d.text(reasonField)
	s.Limit = d.word(limitField)
	s.FailedAt = d.time(failedAtField)
	s.Failures = int(d.number(failuresField))
	s.FailedBy = int(d.number(failedByField))
	s.Limits = d.limits()
	s.Budgeted = d.flag(budgetedField)
	s.Asks = d.flag(asksField)
	s.AskedOf = board.Role(d.word(askedOfField))
	s.Reverted = d.flag(revertedField)
	s.Reverts = d.ids(revertsField)
	s.Successors = d.ids(successorsField)
	s.Level = int(d.number(levelField))
	s.Estimate = board.Duration(d.number(estimateField))
	s.Entered = d.time(enteredField)
	s.NotBefore = d.time(notBeforeField)
	s.Retries = int(d.number(retriesField))
	s.Labels = d.list(labelsField)
	s.Phase = board.PhaseID(d.word(phaseField))
	if d.flag(askingField) {
		for range d.count() {
			s.Asking = append(s.Asking, board.Role(d.plainWord()))
		}
	}
	s.Doubt = board.RecordID(d.text(doubtField))
}

func (d *decoder) judges() (list []board.Judge) {
	if !d.flag(judgesField) {
		return nil
	}
	list = make([]board.Judge, d.count())
	for i := range list {
		has := d.plain()
		j := &list[i]
		j.Role, j.By, j.Done = board.Role(d.plainWord()), board.Actor(d.plainWord()), has&judgeDone != 0
		if has&judgeLeased != 0 {
			j.Lease = d.plainTime()
		}
		if has&judgeWaits != 0 {
			j.NotBefore = d.plainTime()
		}
	}
	return list
}

func (d *decoder) limits() *board.Limits {
	if !d.flag(limitsField) {
		return nil
	}
	var l board.Limits
	for _, n := range []*int{&l.Iterations, &l.Cycles, &l.MergeFails, &l.NoVerdicts, &l.FailedCoders, &l.Failures} {
		*n = int(d.signed())
	}
	return &l
}
