package gitstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
)

// An Event is one move on the state chain.
type Event struct {
	Commit ID
	Parent ID // "" for the root
	Tree   ID
	Move   flow.Move
}

// Event reads one state commit. Errors are *DocumentError where its message
// holds no move.
func (s *Store) Event(commit ID) (Event, error) {
	c, err := s.objects.Commit(commit)
	if err != nil {
		return Event{}, err
	}
	m, err := decodeMove(commit, c.Message)
	if err != nil {
		return Event{}, err
	}
	e := Event{Commit: commit, Tree: c.Tree, Move: m}
	if len(c.Parents) > 0 {
		e.Parent = c.Parents[0]
	}
	return e, nil
}

// History visits the moves from a state commit back to the root, newest
// first, until visit returns false.
func (s *Store) History(from ID, visit func(Event) (bool, error)) error {
	for id := from; id != ""; {
		e, err := s.Event(id)
		if err != nil {
			return err
		}
		more, err := visit(e)
		if err != nil || !more {
			return err
		}
		id = e.Parent
	}
	return nil
}

// Rev is the state commit that a name stands for: a time (the last move not
// after it), a mark's name, an abbreviated or full id on the state chain, or
// any revision git knows, such as refs/liza/state~3. Errors wrap ErrNoCommit.
func (s *Store) Rev(ctx context.Context, name string) (ID, error) {
	tip, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil {
		return "", err
	}
	if tip == "" {
		return "", ErrNoBoard
	}
	if at, ok := parseTime(name); ok {
		found := ID("")
		err := s.History(tip, func(e Event) (bool, error) {
			if e.Move.At.After(at) {
				return true, nil
			}
			found = e.Commit
			return false, nil
		})
		if err == nil && found == "" {
			err = fmt.Errorf("%w: the board did not exist at %s", ErrNoCommit, name)
		}
		return found, err
	}
	if mark, err := s.Repo.Resolve(ctx, flow.MarkRef(name)); err == nil && mark != "" {
		return mark, nil
	}
	return s.Repo.ParseCommit(ctx, name)
}

