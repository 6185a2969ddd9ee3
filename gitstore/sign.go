package gitstore

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hiddeco/sshsig"
	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// A signed move is followed by one block, as `ssh-keygen -Y sign` writes it,
// over the board's id and the move itself:
//
//	board: 5c1e0a44d2b97f31
//	act: claim
//	…
//
// Tree, parent, author and committer are not signed: the first three derive
// from the move and its parent, and the committer is the one that brings the move to
// the board. `seen` in the move says which chain it was made for.
const (
	signatureBegin = "-----BEGIN SSH SIGNATURE-----\n"
	signatureEnd   = "-----END SSH SIGNATURE-----\n"

	signatureNamespace = "liza-move"
	signatureHash      = sshsig.HashSHA512
	signatureWidth     = 70 // base64 digits in a line
	maxSignature       = 16 << 10
)

// cutSignature cuts the signature block off the end of a message. Everything
// from the first line that begins a block belongs to it. Text of a move cannot
// look like such a line, because it is indented or quoted.
func cutSignature(text string) (rest, block string) {
	i := strings.Index(text, "\n"+signatureBegin)
	if i < 0 {
		return text, ""
	}
	return text[:i+1], text[i+1:]
}

// armour writes a signature in the one form that a block may have.
func armour(sig *sshsig.Signature) string {
	digits := base64.StdEncoding.EncodeToString(sig.Marshal())
	var b strings.Builder
	b.WriteString(signatureBegin)
	for line := range slices.Chunk([]byte(digits), signatureWidth) {
		b.Write(line)
		b.WriteByte('\n')
	}
	b.WriteString(signatureEnd)
	return b.String()
}

// parseSignature reads the block of a move. It refuses every other text of the same
// signature, so that a block can carry nothing else.
func parseSignature(block string) (*sshsig.Signature, error) {
	inner, ok := strings.CutPrefix(block, signatureBegin)
	inner, closed := strings.CutSuffix(inner, signatureEnd)
	if !ok || !closed || len(block) > maxSignature {
		return nil, errors.New("the signature block does not end, or is too long")
	}
	raw, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(inner, "\n", ""))
	if err != nil {
		return nil, errors.New("the signature block is not base64")
	}
	sig, err := sshsig.ParseSignature(raw)
	if err != nil {
		return nil, fmt.Errorf("the signature block: %w", err)
	}
	switch {
	case sig.Namespace != signatureNamespace || sig.HashAlgorithm != signatureHash:
		return nil, fmt.Errorf("the signature is for %q with %s, not for %s with %s", sig.Namespace, sig.HashAlgorithm, signatureNamespace, signatureHash)
	case sig.Signature.Format != signatureFormats[sig.PublicKey.Type()]:
		return nil, fmt.Errorf("a key %s does not sign as %q here", sig.PublicKey.Type(), sig.Signature.Format)
	case len(sig.Signature.Rest) != flagBytes(sig.Signature.Format):
		return nil, errors.New("the signature does not have the length of its format")
	case armour(sig) != block:
		return nil, errors.New("the signature block is not in canonical form")
	}
	return sig, nil
}

// flagBytes is the number of bytes that a security key adds to a signature:
// flags and a counter.
func flagBytes(format string) int {
	if strings.HasPrefix(format, "sk-") {
		return 5
	}
	return 0
}

// signatureFormats are the types of keys that sign, and the format that each
// signs in. Certificates are left out, because nothing here says which
// authority to trust.
var signatureFormats = map[string]string{
	ssh.KeyAlgoED25519:    ssh.KeyAlgoED25519,
	ssh.KeyAlgoECDSA256:   ssh.KeyAlgoECDSA256,
	ssh.KeyAlgoECDSA384:   ssh.KeyAlgoECDSA384,
	ssh.KeyAlgoECDSA521:   ssh.KeyAlgoECDSA521,
	ssh.KeyAlgoSKED25519:  ssh.KeyAlgoSKED25519,
	ssh.KeyAlgoSKECDSA256: ssh.KeyAlgoSKECDSA256,
	ssh.KeyAlgoRSA:        ssh.KeyAlgoRSASHA512,
}

