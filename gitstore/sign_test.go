package gitstore

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hiddeco/sshsig"
	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
	"github.com/git-liza/git-liza/internal/gittest"
)

// testKey is the private part of a key that has been public ever since.
func testKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

// keep puts a private key where a clone looks for that of a principal.
func (d *desk) keep(name string, key any) (principal *board.Principal) {
	d.t.Helper()
	block, err := ssh.MarshalPrivateKey(key, name)
	require.NoError(d.t, err)
	var text bytes.Buffer
	text.WriteString("-----BEGIN OPENSSH PRIVATE KEY-----\n")
	text.WriteString(base64.StdEncoding.EncodeToString(block.Bytes))
	text.WriteString("\n-----END OPENSSH PRIVATE KEY-----\n")
	path := filepath.Join(d.store.Repo.CommonDir(), "liza", "keys", name)
	require.NoError(d.t, os.MkdirAll(filepath.Dir(path), 0o700))
	require.NoError(d.t, os.WriteFile(path, text.Bytes(), 0o600))
	public, err := PublicKey(context.Background(), d.store.Repo, name)
	require.NoError(d.t, err)
	require.NotEmpty(d.t, public)
	return &board.Principal{Name: name, Kind: "machine", Keys: []string{public}}
}

// said is a note that a principal leaves.
func said(principal, text string) flow.Move {
	return flow.Move{Act: board.ActNote, By: ann, Principal: principal, Detail: &flow.NoteMove{For: "all", Text: text}}
}

func (d *desk) replay(commit git.ID) Replay {
	d.t.Helper()
	r, err := d.store.Audit.ReplayMove(context.Background(), commit, false)
	require.NoError(d.t, err)
	return r
}

func (d *desk) raw(commit git.ID) string {
	d.t.Helper()
	c, err := d.store.objects.Commit(commit)
	require.NoError(d.t, err)
	return string(c.Raw)
}

func requireRule(t testing.TB, err error, rule flow.Rule, words string) {
	t.Helper()
	var refusal *flow.Refusal
	require.ErrorAs(t, err, &refusal)
	require.Equal(t, rule, refusal.Rule)
	require.Contains(t, refusal.Reason, words)
	require.NotEmpty(t, refusal.Hint)
}

func TestGoldenSignedCommit(t *testing.T) {
	t.Parallel()
	d := newDesk(t, gittest.Seeded(t))
	d.keep("host", testKey(7))
	m := said("host", "Look at the store.\nIt is slow.\n")
	m.At, m.Request = d.now, "7f3a9c2e11d04b58"
	tip := git.ID("5c1e0a44d2b97f315c1e0a44d2b97f315c1e0a44")
	c, err := d.store.objects.Commit(d.at(layout.State))
	require.NoError(t, err)
	source := snapshot{documentCache: d.store.documents, root: c.Tree, cache: d.store.past, format: board.NewestFormat}
	raw, err := d.store.signCommit(context.Background(), source,
		stateCommit{"4b825dc642cb6eb9a060e54bf8d69288fbee4904", tip, m, m.Subject(), "Grace <grace@example.org> 1768658761 +0000"})
	require.NoError(t, err)
	golden(t, "commit-signed.txt", string(raw))
}