func parseTime(s string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04", "2006-01-02"} {
		if at, err := time.Parse(layout, s); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

// A Difference is one document that differs between two states; "" stands for
// one that is not there.
type Difference struct {
	Path     string
	Old, New string
}

// Diff compares two states document by document, in order of the paths.
func (s *Store) Diff(older, newer ID) ([]Difference, error) {
	var files [2]map[string]ID
	for i, commit := range []ID{older, newer} {
		c, err := s.objects.Commit(commit)
		if err != nil {
			return nil, err
		}
		if files[i], err = s.files(c.Tree); err != nil {
			return nil, err
		}
	}
	var paths []string
	for path, id := range files[0] {
		if files[1][path] != id {
			paths = append(paths, path)
		}
	}
	for path := range files[1] {
		if files[0][path] == "" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	list := make([]Difference, 0, len(paths))
	for _, path := range paths {
		d := Difference{Path: path}
		for i, text := range []*string{&d.Old, &d.New} {
			id := files[i][path]
			if id == "" {
				continue
			}
			_, data, err := s.objects.Read(id)
			if err != nil {
				return nil, err
			}
			*text = string(data)
		}
		list = append(list, d)
	}
	return list, nil
}

// files are all documents of a state tree by path.
func (s *Store) files(root ID) (map[string]ID, error) {
	all := map[string]ID{}
	err := snapshot{s.library, root}.walk("", func(path string, e Entry) error {
		all[path] = e.ID
		return nil
	})
	return all, err
}

// Files are the texts of all documents at a state commit, by path.
func (s *Store) Files(commit ID) (map[string]string, error) {
	c, err := s.objects.Commit(commit)
	if err != nil {
		return nil, err
	}
	ids, err := s.files(c.Tree)
	if err != nil {
		return nil, err
	}
	all := make(map[string]string, len(ids))
	for path, id := range ids {
		_, data, err := s.objects.Read(id)
		if err != nil {
			return nil, err
		}
		all[path] = string(data)
	}
	return all, nil
}

// Verify replays one state commit: its move, applied to its parent's board,
// must give its tree, and the commit must be what that move renders to. The
// error is *flow.Refusal, *DocumentError, or a plain description.
func (s *Store) Verify(commit ID) error {
	c, err := s.objects.Commit(commit)
	if err != nil {
		return err
	}
	m, err := decodeMove(commit, c.Message)
	if err != nil {
		return err
	}
	before := flow.Open(snapshot{s.library, ""}, time.Time{})
	parent, root := ID(""), ID("")
	switch len(c.Parents) {
	case 0:
	case 1:
		parent = c.Parents[0]
		if before, err = s.BoardAt(parent); err != nil {
			return err
		}
		p, err := s.objects.Commit(parent)
		if err != nil {
			return err
		}
		root = p.Tree
	default:
		return errors.New("it has more than one parent")
	}
	after, err := before.Apply(m, nil)
	if err != nil {
		return err
	}
	defer s.objects.drop()
	tree, err := snapshot{s.library, root}.write(after.Changes())
	if err != nil {
		return err
	}
	if tree != c.Tree {
		return fmt.Errorf("its tree is not what its move makes of its parent's")
	}
	committer, _, _ := strings.Cut(headerOf(c.Raw, "committer "), "> ")
	raw, err := encodeCommit(tree, parent, m, committer+">", c.CommitterTime)
	if err != nil {
		return err
	}
	if string(raw) != string(unsigned(c.Raw)) {
		return errors.New("the commit is not what its move renders to")
	}
	return nil
}

func headerOf(raw []byte, key string) string {
	header, _, _ := strings.Cut(string(raw), "\n\n")
	for line := range strings.SplitSeq(header, "\n") {
		if rest, ok := strings.CutPrefix(line, key); ok {
			return rest
		}
	}
	return ""
}

// unsigned is a commit without its signature block and with its committer's
// zone as we write it.
func unsigned(raw []byte) []byte {
	if i := strings.Index(string(raw), "\n"+signature); i >= 0 {
		return raw[:i+1]
	}
	return raw
}

// drop forgets objects that were written for comparison only.
func (o *Objects) drop() {
	o.mu.Lock()
	o.forget()
	o.mu.Unlock()
}

// A Breach is a state commit that does not replay.
type Breach struct {
	Commit ID
	Err    error
}

// Fsck replays the chain from the last commit that was verified before, or
// from the root if full, to the tip, checks the tip's invariants and refs, and
// remembers the tip where everything holds. It returns how many commits it
// replayed and the first breach, nil if there is none.
func (s *Store) Fsck(ctx context.Context, full bool) (int, *Breach, error) {
	tip, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil {
		return 0, nil, err
	}
	if tip == "" {
		return 0, nil, ErrNoBoard
	}
	known := ID("")
	if !full {
		known = s.verified()
	}
	chain, breach := s.chain(tip, known)
	if breach != nil {
		return 0, breach, nil
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return len(chain) - 1 - i, nil, err
		}
		if err := s.Verify(chain[i]); err != nil {
			return len(chain) - i, &Breach{chain[i], err}, nil
		}
	}
	if breach := s.checkTip(ctx, tip); breach != nil {
		return len(chain), breach, nil
	}
	s.remember(tip)
	return len(chain), nil, nil
}

// chain lists the commits from tip back to known, or to the root.
func (s *Store) chain(tip, known ID) ([]ID, *Breach) {
	var list []ID
	for id := tip; id != "" && id != known; {
		c, err := s.objects.Commit(id)
		if err != nil {
			return nil, &Breach{id, err}
		}
		list = append(list, id)
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	return list, nil
}

func (s *Store) checkTip(ctx context.Context, tip ID) *Breach {
	b, err := s.BoardAt(tip)
	if err == nil {
		err = b.Check()
	}
	if err == nil {
		err = s.checkRefs(ctx, b)
	}
	if err != nil {
		return &Breach{tip, err}
	}
	return nil
}

// checkRefs holds the integration ref against the board.
func (s *Store) checkRefs(ctx context.Context, b *flow.Board) error {
	integration := b.Settings().Integration
	now, err := s.Repo.Resolve(ctx, "refs/heads/"+integration.Name)
	if err != nil {
		return err
	}
	if now != integration.Tip {
		return fmt.Errorf("%w: refs/heads/%s is at %q, the board says %s", ErrForeignRef, integration.Name, now.Short(), integration.Tip.Short())
	}
	return nil
}

func (s *Store) verifiedFile() string { return filepath.Join(s.Repo.CommonDir(), "liza", "verified") }

func (s *Store) verified() ID {
	data, err := os.ReadFile(s.verifiedFile())
	id := ID(strings.TrimSpace(string(data)))
	if err != nil || s.Repo.checkID(id) != nil {
		return ""
	}
	return id
}

// remember keeps the tip as verified; that it cannot be kept costs time only.
func (s *Store) remember(tip ID) {
	_ = writeFile(s.verifiedFile(), string(tip)+"\n")
}

// Repair moves the state ref back to the newest commit of its history or
// reflog that replays, after keeping the bad tip under refs/liza/rescue/. It
// returns both; good is "" where no state is valid, and nothing has moved.
func (s *Store) Repair(ctx context.Context) (bad, good ID, err error) {
	tip, err := s.Repo.Resolve(ctx, StateRef)
	if err != nil || tip == "" {
		return "", "", errors.Join(err, ErrNoBoard)
	}
	for _, id := range s.ancestry(ctx, tip) {
		if id == tip || !s.sound(id) {
			continue
		}
		rescue := "refs/liza/rescue/" + strconv.FormatInt(s.Now().Unix(), 10) + "-" + tip.Short()
		err := s.Repo.MoveRefs(ctx, []RefUpdate{{Name: StateRef, Old: tip, New: id}, {Name: rescue, New: tip, Any: true}}, "liza: fsck --repair")
		return tip, id, err
	}
	return tip, "", nil
}

// ancestry lists the states to try: the chain, as far as it can be read, then
// the reflog.
func (s *Store) ancestry(ctx context.Context, tip ID) []ID {
	var list []ID
	for id := tip; id != ""; {
		c, err := s.objects.Commit(id)
		if err != nil {
			break
		}
		list = append(list, id)
		id = ""
		if len(c.Parents) > 0 {
			id = c.Parents[0]
		}
	}
	out, err := s.Repo.Git(ctx, "reflog", "show", "--format=%H", StateRef)
	if err == nil {
		for line := range strings.FieldsSeq(string(out)) {
			list = append(list, ID(line))
		}
	}
	return list
}

// sound reports whether a state replays, it and everything before it.
func (s *Store) sound(id ID) bool {
	chain, breach := s.chain(id, "")
	if breach != nil {
		return false
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if s.Verify(chain[i]) != nil {
			return false
		}
	}
	b, err := s.BoardAt(id)
	return err == nil && b.Check() == nil
}
