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
// that `git gc --auto` never has to pack them: a claim leaves objectsOfMove, and git
// begins at gc.auto, 6700. Measured: 20,000 unpacked claims took 807 MB and a gc of
// ten seconds.
const packEvery = 500

// objectsOfMove is how many objects a claim leaves: the commit, two documents, and the
// folders above them.
const objectsOfMove = 6

// lookEvery is after how many moves it is looked how many objects lie in files of their
// own: what people commit, and what agents fetch, counts for git too.
const lookEvery = 100

// A packJob is a pack to make: of the moves after from, up to to.
type packJob struct {
	from, to git.ID
	early    int // of so many moves only, if there are many objects for git; 0 for whatever there is
}

// countMoves counts the moves of this clone and returns a job when a pack is
// due. The caller holds the queue; the pack is made without it, so that no move
// waits half a second.
func (p *Packer) countMoves(tip git.ID, moves int) *packJob {
	from, before := p.readUnpacked()
	switch n := before + moves; {
	case n >= packEvery:
		p.writeUnpacked(from, 0)
		return &packJob{from: from, to: tip}
	case n/lookEvery > before/lookEvery:
		p.writeUnpacked(from, n)
		return &packJob{from, tip, n}
	default:
		p.writeUnpacked(from, n)
		return nil
	}
}

// startJob makes a pack, if c is not nil. It starts a background process if it
// can, so that the command does not wait. A failed pack costs space, never a
// move: it is tried again some hundred moves later.
func (p *Packer) startJob(ctx context.Context, c *packJob) {
	if c == nil || c.early > 0 && !p.repo.Packer.Crowded(ctx, c.early*objectsOfMove, lookEvery*objectsOfMove) {
		return
	}
	if p.repo.Background != nil && p.repo.Background("housekeep", orRoot(c.from), string(c.to)) == nil {
		return
	}
	_ = p.Housekeep(ctx, orRoot(c.from), string(c.to))
}

// Housekeep packs the objects of the moves after from, which may be "root", up
// to to, if there are enough of them, and merges packs. While another process of this
// clone packs, it does nothing.
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
	done, err := p.repo.Packer.Pack(ctx, git.ID(from), git.ID(to))
	if err == nil && !done {
		return nil
	}
	packed := git.ID(to)
	if !done {
		packed = "" // from may be the cause
	}
	return errors.Join(err, p.notePacked(ctx, packed), p.repo.Packer.Merge(ctx))
}

// notePacked notes up to where moves are packed. Those that were made in the meantime
// count.
func (p *Packer) notePacked(ctx context.Context, packed git.ID) error {
	release, err := p.repo.Turns.Queue(ctx)
	if err != nil {
		return err
	}
	defer release()
	_, n := p.readUnpacked()
	p.writeUnpacked(packed, n)
	return nil
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
