package gitstore

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A LeftOut is a snapshot of a key that this machine trusts, which a clone that joined did
// not take.
type LeftOut struct {
	Commit git.ID `json:"commit"` // of the statement
	Key    string `json:"key"`    // its fingerprint
	Reason string `json:"reason"`
}

// String is what people are told.
func (l LeftOut) String() string {
	return fmt.Sprintf("%s, signed with %s: %s", l.Commit.Short(), l.Key, l.Reason)
}

// choose fetches the statements of a remote by trusted keys. It returns the one about the
// latest state of the chain, and those that are not so of the chain. The error is a
// *flow.Refusal where there is none to take, or where one says that the board is further
// than the remote shows it, see [refuseAbsent]: then nothing of the board is taken.
func (ss *Snapshots) choose(ctx context.Context, remote string, chain []git.ID) (SignedStatement, []LeftOut, error) {
	keys, err := joinKeys(ctx, ss.repo)
	if err != nil {
		return SignedStatement{}, nil, err
	}
	there, err := ss.remotes.listRemote(ctx, remote, layout.SnapshotRefs+"*")
	if err != nil {
		return SignedStatement{}, nil, err
	}
	signers := map[string]ssh.PublicKey{}
	for _, key := range keys {
		if name := KeyName(key); there[layout.SnapshotRefs+name] != "" {
			signers[name] = key
		}
	}
	commits, err := ss.fetchStatements(ctx, remote, signers)
	if err != nil {
		return SignedStatement{}, nil, err
	}
	if len(commits) == 0 {
		return SignedStatement{}, nil, noSnapshot(remote, strangers(there))
	}
	return ss.chooseLatest(remote, chain, signers, commits)
}

// fetchStatements fetches the statements of some keys by their names, and returns their
// commits. What was fetched of others before is forgotten: the remote may have it no more.
func (ss *Snapshots) fetchStatements(ctx context.Context, remote string, signers map[string]ssh.PublicKey) (map[string]git.ID, error) {
	seen := layout.RemoteRef(remote, "snapshots/")
	var pairs [][2]string
	for name := range signers {
		pairs = append(pairs, [2]string{layout.SnapshotRefs + name, seen + name})
	}
	if len(pairs) > 0 {
		if err := ss.remotes.fetchInto(ctx, remote, pairs); err != nil {
			return nil, offlineError(remote, err)
		}
	}
	refs, err := ss.repo.Refs.List(ctx, seen)
	if err != nil {
		return nil, err
	}
	commits := map[string]git.ID{}
	var gone []git.RefUpdate
	for ref, id := range refs {
		if name := strings.TrimPrefix(ref, seen); signers[name] != nil {
			commits[name] = id
		} else {
			gone = append(gone, git.RefUpdate{Name: ref, Old: id})
		}
	}
	return commits, ss.repo.Refs.MoveRefs(ctx, gone, "liza: gone from "+remote)
}

// chooseLatest judges the statements of trusted keys.
func (ss *Snapshots) chooseLatest(remote string, chain []git.ID, signers map[string]ssh.PublicKey, commits map[string]git.ID) (SignedStatement, []LeftOut, error) {
	now := ss.history.Now()
	var best SignedStatement
	var last time.Time // when a statement that is so was signed last
	var absent []SignedStatement
	var left []LeftOut
	for name, id := range commits {
		s, err := ReadStatement(ss.history.objects, id)
		out := LeftOut{id, ssh.FingerprintSHA256(signers[name]), ""}
		switch {
		case err != nil:
			out.Reason = err.Error()
		case KeyName(s.Key) != name:
			out.Reason = "another key signed it, " + ssh.FingerprintSHA256(s.Key)
		case s.At.After(now.Add(maxAhead)): // until then nothing that the key signs would be later
			out.Reason = fmt.Sprintf("it is dated %s, %s ahead of this machine's clock", s.At.Format(time.RFC3339), s.At.Sub(now))
		default:
			flaw, err := ss.FindFlaw(s, chain)
			if err != nil {
				return best, nil, err
			}
			if flaw == nil {
				if s.Moves > best.Moves {
					best = s
				}
				if s.At.After(last) {
					last = s.At
				}
				continue
			}
			if out.Reason = flaw.Reason; flaw.Absent {
				absent = append(absent, s)
			}
		}
		left = append(left, out)
	}
	slices.SortFunc(left, func(a, b LeftOut) int { return strings.Compare(a.String(), b.String()) })
	if best.Commit == "" {
		return best, left, noSnapshot(remote, left)
	}
	return best, left, refuseAbsent(remote, absent, best, last)
}

// refuseAbsent refuses a board that lacks the state of a statement which a trusted key
// signed later than every statement that is so, and about more moves: as the board of a
// remote that lost moves, or hides them. Of the others a trusted key has said since, or of
// as many moves, what the board is: they are about a copy of it that went another way.
func refuseAbsent(remote string, absent []SignedStatement, best SignedStatement, last time.Time) error {
	for _, s := range absent {
		if s.Moves > best.Moves && s.At.After(last) {
			return unsignedRefusal(joinFull, "%s may lack moves: the snapshot %s, signed with %s, is about %d moves at %s, which is not in the history of the board; "+
				"the last one that is so is about %d. It is left out once a key that this machine trusts signs a newer one, or an admin deletes it",
				remote, s.Commit.Short(), ssh.FingerprintSHA256(s.Key), s.Moves, s.State.Short(), best.Moves)
		}
	}
	return nil
}

// joinFull is the command after which a clone replays every move.
const joinFull = "git config " + joinModeKey + " " + fullJoin

// strangers are the snapshots of a remote, by their refs, of keys that this machine does not
// trust. The name of a ref begins the hash that is the key's fingerprint.
func strangers(there map[string]git.ID) (list []LeftOut) {
	const whole = 18 // bytes, which are 24 digits of the fingerprint
	for ref, id := range there {
		key := "another key"
		if raw, err := hex.DecodeString(strings.TrimPrefix(ref, layout.SnapshotRefs)); err == nil && len(raw) > whole {
			key = "SHA256:" + base64.RawStdEncoding.EncodeToString(raw[:whole]) + "..."
		}
		list = append(list, LeftOut{id, key, "this machine does not trust that key"})
	}
	slices.SortFunc(list, func(a, b LeftOut) int { return strings.Compare(a.String(), b.String()) })
	return list
}

// noSnapshot refuses to join where no statement can be taken; left says why each one
// cannot.
func noSnapshot(remote string, left []LeftOut) *flow.Refusal {
	reason := fmt.Sprintf("%s has no snapshot", remote)
	if len(left) > 0 {
		reason += " that this machine takes: " + left[0].String()
		if n := len(left) - 1; n > 0 {
			reason += fmt.Sprintf("; and %d more", n)
		}
	}
	return unsignedRefusal(joinFull, "%s", reason)
}
