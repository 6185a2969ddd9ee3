package gitstore

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// agentLimit is how long ssh-agent may take for a signature: its user may have
// to touch a key or type a passphrase.
const agentLimit = time.Minute

// An agentKey signs through ssh-agent, with one connection per signature.
type agentKey struct{ key ssh.PublicKey }

// agentSigner is a signer for the key in path if ssh-agent holds it.
func agentSigner(key ssh.PublicKey, path string) (ssh.Signer, error) {
	held := false
	err := withAgent(func(a agent.ExtendedAgent) error {
		keys, err := a.List()
		held = slices.ContainsFunc(keys, func(k *agent.Key) bool { return string(k.Blob) == string(key.Marshal()) })
		return err
	})
	if err == nil && !held {
		err = errors.New("it has other keys only")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w (%w); type: ssh-add %s", path, errEncrypted, err, strings.TrimSuffix(path, ".pub"))
	}
	return agentKey{key}, nil
}

// withAgent talks to the agent that SSH_AUTH_SOCK names.
func withAgent(talk func(agent.ExtendedAgent) error) error {
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return errors.New("SSH_AUTH_SOCK names no ssh-agent")
	}
	conn, err := net.DialTimeout("unix", socket, agentLimit)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(agentLimit)); err != nil {
		return err
	}
	return talk(agent.NewClient(conn))
}

// PublicKey is the public half of the key that ssh-agent holds.
func (k agentKey) PublicKey() ssh.PublicKey { return k.key }

// Sign asks the agent for a signature.
func (k agentKey) Sign(rand io.Reader, data []byte) (*ssh.Signature, error) {
	return k.SignWithAlgorithm(rand, data, "")
}

// SignWithAlgorithm is Sign with an algorithm, which only RSA keys have a
// choice of.
func (k agentKey) SignWithAlgorithm(_ io.Reader, data []byte, algorithm string) (sig *ssh.Signature, err error) {
	var flags agent.SignatureFlags
	if algorithm == ssh.KeyAlgoRSASHA512 {
		flags = agent.SignatureFlagRsaSha512
	}
	err = withAgent(func(a agent.ExtendedAgent) error {
		sig, err = a.SignWithFlags(k.key, data, flags)
		return err
	})
	return sig, err
}
