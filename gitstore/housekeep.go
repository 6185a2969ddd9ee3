package gitstore

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// packEvery is after how many moves of this clone their objects are packed, so
// that the user's own `git gc --auto` never has to: measured, 20,000 unpacked
// claims were 807 MB and a gc of ten seconds.
const packEvery = 1000

// A chore is a pack that is due: the moves after from, up to to.
type chore struct{ from, to ID }

// due counts the moves of this clone and says whether to pack. It runs while
// the queue is held; the chore itself is done without it, so that nobody waits
// half a second for it.
func (s *Store) due(tip ID, moves int) *chore {
	from, n := s.unpacked()
	if n += moves; n < packEvery {
		s.countUnpacked(from, n)
		return nil
	}
	s.countUnpacked(from, 0)
	return &chore{from, tip}
}

// housekeep packs. That it cannot costs space, never a move: it is tried again
// a thousand moves later.
func (s *Store) housekeep(ctx context.Context, c *chore) (packed bool) {
	if c == nil {
		return false
	}
	to := c.to
	if packed = s.Repo.Pack(ctx, c.from, c.to) == nil; !packed {
		to = "" // where it began may be what was wrong
	}
	_, n := s.unpacked()
	s.countUnpacked(to, n)
	return packed
}

// unpacked is the tip at the last pack, "" if there was none, and how many
// moves came since.
func (s *Store) unpacked() (since ID, n int) {
	data, _ := os.ReadFile(s.unpackedFile())
	text, count, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if since = ID(text); s.Repo.checkID(since) != nil {
		since = ""
	}
	n, _ = strconv.Atoi(count)
	return since, n
}

func (s *Store) countUnpacked(since ID, n int) {
	text := string(since)
	if text == "" {
		text = "root"
	}
	_ = os.WriteFile(s.unpackedFile(), []byte(text+" "+strconv.Itoa(n)+"\n"), 0o666)
}

func (s *Store) unpackedFile() string { return filepath.Join(s.Repo.CommonDir(), "liza", "unpacked") }
