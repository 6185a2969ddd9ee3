package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
)

// ErrNoObject is wrapped when the repository holds no object with an id. The
// store tests it when it gathers facts: "this commit exists" is one of them.
var ErrNoObject = errors.New("no such object")

// looseAtOnce is how many objects are written before they are made durable.
const looseAtOnce = 200

// pendingLimit is how many bytes may wait for a Flush.
const pendingLimit = 32 << 20

// Objects reads and writes the objects of a repository: in process, through
// go-git, where the object store is a plain sha1 one, and through git for the
// rest (sha256, a quarantine, alternates, partial clones, shared permissions).
//
// What was written is visible to Read at once, and to git, other processes and
// the disk after Flush. It is safe for use from several goroutines.
type Objects struct {
	repo  *Repo
	ctx   context.Context // for the processes that outlive a call; never cancelled
	packs packs
	git   *catFile
	plain bool // the object store is where and what go-git expects

	loose []string // folders with objects that have files of their own

	lastPacked atomic.Bool // the object that was read last is in a pack

	mu      sync.Mutex
	pending []Object
	waiting map[ID]int // index into pending
	size    int
	written map[ID][]ID // commits that were flushed, with their parents
}

// An Object is one that waits for a Flush.
type Object struct {
	ID   ID
	Kind string
	Data []byte
}

// Objects returns the repository's objects. It starts no process before one is
// needed. Close of the repository ends them.
func (r *Repo) Objects(ctx context.Context) *Objects {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.objects == nil {
		home := filepath.Join(r.commonDir, "objects")
		plain := r.hashLen == 40 && r.objectDir == home
		ctx := context.WithoutCancel(ctx)
		o := &Objects{repo: r, ctx: ctx, plain: plain, git: &catFile{repo: r, ctx: ctx}, waiting: make(map[ID]int), written: make(map[ID][]ID),
			loose: []string{r.objectDir}}
		if os.Getenv("GIT_QUARANTINE_PATH") != "" && r.objectDir != home { // a hook that judges a push
			// What was pushed is in the quarantine; what was here before is at home.
			// Packs are left to git: measured, it is faster than looking in two places.
			o.loose = append(o.loose, home)
		}
		o.packs.dir = r.objectDir
		r.objects = o
	}
	return r.objects
}

// Close ends the process that reads objects, if there is one. Objects that
// were not flushed are forgotten. The value can be used again.
func (o *Objects) Close() error {
	o.mu.Lock()
	o.forgetPending()
	o.mu.Unlock()
	o.packs.close()
	return o.git.close()
}

// Read returns an object's kind (blob, tree, commit or tag) and content. The
// content is shared: do not change it. The error wraps ErrNoObject.
func (o *Objects) Read(id ID) (kind string, data []byte, err error) {
	return o.readWithin(id, math.MaxInt64)
}

// A TooLarge is the error of an object that is not read because of its size.
type TooLarge struct {
	ID          ID
	Kind        string
	Size, limit int64
}

// Error names the object, its size and the limit.
func (e *TooLarge) Error() string {
	return fmt.Sprintf("%s %s has %d bytes, at most %d are read", e.Kind, e.ID.Short(), e.Size, e.limit)
}

// readWithin reads an object of at most limit bytes; the error of a larger one
// is a *TooLarge.
func (o *Objects) readWithin(id ID, limit int64) (kind string, data []byte, err error) {
	if err := o.repo.CheckID(id); err != nil {
		return "", nil, err
	}
	if obj, ok := o.pendingObject(id); ok {
		return obj.Kind, obj.Data, nil
	}
	// Objects that were written one after the other are read so, and lie alike.
	first := o.plain && o.lastPacked.Load()
	if first {
		if kind, data, ok := o.packs.read(id, limit); ok {
			return kind, data, nil
		}
	}
	var large *TooLarge
	for _, dir := range o.loose {
		if kind, data, err := readLoose(dir, id, limit); err == nil || errors.As(err, &large) {
			o.lastPacked.Store(false)
			return kind, data, err
		}
	}
	if o.plain && !first {
		if kind, data, ok := o.packs.read(id, limit); ok {
			o.lastPacked.Store(true)
			return kind, data, nil
		}
	}
	// Not found, not readable, or not ours to decode: git has the last word.
	return o.git.readContents(id, limit)
}

// Size returns an object's kind and the length of its content in bytes,
// without reading the content. The error wraps ErrNoObject.
func (o *Objects) Size(id ID) (kind string, n int64, err error) {
	if err := o.repo.CheckID(id); err != nil {
		return "", 0, err
	}
	if obj, ok := o.pendingObject(id); ok {
		return obj.Kind, int64(len(obj.Data)), nil
	}
	for _, dir := range o.loose {
		if kind, n, err := looseSize(dir, id); err == nil {
			return kind, n, nil
		}
	}
	if o.plain {
		if kind, n, ok := o.packs.size(id); ok {
			return kind, n, nil
		}
	}
	return o.git.readInfo(id)
}

// ReadKind reads an object that must be of one kind and has at most limit
// bytes.
func (o *Objects) ReadKind(id ID, want string, limit int64) ([]byte, error) {
	kind, data, err := o.readWithin(id, limit)
	if err != nil {
		return nil, err
	}
	if kind != want {
		return nil, fmt.Errorf("object %s is a %s, not a %s", id, kind, want)
	}
	return data, nil
}

