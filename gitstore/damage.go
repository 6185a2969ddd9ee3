package gitstore

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/flow"
)

// A Damage is what the board or a ref of it names and cannot be read whole.
type Damage struct {
	What   string // for example "integration", or the name of a ref
	Commit ID
	Reason string // names the first object that is lost
}

// A Damaged is the error of a board whose work cannot be read. It wraps
// ErrDamaged.
type Damaged struct {
	List []Damage
	Hint string // the command that brings the objects back, or shows what is lost
}

// Error names all that is lost.
func (d *Damaged) Error() string {
	list := make([]string, 0, len(d.List))
	for _, one := range d.List {
		list = append(list, fmt.Sprintf("%s at %s cannot be read: %s", one.What, one.Commit.Short(), one.Reason))
	}
	return strings.Join(list, "; ")
}

// Unwrap returns ErrDamaged.
func (d *Damaged) Unwrap() error { return ErrDamaged }

// maxDamages bounds how much damage is told apart.
const maxDamages = 50

// CheckTips reads what work goes on from: the trees of integration, of the
// submissions of open tasks and of what was saved of them last. Of objects in
// packs it asks only whether they are there. It returns how many commits these
// are; the error is a *Damaged where one cannot be read.
func (s *Store) CheckTips(ctx context.Context, b *flow.Board) (int, error) {
	heads, err := s.tips(ctx, b)
	if err != nil {
		return 0, err
	}
	return len(heads), s.checkHeads(ctx, heads, (*Repo).tipObjects)
}

// checkWork reads what CheckTips does and the objects that the moves of a chain
// brought, or if full those of everything that the board and its refs name.
func (s *Store) checkWork(ctx context.Context, b *flow.Board, chain []ID, known ID, full bool) error {
	heads, err := s.tips(ctx, b)
	if err == nil {
		err = s.checkHeads(ctx, heads, (*Repo).tipObjects)
	}
	if err != nil {
		return err
	}
	before := ID("")
	if full {
		heads, err = s.kept(ctx, heads, func(string) bool { return true })
	} else if before, err = s.integrationBefore(chain, known); err == nil {
		saved := map[string]bool{}
		for _, id := range chain {
			e, err := s.Event(id)
			if err != nil {
				return err
			}
			refs, err := s.refsOf(e)
			if err != nil {
				return err
			}
			for _, u := range refs {
				saved[u.Name] = true
			}
		}
		heads, err = s.kept(ctx, heads, func(name string) bool { return saved[name] })
	}
	if err != nil {
		return err
	}
	return s.checkHeads(ctx, heads, func(r *Repo, ctx context.Context, commits []ID) ([]ID, error) {
		if before == "" {
			return r.reachable(ctx, commits, nil)
		}
		return r.reachable(ctx, commits, []ID{before})
	})
}

// integrationBefore is where integration was at a state that was checked
// before; what a board found when it was made is looked at in full checks only.
func (s *Store) integrationBefore(chain []ID, known ID) (ID, error) {
	if known == "" && len(chain) > 0 {
		known = chain[0]
	}
	if known == "" {
		return "", nil
	}
	b, err := s.BoardAt(known)
	if err != nil {
		return "", err
	}
	return b.Settings().Integration.Tip, nil
}

// A head is a commit that must be readable, what it is for people, and the
// branch or ref of a remote that brings it.
type head struct {
	what, ref string
	commit    ID
}

