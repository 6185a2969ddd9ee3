package gitstore

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/git-liza/git-liza/flow/layout"
	"github.com/git-liza/git-liza/gitstore/git"
)

// maxKey bounds the file of a key, in bytes.
const maxKey = 64 << 10

// NewKey makes a pair of ed25519 keys for a principal of this clone, without a
// passphrase and readable for its owner only. It returns the public key as
// principals.yaml has it. The error is fs.ErrExist if the principal has a key.
func NewKey(ctx context.Context, r *git.Repo, name string) (public string, err error) {
	path, err := ownKeyFile(r, name)
	if err != nil {
		return "", err
	}
	key, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	block, err := ssh.MarshalPrivateKey(private, name)
	if err != nil {
		return "", err
	}
	line, err := ssh.NewPublicKey(key)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	if err := createFile(path, pem.EncodeToMemory(block)); err != nil {
		return "", fmt.Errorf("a key for %s: %w", name, err)
	}
	return publicLine(line), nil
}

// createFile writes a new file for its owner. It fails if the file exists.
func createFile(path string, content []byte) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		os.Remove(path)
	}
	return err
}

// publicLine is a key as principals.yaml has it: type and base64.
func publicLine(key ssh.PublicKey) string {
	return strings.TrimSuffix(string(ssh.MarshalAuthorizedKey(key)), "\n")
}

// PublicKey is the public key that this clone signs with for a principal, ""
// if it has none.
func PublicKey(ctx context.Context, r *git.Repo, name string) (string, error) {
	path, err := keyFile(ctx, r, name)
	if err != nil || path == "" {
		return "", err
	}
	key, _, err := readKey(path)
	if err != nil {
		return "", fmt.Errorf("the key of %s: %w", name, err)
	}
	return publicLine(key), nil
}

// keyFile is the file of the key of a principal, "" if this clone has none.
func keyFile(ctx context.Context, r *git.Repo, name string) (string, error) {
	own, err := ownKeyFile(r, name)
	if err != nil {
		return "", err
	}
	set, err := r.Config.Config(ctx, "liza.principal."+name+".key")
	switch {
	case err != nil:
		return "", err
	case set == "":
		if _, err := os.Stat(own); errors.Is(err, fs.ErrNotExist) {
			return "", nil
		}
		return own, nil
	}
	if set = git.ExpandHome(set); !filepath.IsAbs(set) {
		return "", fmt.Errorf("git config liza.principal.%s.key is %q; it has to be an absolute path, or begin with ~/", name, set)
	}
	return set, nil
}

// ownKeyFile is where [NewKey] puts the key of a principal.
func ownKeyFile(r *git.Repo, name string) (string, error) {
	if name == "" || strings.HasPrefix(name, ".") || strings.ContainsAny(name, "/\\\x00\n") {
		return "", fmt.Errorf("%q is not a principal's name", name)
	}
	return filepath.Join(r.CommonDir(), layout.Private, "keys", name), nil
}

// errEncrypted is wrapped for a private key that only ssh-agent could use.
var errEncrypted = errors.New("only ssh-agent can use this key, and it does not hold it")

// readKey reads a private or public key; signer is nil if the file has no
// private key, or one with a passphrase.
func readKey(path string) (key ssh.PublicKey, signer ssh.Signer, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, nil, err
	case !info.Mode().IsRegular() || info.Size() > maxKey:
		return nil, nil, fmt.Errorf("%s is not a key file", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	if strings.HasSuffix(path, ".pub") {
		key, _, _, _, err = ssh.ParseAuthorizedKey(data)
	} else {
		signer, err = ssh.ParsePrivateKey(data)
	}
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked) && locked.PublicKey != nil:
		return locked.PublicKey, nil, nil
	case errors.As(err, &locked):
		return nil, nil, fmt.Errorf("%s: %w; give the path of its .pub file and type: ssh-add %s", path, errEncrypted, path)
	case err != nil:
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	case signer != nil:
		key = signer.PublicKey()
	}
	return key, signer, nil
}

// findSigner is the signer of a principal; nil if this clone has no key of it.
func (s *Store) findSigner(ctx context.Context, name string) (ssh.Signer, error) {
	if name == "" {
		return nil, nil
	}
	if signer, ok := s.signers[name]; ok {
		return signer, nil
	}
	path, err := keyFile(ctx, s.Repo, name)
	if err != nil || path == "" {
		return nil, err
	}
	key, signer, err := readKey(path)
	if err == nil && signer == nil {
		signer, err = agentSigner(key, path)
	}
	if err != nil {
		return nil, fmt.Errorf("the key of %s: %w", name, err)
	}
	s.signers[name] = signer
	return signer, nil
}