// ssh-keygen reads what we sign, and we read what it signs.
func TestSignaturesAreThoseOfOpenSSH(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen")
	}
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	big, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	for name, key := range map[string]any{"ed25519": testKey(1), "ecdsa": ec, "rsa": big} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, gittest.Seeded(t))
			host := d.keep("host", key)
			r := d.replay(d.do(said("host", "hello")).Commit)
			require.NoError(t, d.store.Audit.CheckSignature(r, host))
			require.Equal(t, r.Parent, r.Move.Seen)

			text, err := signedText("00112233445566aa", board.NewestFormat, r.Move)
			require.NoError(t, err)
			require.True(t, strings.HasPrefix(string(text), "board: 00112233445566aa\nact: note\ngoal_id: goal-1\nby: \"human:ann\"\nprincipal: host\n"), "%s", text)
			gittest.Write(t, d.dir, "text", string(text))
			gittest.Write(t, d.dir, "text.sig", r.Signature)
			gittest.Write(t, d.dir, "allowed", "host "+host.Keys[0]+"\n")
			verify := exec.Command("ssh-keygen", "-Y", "verify", "-f", "allowed", "-I", "host", "-n", "liza-move", "-s", "text.sig")
			verify.Dir, verify.Stdin = d.dir, bytes.NewReader(text)
			out, err := verify.CombinedOutput()
			require.NoError(t, err, "%s", out)

			require.NoError(t, os.Remove(filepath.Join(d.dir, "text.sig")))
			out, err = exec.Command("ssh-keygen", "-Y", "sign", "-n", "liza-move", "-f", filepath.Join(d.store.Repo.CommonDir(), "liza/keys/host"), filepath.Join(d.dir, "text")).CombinedOutput()
			require.NoError(t, err, "%s", out)
			theirs, err := os.ReadFile(filepath.Join(d.dir, "text.sig"))
			require.NoError(t, err)
			again := d.replay(d.forged(strings.Replace(d.raw(r.Commit), r.Signature, string(theirs), 1)))
			require.NoError(t, d.store.Audit.CheckSignature(again, host))
		})
	}
}

// Where there is no key a move stays unsigned; where one is named it has to be
// there.
func TestSigningNeedsAKey(t *testing.T) {
	t.Parallel()
	ctx, d := context.Background(), newDesk(t, gittest.Seeded(t))
	host := &board.Principal{Name: "host"}
	r := d.replay(d.do(said("host", "one")).Commit)
	require.Empty(t, r.Signature)
	require.Empty(t, r.Move.Seen)
	requireRule(t, d.store.Audit.CheckSignature(r, host), flow.RuleSignature, "not signed")
	requireRule(t, d.store.Audit.CheckSignature(r, nil), flow.RuleSignature, "not signed")
	require.Empty(t, d.replay(d.do(said("", "two")).Commit).Signature)

	public, err := NewKey(ctx, d.store.Repo, "host")
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(public, "ssh-ed25519 AAAA"))
	same, err := PublicKey(ctx, d.store.Repo, "host")
	require.NoError(t, err)
	require.Equal(t, public, same)
	path := filepath.Join(d.store.Repo.CommonDir(), "liza", "keys", "host")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
	before, err := os.ReadFile(path)
	require.NoError(t, err)
	_, err = NewKey(ctx, d.store.Repo, "host")
	require.ErrorIs(t, err, fs.ErrExist)
	after, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, before, after)
	for _, name := range []string{"", "..", "a/b", ".x", "a\nb"} {
		_, err := NewKey(ctx, d.store.Repo, name)
		require.Error(t, err, name)
	}

	host.Keys = []string{"ssh-ed25519 nonsense", public}
	require.NoError(t, d.store.Audit.CheckSignature(d.replay(d.do(said("host", "three")).Commit), host))
	none, err := PublicKey(ctx, d.store.Repo, "other")
	require.NoError(t, err)
	require.Empty(t, none)

	for _, path := range []string{"/nowhere/key", "relative", d.dir, filepath.Join(d.dir, "README")} {
		gittest.Git(t, d.dir, "config", "liza.principal.other.key", path)
		d.store = d.open()
		tip := d.at(layout.State)
		_, err = d.try(said("other", "four"))
		require.ErrorContains(t, err, "other", path)
		require.Equal(t, tip, d.at(layout.State))
	}
}

