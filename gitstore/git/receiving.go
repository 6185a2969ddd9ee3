package git

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// lockWait is how long a push waits for the locks of another one before it is
// judged: that one's hooks run while it has them.
const lockWait = 5 * time.Second

// AwaitLocks clears what receive-packs that were killed have left in this
// repository, and waits a while until no lock is in the way of a push, of which this
// process is the pre-receive hook. The error
// is a *Locked where one stays. A journal that is closed to this user is none of
// its business.
func (j *Journal) AwaitLocks(ctx context.Context, updates []RefUpdate) error {
	// The receive-pack of this push began perhaps in the same moment as a lock that a
	// killed one left, and must not be taken for its holder.
	j = &Journal{j.repo, ancestorsOf(os.Getpid())}
	for deadline := time.Now().Add(lockWait); ; {
		if err := j.Recover(ctx); err != nil && !errors.Is(err, fs.ErrPermission) {
			return err
		}
		locked := j.foreignLock(j.repo.Refs.LockFiles(updates))
		if locked == nil {
			return nil
		}
		if time.Now().After(deadline) {
			locked.Hint = UnlockThere(j.repo.commonDir)
			return locked
		}
		if err := Wait(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// UnlockThere is what clears a lock on the machine of a remote.
func UnlockThere(gitDir string) string {
	if strings.Trim(gitDir, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-") != "" {
		gitDir = "'" + strings.ReplaceAll(gitDir, "'", `'\''`) + "'"
	}
	return "git -C " + gitDir + " liza doctor --unlock"
}

// A PushEntry is the entry of a push in the journal. That of a push which is not
// noted does nothing.
type PushEntry struct{ path string }

// Forget removes the entry: nothing moves.
func (e PushEntry) Forget() {
	if e.path != "" {
		os.Remove(e.path)
	}
}

// Judged notes the state commit by which the push was judged, "" for none: see
// [Journal.JudgedBy].
func (e PushEntry) Judged(state ID) error {
	if e.path == "" {
		return nil
	}
	f, err := os.OpenFile(e.path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("journal of locks: %w", err)
	}
	_, err = f.WriteString("judged " + cmp.Or(string(state), "-") + "\n")
	if err = cmp.Or(err, f.Close()); err != nil {
		return fmt.Errorf("journal of locks: %w", err)
	}
	return nil
}

// RecordPush notes in the journal, from inside the hook of a receive-pack that
// has not taken locks yet, what that process may leave: the locks for the
// updates, and the folder that keeps the objects apart. A receive-pack cannot
// inherit a kernel lock from its hook, so the entry names it as a process. The
// post-receive hook removes the entry, or [PushEntry.Forget] if the push is refused,
// or the process that removes what a dead receive-pack left. Without a receive-pack
// above this process, or where the system does not identify processes, it notes nothing.
// [Flusher.SyncPush] makes the entry durable.
func (j *Journal) RecordPush(updates []RefUpdate) (PushEntry, error) {
	by, ok := receivePack()
	if !ok {
		return PushEntry{}, nil
	}
	path := j.pushEntry(by)
	err := os.MkdirAll(j.Dir(), 0o777)
	if err == nil {
		err = j.writePush(path, by, updates)
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return PushEntry{}, nil // git writes the refs of a server that shares nothing but them
	case err != nil:
		return PushEntry{}, fmt.Errorf("journal of locks: %w", err)
	}
	return PushEntry{path}, nil
}

func (j *Journal) pushEntry(by processID) string {
	return filepath.Join(j.Dir(), "push-"+strconv.Itoa(by.pid))
}

// JudgedBy is the state commit, "" for none, by which pre-receive judged the push
// whose receive-pack runs this process as a hook. known is false where no entry
// says it: nobody pushes, or [Journal.RecordPush] could note nothing.
func (j *Journal) JudgedBy() (state ID, known bool, err error) {
	by, ok := receivePack()
	if !ok {
		return "", false, nil
	}
	text, err := readPush(j.pushEntry(by))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("journal of locks: %w", err)
	}
	// An entry of an earlier process with the same number says nothing of this one.
	if !strings.Contains(text, "\nmaker "+by.String()+"\n") {
		return "", false, nil
	}
	_, judged, known := strings.Cut(text, "\njudged ")
	if !known {
		return "", false, errors.New("journal of locks: the entry of this push does not say by which state it was judged")
	}
	return ID(strings.Trim(judged, "-\n")), true, nil
}

// readPush reads the entry of a push, which is as long as its list of refs.
func readPush(path string) (string, error) {
	f, err := OpenRegular(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}

func (j *Journal) writePush(path string, by processID, updates []RefUpdate) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	text := j.entryText(info.ModTime(), Leftovers{Locks: j.repo.Refs.LockFiles(updates), limit: strangerAge}) + "maker " + by.String() + "\n"
	if apart := os.Getenv("GIT_QUARANTINE_PATH"); apart != "" && isQuarantine(apart) {
		text += "folder " + j.relative(apart) + "\n"
	}
	if _, err = f.WriteString(text); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return err
	}
	return nil
}

// locksOfPushes returns the lock files that living receive-packs may hold.
func (j *Journal) locksOfPushes() map[string]bool {
	locks := map[string]bool{}
	for _, path := range PathsIn(j.Dir(), "push-", "") {
		text, err := readPush(path)
		if e := j.parseEntry(text); err == nil && e.maker != nil && !e.maker.isDead(e.since) {
			for _, o := range e.locks {
				locks[o.path] = true
			}
		}
	}
	return locks
}

// isQuarantine tells a folder in which a receive-pack keeps objects until its
// hooks have said yes; git before 2.35 gave it the shorter name.
func isQuarantine(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, "tmp_objdir-") || strings.HasPrefix(name, "incoming-")
}

// ancestors bounds how far above a hook its receive-pack is looked for: a hook
// that was there before ours, or a front end, calls it through shells.
const ancestors = 8

// ancestorsOf lists the processes above one, the nearest first.
func ancestorsOf(pid int) (above []int) {
	for range ancestors {
		if pid = parentOf(pid); pid <= 1 {
			break
		}
		above = append(above, pid)
	}
	return above
}

// receivePack is the receive-pack that runs this process as its hook.
func receivePack() (processID, bool) {
	pid := os.Getppid()
	for range ancestors {
		line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if err != nil {
			break
		}
		for arg := range strings.SplitSeq(string(line), "\x00") {
			if arg == "receive-pack" || filepath.Base(arg) == "git-receive-pack" {
				return processIDOf(pid)
			}
		}
		if pid = parentOf(pid); pid <= 1 {
			break
		}
	}
	return processID{}, false
}
