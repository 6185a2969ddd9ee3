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

// housekeep counts the moves of this clone and packs what is due; it reports
// whether it did. It runs while the queue is held; that it cannot work costs
// space, never a move, and is tried again a thousand moves later.
func (s *Store) housekeep(ctx context.Context, tip ID) (packed bool) {
	path := filepath.Join(s.Repo.CommonDir(), "liza", "unpacked")
	data, _ := os.ReadFile(path)
	since, count, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	n, _ := strconv.Atoi(count)
	if n++; n >= packEvery {
		from := ID(since)
		if s.Repo.checkID(from) != nil {
			from = ""
		}
		packed = s.Repo.Pack(ctx, from, tip) == nil
		if since, n = "", 0; packed {
			since = string(tip)
		}
	}
	if since == "" {
		since = "root"
	}
	_ = os.WriteFile(path, []byte(since+" "+strconv.Itoa(n)+"\n"), 0o666)
	return packed
}