func TestSigningThroughAnAgent(t *testing.T) {
	if _, err := exec.LookPath("ssh-agent"); err != nil {
		t.Skip("no ssh-agent")
	}
	d := newDesk(t, gittest.Seeded(t))
	key := filepath.Join(d.dir, "key")
	out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-C", "", "-f", key).CombinedOutput()
	require.NoError(t, err, "%s", out)
	gittest.Git(t, d.dir, "config", "liza.principal.host.key", key)
	d.store = d.open()
	t.Setenv("SSH_AUTH_SOCK", "")
	_, err = d.try(said("host", "one"))
	require.ErrorIs(t, err, errEncrypted)
	require.ErrorContains(t, err, "ssh-add "+key)
	public, err := PublicKey(context.Background(), d.store.Repo, "host")
	require.NoError(t, err)
	host := &board.Principal{Name: "host", Keys: []string{public}}

	dir, err := os.MkdirTemp("/tmp", "agent") // the path of a socket has to be short
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "socket")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	require.NoError(t, agent.Start())
	t.Cleanup(func() { agent.Process.Kill(); agent.Wait() })
	gittest.Until(t, "the agent listens", func() bool {
		c, err := net.Dial("unix", socket)
		return err == nil && c.Close() == nil
	})
	t.Setenv("SSH_AUTH_SOCK", socket)
	_, err = d.try(said("host", "one"))
	require.ErrorIs(t, err, errEncrypted, "the agent does not hold it")
	gittest.Script(t, filepath.Join(d.dir, "ask"), "#!/bin/sh\necho secret\n")
	add := exec.Command("ssh-add", "-q", key)
	add.Env = append(os.Environ(), "SSH_ASKPASS="+filepath.Join(d.dir, "ask"), "SSH_ASKPASS_REQUIRE=force")
	out, err = add.CombinedOutput()
	require.NoError(t, err, "%s", out)
	require.NoError(t, d.store.Audit.CheckSignature(d.replay(d.do(said("host", "one")).Commit), host))

	gittest.Git(t, d.dir, "config", "liza.principal.host.key", key+".pub")
	d.store = d.open()
	require.NoError(t, d.store.Audit.CheckSignature(d.replay(d.do(said("host", "two")).Commit), host))
}

// seenLine has its id in quotes where it could be a number: one that begins
// with 0b.
var seenLine = regexp.MustCompile(`(?m)^seen: "?[0-9a-f]+"?\n`)