// signedText is the text that a signature covers; before is the version of the
// rules of the board before the move.
func signedText(board string, before int, m flow.Move) ([]byte, error) {
	body, err := document.EncodeAt(formatOf(before, m), &m)
	if err != nil {
		return nil, err
	}
	return append([]byte("board: "+board+"\n"), body...), nil
}

// signCommit renders the commit of a move that is applied to the board in
// source, signed where the clone has a key of the move's principal.
func (s *Store) signCommit(ctx context.Context, source snapshot, c stateCommit) ([]byte, error) {
	signer, err := s.findSigner(ctx, c.move.Principal)
	if err != nil {
		return nil, err
	}
	if signer == nil {
		return c.encode(source.format)
	}
	c.move.Seen = c.parent
	raw, err := c.encode(source.format)
	if err != nil {
		return nil, err
	}
	text, err := signedText(boardID(board.Open(source, c.move.At), c.move), source.format, c.move)
	if err != nil {
		return nil, err
	}
	sig, err := sshsig.Sign(bytes.NewReader(text), signer, signatureHash, signatureNamespace)
	if err != nil {
		return nil, fmt.Errorf("signing as %s: %w", c.move.Principal, err)
	}
	return append(raw, armour(sig)...), nil
}

// boardID is the id of the board of a move; the first move contains it.
func boardID(before *board.Board, m flow.Move) string {
	if d, ok := m.Detail.(*flow.InitMove); ok {
		return d.Board
	}
	return before.Settings().Board
}

// CheckSignature is nil if the replayed move is signed by one of the
// principal's keys. The error is a *flow.Refusal with the rule signature; a
// nil principal has no keys.
func (a *Audit) CheckSignature(r Replay, p *board.Principal) error {
	name, keys := r.Move.Principal, []string(nil)
	if p != nil {
		name, keys = p.Name, p.Keys
	}
	if r.Signature == "" {
		return unsignedRefusal("git config liza.principal."+name+".key FILE", "the move is not signed, %s has to sign it", name)
	}
	sig, err := parseSignature(r.Signature)
	if err != nil {
		return unsignedRefusal("git liza fsck", "%v", err)
	}
	i := slices.IndexFunc(keys, func(line string) bool {
		key, err := parseKey(line)
		return err == nil && bytes.Equal(key.Marshal(), sig.PublicKey.Marshal())
	})
	if i < 0 {
		return unsignedRefusal("git liza principal list", "the move is signed with %s, which is no key of %q", ssh.FingerprintSHA256(sig.PublicKey), name)
	}
	text, err := signedText(boardID(r.Before, r.Move), r.Before.Settings().Format, r.Move)
	if err != nil {
		return err
	}
	if err := sshsig.Verify(bytes.NewReader(text), sig, sig.PublicKey, signatureHash, signatureNamespace); err != nil {
		return unsignedRefusal("git liza principal list", "the signature of %q is not over this move on this board", name)
	}
	return nil
}

func unsignedRefusal(hint, format string, args ...any) *flow.Refusal {
	return &flow.Refusal{Rule: flow.RuleSignature, Reason: fmt.Sprintf(format, args...), Hint: hint}
}

// parseKey reads a line of an authorized_keys file without options.
func parseKey(line string) (ssh.PublicKey, error) {
	kind, rest, _ := strings.Cut(line, " ")
	digits, _, _ := strings.Cut(rest, " ")
	raw, err := base64.StdEncoding.DecodeString(digits)
	if err != nil {
		return nil, err
	}
	key, err := ssh.ParsePublicKey(raw)
	if err == nil && key.Type() != kind {
		err = fmt.Errorf("a key %s stands as %s", key.Type(), kind)
	}
	return key, err
}
