package gitstore

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// A Statement says that its signer has replayed a board up to a state. It is what a
// snapshot is: the state itself stands in the history of the board.
type Statement struct {
	Board string    `yaml:"board"` // the id of the board
	State git.ID    `yaml:"state"` // the state commit
	Tree  git.ID    `yaml:"tree"`  // of that commit
	Moves int       `yaml:"moves"` // from the first one up to that commit
	At    time.Time `yaml:"at"`    // when it was signed
}

// maxStatement bounds the commit of a statement, in bytes. A server refuses larger ones.
const maxStatement = 64 << 10

// snapshotNamespace keeps the signature of a move from being taken for that of a
// statement.
const snapshotNamespace = "liza-snapshot"

// A SignedStatement is a statement with the key that signed it. The signature was
// checked; whether the key is trusted, and whether the statement is true, was not.
type SignedStatement struct {
	Statement
	Commit git.ID // that holds it
	Key    ssh.PublicKey
}

// KeyName is the name of a key in the names of refs: the first 40 digits of the SHA-256 of
// its public part.
func KeyName(key ssh.PublicKey) string {
	sum := sha256.Sum256(key.Marshal())
	return hex.EncodeToString(sum[:])[:40]
}

// KeyNames are the names of the keys of principals.
func KeyNames(known *flow.Principals) map[string]bool {
	names := map[string]bool{}
	for _, p := range known.List {
		for _, line := range p.Keys {
			if key, err := parseKey(line); err == nil {
				names[KeyName(key)] = true
			}
		}
	}
	return names
}

// signStatement is the text of a statement with its signature: a line for people, the
// document, and one block over that document.
func signStatement(s Statement, signer ssh.Signer) (string, error) {
	text, err := document.Encode(&s)
	if err != nil {
		return "", err
	}
	sig, err := sshsig.Sign(bytes.NewReader(text), signer, signatureHash, snapshotNamespace)
	if err != nil {
		return "", fmt.Errorf("signing a snapshot: %w", err)
	}
	return fmt.Sprintf("snapshot of %d moves at %s\n\n%s%s", s.Moves, s.State.Short(), text, armour(sig)), nil
}

// errStatement is wrapped by errors about what is no signed statement.
var errStatement = errors.New("it holds no signed statement")

// parseStatement reads the message of the commit of a statement and checks its signature.
// Every other text of the same statement is refused.
func parseStatement(message string) (Statement, ssh.PublicKey, error) {
	var s Statement
	head, rest, _ := strings.Cut(message, "\n\n")
	text, block := cutSignature(rest)
	if block == "" {
		return s, nil, fmt.Errorf("%w: there is no signature", errStatement)
	}
	sig, err := parseSigned(block, snapshotNamespace)
	if err != nil {
		return s, nil, fmt.Errorf("%w: %w", errStatement, err)
	}
	if err := document.Decode("snapshot", []byte(text), &s); err != nil {
		return s, nil, fmt.Errorf("%w: %w", errStatement, err)
	}
	canonical, err := document.Encode(&s)
	if err != nil || string(canonical) != text || head != fmt.Sprintf("snapshot of %d moves at %s", s.Moves, s.State.Short()) {
		return s, nil, fmt.Errorf("%w: it is not in canonical form", errStatement)
	}
	if err := sshsig.Verify(strings.NewReader(text), sig, sig.PublicKey, signatureHash, snapshotNamespace); err != nil {
		return s, nil, fmt.Errorf("%w: the signature is over something else", errStatement)
	}
	return s, sig.PublicKey, nil
}

// ReadStatement reads the signed statement in a commit. The commit has no parent and no
// files.
func ReadStatement(o *git.Objects, id git.ID) (SignedStatement, error) {
	none := SignedStatement{Commit: id}
	raw, err := o.ReadKind(id, "commit", maxStatement)
	if err != nil {
		return none, err
	}
	c, err := git.ParseCommit(raw)
	if err != nil {
		return none, fmt.Errorf("%w: %w", errStatement, err)
	}
	if len(c.Parents) > 0 {
		return none, fmt.Errorf("%w: the commit has a parent", errStatement)
	}
	if _, size, err := o.Size(c.Tree); err != nil || size > 0 {
		return none, fmt.Errorf("%w: the commit has files", errStatement)
	}
	s, key, err := parseStatement(c.Message)
	return SignedStatement{s, id, key}, err
}