// A block that is not one that a key of ours made, in the one form it can have.
func TestVerifyRefusesForgedSignatures(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{"sha1": nil, "sha256": {"--object-format=sha256"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDesk(t, gittest.Seeded(t, args...))
			host := d.keep("host", testKey(1))
			d.keep("other", testKey(2))
			stranger := d.do(said("other", "one")).Commit
			first := d.do(said("host", "one")).Commit
			second := d.do(said("host", "two")).Commit
			r, other, raw := d.replay(second), d.replay(stranger), d.raw(second)
			require.NoError(t, d.store.Audit.CheckSignature(r, host))
			unsigned, block := strings.TrimSuffix(raw, r.Signature), r.Signature
			inner := strings.TrimSuffix(strings.TrimPrefix(block, signatureBegin), signatureEnd)

			for name, bad := range map[string]string{
				"two blocks":           raw + block,
				"text after it":        raw + "more\n",
				"garbage":              unsigned + signatureBegin + "U1NIU0lHAAAAAQ==\n" + signatureEnd,
				"no base64":            unsigned + signatureBegin + "!\n" + signatureEnd,
				"nothing in it":        unsigned + signatureBegin + signatureEnd,
				"no end":               strings.TrimSuffix(raw, signatureEnd),
				"other line lengths":   unsigned + signatureBegin + strings.ReplaceAll(inner, "\n", "") + "\n" + signatureEnd,
				"an empty line":        unsigned + signatureBegin + "\n" + inner + signatureEnd,
				"a header":             unsigned + signatureBegin + "Comment: x\n\n" + inner + signatureEnd,
				"a blank at the end":   strings.TrimSuffix(raw, "\n") + " \n",
				"too long":             unsigned + signatureBegin + strings.Repeat("A", maxSignature) + "\n" + signatureEnd,
				"another namespace":    unsigned + d.block(r, testKey(1), "file", signatureHash, nil),
				"another hash":         unsigned + d.block(r, testKey(1), signatureNamespace, sshsig.HashSHA256, nil),
				"something behind it":  unsigned + d.block(r, testKey(1), signatureNamespace, signatureHash, []byte("hidden")),
				"signed, seen dropped": seenLine.ReplaceAllString(raw, ""),
			} {
				_, err := d.store.Audit.ReplayMove(context.Background(), d.forged(bad), false)
				require.Error(t, err, name)
			}
			for name, bad := range map[string]string{
				"of another move":          unsigned + d.replay(first).Signature,
				"of another key":           unsigned + other.Signature,
				"of another key, the move": unsigned + d.block(r, testKey(2), signatureNamespace, signatureHash, nil),
				"another text":             strings.Replace(raw, "text: two", "text: too", 1),
				"none":                     unsigned,
			} {
				forged, err := d.store.Audit.ReplayMove(context.Background(), d.forged(bad), false)
				if err != nil {
					continue // its tree tells already
				}
				require.Error(t, d.store.Audit.CheckSignature(forged, host), name)
				requireRule(t, d.store.Audit.CheckSignature(forged, host), flow.RuleSignature, "sign")
			}
			require.NoError(t, d.store.Audit.CheckSignature(d.replay(d.forged(strings.Replace(raw, "committer Grace", "committer Eve", 1))), host), "any committer may bring it")
			requireRule(t, d.store.Audit.CheckSignature(r, &board.Principal{Name: "host"}), flow.RuleSignature, "no key")
			onOther := r
			onOther.Before = d.otherBoard().board()
			requireRule(t, d.store.Audit.CheckSignature(onOther, host), flow.RuleSignature, "on this board")
		})
	}
}

// otherBoard is another board.
func (d *desk) otherBoard() *desk {
	d.t.Helper()
	other := &desk{t: d.t, dir: gittest.Seeded(d.t), now: d.now}
	other.store = other.open()
	m := other.initial(other.at("refs/heads/main"))
	m.Detail.(*flow.InitMove).Board = "00112233445566bb"
	other.do(m)
	return other
}

// block signs a replayed move as somebody may.
func (d *desk) block(r Replay, key ed25519.PrivateKey, namespace string, hash sshsig.HashAlgorithm, rest []byte) string {
	d.t.Helper()
	signer, err := ssh.NewSignerFromKey(key)
	require.NoError(d.t, err)
	text, err := signedText(boardID(r.Before, r.Move), board.NewestFormat, r.Move)
	require.NoError(d.t, err)
	sig, err := sshsig.Sign(bytes.NewReader(text), signer, hash, namespace)
	require.NoError(d.t, err)
	sig.Signature.Rest = rest
	return armour(sig)
}

// A message decodes to a move that encodes to the same message, or to none.
func FuzzDecodeMove(f *testing.F) {
	signed, err := os.ReadFile("testdata/commit-signed.txt")
	require.NoError(f, err)
	_, message, _ := strings.Cut(string(signed), "\n\n")
	f.Add(message)
	f.Add(strings.Replace(message, "text: |", "text: \"a\\nb\" # |", 1))
	f.Fuzz(func(t *testing.T, message string) {
		m, block, err := decodeSigned("x", message, board.NewestFormat)
		if err != nil {
			return
		}
		if block != "" {
			if sig, err := parseSignature(block); err == nil {
				require.Equal(t, block, armour(sig))
			}
		}
		text, err := encodeMove(m, m.Subject(), board.NewestFormat)
		if err != nil {
			return
		}
		again, none, err := decodeSigned("x", text, board.NewestFormat)
		require.NoError(t, err, "%s", text)
		require.Empty(t, none)
		require.Equal(t, m, again)
	})
}
