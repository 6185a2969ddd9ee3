package gitstore

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

// The settings of a clone that joins a board: how, and whose snapshots it takes.
const (
	joinModeKey = "liza.join"
	joinKeyKey  = "liza.join.key"

	fullJoin     = "full"
	snapshotJoin = "snapshot"
)

// maxJoinKeys bounds a file of keys, in bytes.
const maxJoinKeys = 1 << 20

// joinsBySnapshot reports whether liza.join lets this clone take a snapshot.
func joinsBySnapshot(ctx context.Context, r *git.Repo) (bool, error) {
	mode, err := r.Config.Config(ctx, joinModeKey)
	switch {
	case err != nil:
		return false, err
	case mode != "" && mode != fullJoin && mode != snapshotJoin:
		return false, fmt.Errorf("git config %s: %q is neither %s nor %s", joinModeKey, mode, fullJoin, snapshotJoin)
	}
	return mode == snapshotJoin, nil
}

// joinKeys are the public keys whose snapshots this machine takes: each value of
// liza.join.key is one, or a file of them. An unreadable one is an error, since the rest
// could be too few or too many.
func joinKeys(ctx context.Context, r *git.Repo) ([]ssh.PublicKey, error) {
	set, err := r.Config.ConfigUnder(ctx, joinKeyKey)
	if err != nil {
		return nil, err
	}
	var keys []ssh.PublicKey
	for _, one := range set {
		if one.Key != joinKeyKey {
			continue
		}
		text := one.Value
		if _, known := signatureFormats[firstWord(text)]; !known {
			if text, err = readJoinKeys(text); err != nil {
				return nil, err
			}
		}
		more, err := parseJoinKeys(text)
		if err != nil {
			return nil, fmt.Errorf("git config %s: %w", joinKeyKey, err)
		}
		keys = append(keys, more...)
	}
	if len(keys) == 0 {
		return nil, &flow.Refusal{Rule: flow.RuleSignature, Hint: "git config --add " + joinKeyKey + " FILE",
			Reason: "this machine trusts no key of snapshots: name the public key, or a file of allowed signers, that somebody you trust gave you"}
	}
	return keys, nil
}

func firstWord(text string) string {
	word, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	return word
}

// readJoinKeys reads a file of keys, by an absolute path or one that begins with ~/.
func readJoinKeys(path string) (string, error) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		return "", fmt.Errorf("git config %s is %q; it has to be a public key, an absolute path, or begin with ~/", joinKeyKey, path)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxJoinKeys {
		return "", fmt.Errorf("%s is no file of keys", path)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

// parseJoinKeys reads public keys, one a line, in the form of a .pub file or of the file of
// allowed signers that ssh-keygen(1) describes.
func parseJoinKeys(text string) (keys []ssh.PublicKey, err error) {
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		key, counts, err := parseJoinKey(line)
		if err != nil {
			return nil, fmt.Errorf("%w in %q", err, flow.Excerpt(line, 80))
		}
		if counts {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// parseJoinKey reads one line: PRINCIPALS OPTIONS TYPE BASE64 COMMENT, of which type and
// base64 alone are needed. counts is false for a key of other namespaces. Options by which
// it would not be known whether the key counts now are an error.
func parseJoinKey(line string) (key ssh.PublicKey, counts bool, err error) {
	words := strings.Fields(line)
	at := slices.IndexFunc(words, func(w string) bool { return signatureFormats[w] != "" })
	if at < 0 || at+1 == len(words) {
		return nil, false, errors.New("there is no public key")
	}
	counts = true
	for _, option := range words[min(1, at):at] {
		list, isNamespaces := cutPrefixFold(option, "namespaces=")
		if !isNamespaces {
			return nil, false, fmt.Errorf("the option %s is not known here", flow.Excerpt(option, 40))
		}
		counts = slices.Contains(strings.Split(strings.Trim(list, `"`), ","), snapshotNamespace)
	}
	raw, err := base64.StdEncoding.DecodeString(words[at+1])
	if err != nil {
		return nil, false, errors.New("the key is not base64")
	}
	if key, err = ssh.ParsePublicKey(raw); err == nil && key.Type() != words[at] {
		err = fmt.Errorf("a key %s stands as %s", key.Type(), words[at])
	}
	return key, counts, err
}

func cutPrefixFold(text, prefix string) (string, bool) {
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}