// tips are the heads of the board as it is. In a mirror, what others saved is
// here only once it was needed.
func (s *Store) tips(ctx context.Context, b *flow.Board) ([]head, error) {
	remote, err := s.Authority(ctx)
	if err != nil {
		return nil, err
	}
	integration := b.Settings().Integration
	list := []head{{integration.Name, integration.Name, integration.Tip}}
	for _, t := range b.Tasks() {
		if t.Status.Final() || t.Coder == "" {
			continue // there are many, and nothing goes on from them
		}
		task := b.Task(t.ID)
		if task == nil {
			return nil, b.Err()
		}
		if task.Submission != nil {
			list = append(list, head{"the submission of " + string(t.ID), flow.SavedRef(t.ID, task.Submission.Save), task.Submission.Commit})
		}
		name := flow.SavedRef(t.ID, task.Saves)
		at, err := s.Repo.Resolve(ctx, name)
		if err != nil {
			return nil, err
		}
		if at != "" {
			list = append(list, head{name, name, at})
		}
	}
	if remote == "" {
		return list, nil
	}
	return slices.DeleteFunc(list, func(h head) bool {
		_, _, err := s.objects.Size(h.commit)
		ref := h.ref
		if ref == integration.Name {
			ref = "refs/heads/" + ref
		}
		at, refErr := s.Repo.Resolve(ctx, ref)
		return errors.Is(err, ErrNoObject) && (refErr != nil || at == "")
	}), nil
}

// kept adds the saved refs that are wanted to the heads.
func (s *Store) kept(ctx context.Context, heads []head, wanted func(name string) bool) ([]head, error) {
	refs, err := s.Repo.Refs(ctx, savedPrefix)
	if err != nil {
		return nil, err
	}
	for name, id := range refs {
		if wanted(name) {
			heads = append(heads, head{name, name, id})
		}
	}
	slices.SortStableFunc(heads[min(1, len(heads)):], func(a, b head) int { return strings.Compare(a.what, b.what) })
	return heads, nil
}

// checkHeads reads the objects that list finds for the heads. Only where some
// cannot be read is each head looked at by itself.
func (s *Store) checkHeads(ctx context.Context, heads []head, list func(*Repo, context.Context, []ID) ([]ID, error)) error {
	commits := make([]ID, 0, len(heads))
	for _, h := range heads {
		if !slices.Contains(commits, h.commit) {
			commits = append(commits, h.commit)
		}
	}
	objects, err := list(s.Repo, ctx, commits)
	bad := map[ID]string{}
	if err == nil {
		bad, err = s.Repo.readAll(ctx, objects, maxDamages)
	}
	if err == nil && len(bad) == 0 || err != nil && !errors.Is(err, ErrDamaged) {
		return err
	}
	damaged := &Damaged{}
	var refs []string
	found := func(h head, why string) {
		damaged.List = append(damaged.List, Damage{h.what, h.commit, why})
		if !slices.Contains(refs, h.ref) {
			refs = append(refs, h.ref)
		}
	}
	for _, h := range heads {
		if len(damaged.List) == maxDamages {
			break
		}
		objects, err := list(s.Repo, ctx, []ID{h.commit})
		if err == nil && len(bad) == 0 {
			bad, err = s.Repo.readAll(ctx, objects, maxDamages)
		}
		if err != nil && !errors.Is(err, ErrDamaged) {
			return err
		}
		if err != nil {
			found(h, gitWords(err))
			continue
		}
		for _, id := range objects {
			if why, lost := bad[id]; lost {
				found(h, why)
				break
			}
		}
	}
	if len(damaged.List) == 0 {
		return nil
	}
	damaged.Hint, err = s.refetch(ctx, refs)
	return errors.Join(damaged, err)
}

// Unreadable is the error of reading a commit that no ref of the board names yet,
// called what: a *Damaged where an object that it brings beside integration cannot
// be read, else err.
func (s *Store) Unreadable(ctx context.Context, what string, commit, integration ID, err error) error {
	var refused *flow.Refusal
	if commit == "" || ctx.Err() != nil || errors.As(err, &refused) {
		return err
	}
	found := s.checkHeads(ctx, []head{{what: what, commit: commit}}, func(r *Repo, ctx context.Context, commits []ID) ([]ID, error) {
		return r.reachable(ctx, commits, []ID{integration})
	})
	var damaged *Damaged
	if !errors.As(found, &damaged) {
		return err
	}
	damaged.Hint = lookForDamage // nobody else has them
	return damaged
}

