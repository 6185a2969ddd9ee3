package flow

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// TestWorlds plays every move of a few actors on small boards, breadth first, and holds each
// board that it has not seen to what must be true whatever the rules say. Between the honest
// moves it tries forged ones, which must be refused on every board. Of each combination of
// states a few boards go on in each depth, by their sums: any of them. make worlds sets LIZA_WORLDS
// to how many do.
func TestWorlds(t *testing.T) {
	t.Parallel()
	cast := "human:ann config limits=iterations:2,mergefails:2,noverdicts:1 | human:ann register coder-1 as=c | human:ann register coder-2 as=o" +
		"| human:ann register code-reviewer-1 as=r | human:ann role writer does | human:ann register writer-1 as=w |"
	for name, begin := range map[string]string{"needs": "human:ann add a1 a2<a1", "owns": "human:ann add a1 a2 owns=src/", "apart": "human:ann add a1 a2"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := &world{t: t, most: 1, deepest: 6, seen: map[uint64]bool{}, reached: map[board.Status]int{}, refused: map[Rule]int{}}
			set := os.Getenv("LIZA_WORLDS")
			if set != "" {
				most, err := strconv.Atoi(set)
				require.NoError(t, err)
				w.most, w.deepest = most, 14
			}
			s := staged(t, cast+begin)
			first := &place{docs: s.docs, now: s.now, sums: map[board.Key]uint64{}}
			first.note(wholeOf(s.board))
			w.explore(first)
			t.Logf("%d boards, %d moves judged, merged %d times; refused: %v", len(w.seen), w.judged, w.reached[board.Merged], w.refused)
			require.NotZero(t, w.reached[board.ReadyForReview])
			for _, status := range board.Statuses() {
				require.True(t, w.reached[status] > 0 || set == "" || status == board.Draft || status == board.Superseded, "%s was never reached", status)
			}
		})
	}
}

// A world is a set of boards that moves lead to.
type world struct {
	t             *testing.T
	most, deepest int // boards of a combination of states that go on in a depth; moves in a row
	seen          map[uint64]bool
	judged        int
	reached       map[board.Status]int
	refused       map[Rule]int
}

// A place is a board in a world, with the sums of its documents.
type place struct {
	docs board.Documents
	now  time.Time
	late bool // the leases of the beginning have ended
	sums map[board.Key]uint64
	from *place
	step string
}

// note adds what documents are to the sums.
func (p *place) note(edits []board.Edit) {
	for _, e := range edits {
		h := fnv.New64a()
		fmt.Fprint(h, e.Key, dumped(e.Document))
		p.sums[e.Key] = h.Sum64()
		if e.Document == nil {
			delete(p.sums, e.Key)
		}
	}
}

// sum is the same for the same documents at the same time.
func (p *place) sum() (sum uint64) {
	for _, one := range p.sums {
		sum += one
	}
	if p.late {
		sum++
	}
	return sum
}

// path are the moves from the beginning.
func (p *place) path() string {
	if p.from == nil {
		return ""
	}
	return p.from.path() + "\n" + p.step
}

func (w *world) explore(first *place) {
	front := []*place{first}
	for depth := 0; depth < w.deepest && len(front) > 0; depth++ {
		kept := map[string][]*place{}
		for _, p := range front {
			for _, is := range w.leave(p) {
				kept[combined(is)] = append(kept[combined(is)], is)
			}
		}
		front = nil
		for _, combination := range slices.Sorted(maps.Keys(kept)) {
			list := kept[combination]
			slices.SortFunc(list, func(a, b *place) int { return cmp.Compare(a.sum(), b.sum()) })
			front = append(front, list[:min(w.most, len(list))]...)
		}
	}
}

// combined is the combination of states that a board has, and whether leases have ended.
func combined(p *place) string {
	b := board.Open(p.docs, p.now)
	text := fmt.Sprint(p.late)
	for _, s := range b.Tasks() {
		text += " " + s.Status.String()
	}
	return text
}

// leave makes every move from a place, and returns the boards that are new.
func (w *world) leave(p *place) (list []*place) {
	s := &scene{t: w.t, docs: p.docs, board: board.Open(p.docs, p.now), now: p.now}
	accepted := 0
	attempt := func(step string, forged bool) {
		m, facts := s.moveOf(strings.Fields(step))
		m.Request = "0123456789abcdef"
		if Already(s.board, m) {
			return
		}
		w.judged++
		next, err := Apply(s.board, m, facts)
		if err != nil {
			var r *Refusal
			require.ErrorAs(w.t, err, &r, "%s\n%s", p.path(), step)
			require.NotEqual(w.t, RuleInvariant, r.Rule, "%s\n%s\n%s", p.path(), step, r.Reason)
			w.refused[r.Rule]++
			return
		}
		require.False(w.t, forged, "%s\n%s was accepted", p.path(), step)
		accepted++
		is := &place{docs: p.docs.With(next.Changes()), now: p.now, late: p.late, sums: maps.Clone(p.sums), from: p, step: step}
		is.note(next.Changes())
		if w.seen[is.sum()] {
			return
		}
		w.seen[is.sum()] = true
		list = append(list, is)
		wrong := w.wrong(s.board, m, board.Open(is.docs, is.now))
		require.Empty(w.t, wrong, "%s\n%s", p.path(), step)
		again, err := Apply(s.board, m, nil)
		require.NoError(w.t, err, "%s\n%s is refused on replay", p.path(), step)
		require.Equal(w.t, dumped(next.Changes()), dumped(again.Changes()), "%s\n%s", p.path(), step)
	}
	for _, task := range s.board.Tasks() {
		w.reached[task.Status]++
		for _, who := range []string{"coder-1", "coder-2", "writer-1", "code-reviewer-1", "human:ann"} {
			for _, words := range honest(&task) {
				attempt(who+" "+words, false)
			}
			for _, words := range forged(&task) {
				attempt(who+" "+words, true)
			}
		}
	}
	if !p.late {
		list = append(list, &place{docs: p.docs, now: p.now.Add(40 * time.Minute), late: true, sums: p.sums, from: p, step: "+40m"})
	} else {
		open := slices.ContainsFunc(s.board.Tasks(), func(t board.Summary) bool { return !t.Status.Final() })
		require.True(w.t, accepted > 0 || !open, "%s\nnobody can do anything", p.path())
	}
	return list
}