func (o *Objects) pendingObject(id ID) (Object, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if i, ok := o.waiting[id]; ok {
		return o.pending[i], true
	}
	return Object{}, false
}

// WriteBlob adds a blob and returns its id. It keeps data until Flush.
func (o *Objects) WriteBlob(data []byte) (ID, error) { return o.Write("blob", data) }

// WriteCommit adds a commit given as its raw content. It keeps raw until Flush.
func (o *Objects) WriteCommit(raw []byte) (ID, error) { return o.Write("commit", raw) }

// Write adds an object of a kind and returns its id. It is there for git after Flush.
func (o *Objects) Write(kind string, data []byte) (ID, error) {
	id := o.repo.Hash(kind, data)
	o.mu.Lock()
	defer o.mu.Unlock()
	if _, ok := o.waiting[id]; ok {
		return id, nil
	}
	o.waiting[id] = len(o.pending)
	o.pending = append(o.pending, Object{id, kind, data})
	o.size += len(data)
	if o.size > pendingLimit {
		return id, o.flush()
	}
	return id, nil
}

// Flush writes what was added since the last one, in that order, and makes it
// as durable as the configuration liza.fsync says: `batch` (the default, one
// flush of the disk for all of them), `all` (each on its own) or `none`. Call
// it before a ref is moved to any of them. After an error none of them counts
// as written, and no damaged object stands in the repository; a full disk is
// syscall.ENOSPC, a read-only repository fs.ErrPermission or syscall.EROFS.
func (o *Objects) Flush() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.flush()
}

func (o *Objects) flush() error {
	if len(o.pending) == 0 {
		return nil
	}
	defer o.forgetPending()
	mode, err := o.repo.Flusher.FsyncMode(o.ctx)
	if err != nil {
		return err
	}
	shared, err := o.repo.Config.Config(o.ctx, "core.sharedRepository")
	if err != nil {
		return err
	}
	if o.plain && shared == "" {
		// In groups, because each object is an open file until it is durable.
		for group := range slices.Chunk(o.pending, looseAtOnce) {
			if err = writeLoose(o.repo.objectDir, group, mode); err != nil {
				break
			}
		}
	} else {
		err = o.repo.Packer.unpackObjects(o.ctx, o.pending, mode)
	}
	if errors.Is(err, syscall.ENOSPC) {
		err = syscall.ENOSPC // the same each time, without the name of a temporary file
	}
	if err != nil {
		return fmt.Errorf("writing objects to %s: %w", o.repo.objectDir, err)
	}
	o.rememberCommits()
	return nil
}

// keepWritten bounds how many commits a process remembers to have written.
const keepWritten = 1000

// rememberCommits keeps which commits were flushed.
func (o *Objects) rememberCommits() {
	for _, obj := range o.pending {
		c, err := ParseCommit(obj.Data)
		if obj.Kind != "commit" || err != nil {
			continue
		}
		if len(o.written) >= keepWritten {
			clear(o.written)
		}
		o.written[obj.ID] = c.Parents
	}
}

// NoteFlushed remembers that another process of ours has flushed what lies between two
// commits.
func (o *Objects) NoteFlushed(since, commit ID) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.written) >= keepWritten {
		clear(o.written)
	}
	o.written[commit] = []ID{since}
}

// flushedCommit reports whether a process of ours flushed a commit, and after which others.
func (o *Objects) flushedCommit(id ID) (parents []ID, ok bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	parents, ok = o.written[id]
	return parents, ok
}

func (o *Objects) forgetPending() {
	o.pending, o.size = nil, 0
	clear(o.waiting)
}

// Hash is the id that an object has in this repository.
func (r *Repo) Hash(kind string, data []byte) ID {
	if r.hashLen == 40 {
		t, _ := plumbing.ParseObjectType(kind)
		return ID(plumbing.ComputeHash(t, data).String())
	}
	h := sha256.New()
	h.Write([]byte(kind + " " + strconv.Itoa(len(data)) + "\x00"))
	h.Write(data)
	return ID(hex.EncodeToString(h.Sum(nil)))
}

// CheckID refuses what is not a full id of this repository before it becomes
// part of a path or of a line to git.
func (r *Repo) CheckID(id ID) error {
	if len(id) != r.hashLen || strings.Trim(string(id), "0123456789abcdef") != "" {
		return fmt.Errorf("%w: %q is not a full object id", ErrNoObject, string(id))
	}
	return nil
}

// zero is the id that stands for "no object" in git's protocols.
func (r *Repo) zero() ID { return ID(strings.Repeat("0", r.hashLen)) }

// emptyTree is known to git without being written.
func (r *Repo) emptyTree() ID { return r.Hash("tree", nil) }

// FsyncMode returns the liza.fsync of the repository: batch, all or none.
func (fl *Flusher) FsyncMode(ctx context.Context) (string, error) {
	mode, err := fl.repo.Config.Config(ctx, "liza.fsync")
	switch {
	case err != nil:
		return "", err
	case mode == "":
		return fsyncBatch, nil
	case mode != fsyncBatch && mode != fsyncAll && mode != fsyncNone:
		return "", fmt.Errorf("git config liza.fsync is %q; it can be batch, all or none", mode)
	}
	return mode, nil
}

const (
	fsyncBatch = "batch"
	fsyncAll   = "all"
	fsyncNone  = "none"
)

// Repo is the repository whose objects these are.
func (o *Objects) Repo() *Repo { return o.repo }