// lookForDamage shows what cannot be read, and changes nothing.
const lookForDamage = "git fsck --full --no-dangling"

// gitWords is what git said of an object that it could not read.
func gitWords(err error) string {
	var git *GitError
	if errors.As(err, &git) {
		first, _, _ := strings.Cut(git.Stderr, "\n")
		return strings.TrimPrefix(strings.TrimPrefix(first, "fatal: "), "error: ")
	}
	return err.Error()
}

// refetch is the command that brings lost objects back from a remote, or shows
// them where there is none: files of no size are no objects, and stand in the
// way of those that come.
func (s *Store) refetch(ctx context.Context, refs []string) (string, error) {
	remote, err := s.Repo.AnyRemote(ctx)
	if err != nil || remote == "" {
		return lookForDamage, err
	}
	hint := fmt.Sprintf("find %s -type f -size 0 -path '*/objects/??/*' ! -name 'tmp_*' -delete", s.Repo.objectDir)
	for _, ref := range refs { // one that the remote lacks must not keep the others from coming
		hint += fmt.Sprintf("; git fetch --refetch %s %s", remote, ref)
	}
	return hint, nil
}

// tipObjects lists what the trees of commits hold, but for what lies in packs.
func (r *Repo) tipObjects(ctx context.Context, commits []ID) ([]ID, error) {
	list, err := r.reachable(ctx, commits, nil, "--no-walk")
	if err != nil {
		return nil, err
	}
	dirs, err := r.objectDirs()
	if err != nil {
		return nil, err
	}
	loose := list[:0]
	for _, id := range list {
		if path, err := loosePathIn(dirs, id); err != nil || path != "" {
			loose = append(loose, id)
		}
	}
	return loose, nil
}

// readAll reads objects and returns those that cannot be read, or are not what
// their ids say, with the reason; it stops after the first few, as many as most says.
func (r *Repo) readAll(ctx context.Context, list []ID, most int) (map[ID]string, error) {
	bad := map[ID]string{}
	for len(list) > 0 && len(bad) < most {
		var asked bytes.Buffer
		for _, id := range list {
			asked.WriteString(string(id) + "\n")
		}
		done := 0
		c := Cmd{Args: []string{"cat-file", "--batch", "--buffer"}, Stdin: asked.Bytes(), Limit: lasting}
		err := r.stream(ctx, c, func(out *bufio.Reader) error {
			for ; done < len(list); done++ {
				why, err := r.readOne(out, list[done])
				if err != nil {
					return nil // git ended: it died of the object
				}
				if why != "" {
					bad[list[done]] = why
				}
			}
			return nil
		})
		if ctx.Err() != nil || done == len(list) {
			return bad, ctx.Err()
		}
		if err == nil {
			return bad, fmt.Errorf("git cat-file ended before object %s", list[done])
		}
		bad[list[done]] = gitWords(err)
		list = list[done+1:]
	}
	return bad, nil
}

// readOne reads one object of `git cat-file --batch`; why is what is wrong.
func (r *Repo) readOne(out *bufio.Reader, id ID) (why string, err error) {
	line, err := out.ReadString('\n')
	if err != nil {
		return "", err
	}
	f := strings.Fields(line)
	if len(f) != 3 {
		return strings.TrimSpace(line), nil
	}
	size, err := strconv.ParseInt(f[2], 10, 64)
	if err != nil {
		return "", err
	}
	var sum hash.Hash = sha1.New()
	if r.hashLen == 64 {
		sum = sha256.New()
	}
	fmt.Fprintf(sum, "%s %d\x00", f[1], size)
	if _, err := io.CopyN(sum, out, size); err != nil {
		return "", err
	}
	if _, err := out.Discard(1); err != nil {
		return "", err
	}
	if is := hex.EncodeToString(sum.Sum(nil)); is != string(id) {
		return fmt.Sprintf("object %s holds what has the id %s", id, is), nil
	}
	return "", nil
}