// honest are the moves on a task that somebody could make in its state, with words that fit.
func honest(t *board.Summary) (list []string) {
	id := string(t.ID)
	for _, r := range rules {
		if !r.from.Has(t.Status) {
			continue
		}
		switch r.act {
		case board.ActClaim, board.ActIntent, board.ActReview, board.ActApprove, board.ActMerge, board.ActIntegrationFail, board.ActRelease, board.ActHandoff, board.ActRecheck, board.ActAbandon:
			list = append(list, r.act.String()+" "+id)
		case board.ActBlock:
			list = append(list, "block "+id, "block "+id+" saved=left")
		case board.ActUnblock:
			list = append(list, "unblock "+id, "unblock "+id+" +keep")
		case board.ActSubmit:
			list = append(list, "submit "+id+" c1-"+id, "submit "+id+" c2-"+id)
		case board.ActReject:
			list = append(list, "reject "+id, "reject "+id+" prior=PARTIAL:1 blockers=leak")
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// forged are moves on a task that say what is not so: another commit than the one that was
// submitted, another tip of integration, commits that git does not have.
func forged(t *board.Summary) (list []string) {
	id := string(t.ID)
	for _, words := range []string{
		"claim %s base=old", "claim %s saved=none git:missing", "submit %s c9 git:missing", "submit %s c9 git:tree=other", "submit %s c9 skip=1",
		"block %s saved=none git:missing", "unblock %s saved=none git:missing", "abandon %s saved=none git:missing",
		"approve %s other", "reject %s other", "merge %s submission=other", "merge %s onto=old", "merge %s git:missing", "merge %s git:parents=tip",
		"merge %s git:tree=other", "merge %s git:merged=other", "merge %s git:drift=3", "merge %s saved=none git:missing", "integration_fail %s onto=old",
	} {
		list = append(list, fmt.Sprintf(words, id))
	}
	return list
}

// wrong says what is not true of a board to which a move led, "" for nothing. It reads
// documents alone, not what the rules read of them.
func (w *world) wrong(prior *board.Board, m Move, b *board.Board) string {
	if err := Check(b); err != nil {
		return err.Error()
	}
	was, is := prior.Task(m.Task), b.Task(m.Task)
	holds := map[board.Actor]board.TaskID{}
	var working []*board.Task
	for _, s := range b.Tasks() {
		t := b.Task(s.ID)
		if old := prior.Task(t.ID); old != nil && old.Status.Final() && old.Status != t.Status {
			return fmt.Sprintf("%s left %s", t.ID, old.Status)
		}
		if t.Claim != nil && t.Status == board.Claimed {
			if other := holds[t.Claim.By]; other != "" {
				return fmt.Sprintf("%s holds %s and %s", t.Claim.By, other, t.ID)
			}
			holds[t.Claim.By] = t.ID
		}
		if slices.Contains([]board.Status{board.Claimed, board.ReadyForReview, board.Rejected, board.Approved, board.IntegrationFailed}, t.Status) && len(t.Owns) > 0 {
			working = append(working, t)
		}
	}
	if len(working) > 1 {
		return fmt.Sprintf("%s and %s are in work and own the same", working[0].ID, working[1].ID)
	}
	if was.Claim != nil && is.Claim != nil && was.Claim.By != is.Claim.By && m.At.Before(was.Claim.Lease) && was.Status == board.Claimed {
		return "the claim of " + string(was.Claim.By) + " was taken before its lease ended"
	}
	if role := m.By.Role(); m.Act == board.ActClaim && role != "" && role != board.Coder {
		return string(m.By) + " codes"
	}
	if m.Act == board.ActClaim {
		for _, id := range is.DependsOn {
			if b.Task(id).Status != board.Merged {
				return string(is.ID) + " was claimed before " + string(id) + " was merged"
			}
		}
	}
	before, after := was.Judgement(board.CodeReviewer), is.Judgement(board.CodeReviewer)
	if r := before.Review; r != nil && after.Review != nil && r.By != after.Review.By && m.At.Before(r.Lease) {
		return "the review of " + string(r.By) + " was taken before its lease ended"
	}
	if v := after.Verdict; v != nil && before.Verdict == nil && (v.Commit != was.Submission.Commit || slices.Contains(was.Coders, board.Worker{By: v.By})) {
		return "a verdict on another commit, or of one of its coders"
	}
	tip := prior.Settings().Integration.Tip
	if is.Status == board.Merged && was.Status != board.Merged {
		d := m.Detail.(*MergeMove)
		v := before.Verdict
		if was.Status != board.Approved || v == nil || v.Commit != d.Submission || d.Submission != was.Submission.Commit || d.Onto != tip {
			return "merged without a verdict on what was merged"
		}
		tip = d.Commit
	}
	if now := b.Settings().Integration.Tip; now != tip {
		return "integration moved from " + string(tip) + " to " + string(now)
	}
	return ""
}
