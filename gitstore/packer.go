package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Packer packs the objects of moves.
type Packer struct {
	repo *git.Repo
}

// packEvery is after how many moves of this clone their objects are packed, so
// that `git gc --auto` never has to pack them. Measured: 20,000 unpacked claims
// took 807 MB and a gc of ten seconds.
const packEvery = 1000

// A packJob is a pack to make: of the moves after from, up to to.
type packJob struct{ from, to git.ID }

// countMoves counts the moves of this clone and returns a job when a pack is
// due. The caller holds the queue; the pack is made without it, so that no move
// waits half a second.
func (p *Packer) countMoves(tip git.ID, moves int) *packJob {
	from, n := p.readUnpacked()
	if n += moves; n < packEvery {
		p.writeUnpacked(from, n)
		return nil
	}
	p.writeUnpacked(from, 0)
	return &packJob{from, tip}
}

// startJob makes a pack, if c is not nil. It starts a background process if it
// can, so that the command does not wait. A failed pack costs space, never a
// move: it is tried again a thousand moves later.
func (p *Packer) startJob(ctx context.Context, c *packJob) {
	if c == nil {
		return
	}
	if p.repo.Background != nil && p.repo.Background("housekeep", orRoot(c.from), string(c.to)) == nil {
		return
	}
	_ = p.Housekeep(ctx, orRoot(c.from), string(c.to))
}

// Housekeep packs the objects of the moves after from, which may be "root", up
// to to. While another process of this clone packs, it does nothing.
func (p *Packer) Housekeep(ctx context.Context, from, to string) error {
	lock, err := git.OpenLock(p.repo.CommonDir(), "pack.lock")
	if err != nil {
		return fmt.Errorf("housekeeping: %w", err)
	}
	defer lock.Close()
	if git.TryLock(lock) != nil {
		return nil
	}
	if from == root {
		from = ""
	}
	packed := git.ID(to)
	if err = p.repo.Packer.Pack(ctx, git.ID(from), packed); err != nil {
		packed = "" // from may be the cause
	}
	release, queueErr := p.repo.Turns.Queue(ctx)
	if queueErr != nil {
		return errors.Join(err, queueErr)
	}
	defer release()
	_, n := p.readUnpacked() // moves made in the meantime
	p.writeUnpacked(packed, n)
	return err
}

// root stands for a history that is packed from its beginning.
const root = "root"

func orRoot(id git.ID) string {
	if id == "" {
		return root
	}
	return string(id)
}

// readUnpacked is the tip at the last pack, "" if there was none, and the
// number of moves since.
func (p *Packer) readUnpacked() (since git.ID, n int) {
	data, _ := os.ReadFile(p.unpackedFile())
	text, count, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if since = git.ID(text); p.repo.CheckID(since) != nil {
		since = ""
	}
	n, _ = strconv.Atoi(count)
	return since, n
}

func (p *Packer) writeUnpacked(since git.ID, n int) {
	_ = os.WriteFile(p.unpackedFile(), []byte(orRoot(since)+" "+strconv.Itoa(n)+"\n"), 0o666)
}

func (p *Packer) unpackedFile() string {
	return filepath.Join(p.repo.CommonDir(), layout.Private, "unpacked")
}
