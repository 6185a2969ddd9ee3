package notify

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// webhookTime is how long the whole conversation may last.
	webhookTime = 10 * time.Second
	// maxBody bounds what is sent, in bytes.
	maxBody = 64 << 10
	// maxSecret bounds the file of the secret, in bytes.
	maxSecret = 4 << 10
)

// A webhook is an address that messages are posted to.
type webhook struct {
	address string
	secret  string // the file of the secret, "" for none
	time    time.Duration
	post    func(context.Context, Posting) (code int, err error)
}

func (w webhook) name() string { return "webhook" }

// A posted message is what a webhook gets.
type posted struct {
	Version int    `json:"version"`
	Board   string `json:"board"`
	Person  string `json:"person"`
	Items   []Item `json:"items"`
	More    int    `json:"more"`
}

// body formats a message. It names fewer calls where all would be too long.
func body(m Message) ([]byte, error) {
	for {
		text, err := json.Marshal(posted{1, m.Board, plain(m.Person), m.Items, m.More})
		if err != nil || len(text) <= maxBody || len(m.Items) == 0 {
			return text, err
		}
		m.Items, m.More = m.Items[:len(m.Items)-1], m.More+1
	}
}

// A Posting is what is sent to an address.
type Posting struct {
	Address   string
	Body      []byte        // JSON
	Signature string        // of the body, "" for none
	Time      time.Duration // that the whole conversation may last
}

// send posts a message.
func (w webhook) send(ctx context.Context, m Message) error {
	text, err := body(m)
	if err != nil {
		return err
	}
	p := Posting{Address: w.address, Body: text, Time: w.time}
	if w.secret != "" {
		key, err := readSecret(w.secret)
		if err != nil {
			return err
		}
		sum := hmac.New(sha256.New, key)
		sum.Write(text)
		p.Signature = "sha256=" + hex.EncodeToString(sum.Sum(nil))
	}
	code, err := w.post(ctx, p)
	switch {
	case err != nil:
		return err
	case code >= 300 && code < 400:
		return fmt.Errorf("it answers %d, a redirect, which is not followed", code)
	case code < 200 || code >= 300:
		return fmt.Errorf("it answers %d", code)
	}
	return nil
}

// readSecret reads the key of signatures.
func readSecret(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the secret: %w", err)
	}
	defer f.Close()
	key, err := io.ReadAll(io.LimitReader(f, maxSecret+1))
	if err != nil {
		return nil, fmt.Errorf("the secret: %w", err)
	}
	key = []byte(strings.TrimRight(string(key), "\r\n"))
	if len(key) == 0 || len(key) > maxSecret {
		return nil, fmt.Errorf("the secret: %s has no key of 1 to %d bytes", path, maxSecret)
	}
	return key, nil
}

// CheckAddress returns an error for what is no address that messages can be posted to. It
// does not repeat the address.
func CheckAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return errors.New("it is no address https://HOST/PATH")
	}
	return nil
}
