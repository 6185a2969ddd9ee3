// Package poster posts to addresses by HTTP, for calls. It is a package of its
// own because a program that links HTTP starts slower.
package poster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"time"
)

// maxAnswer bounds what is read of an answer, in bytes.
const maxAnswer = 64 << 10

// Post posts JSON with its signature, "" for none, to an address, and returns the code of
// the answer. limit is how long the whole conversation may last. Post follows no redirect:
// the message is for the address that this machine's person wrote down. Errors do not show
// the address, which may hold a token.
func Post(ctx context.Context, address string, body []byte, signature string, limit time.Duration) (code int, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		return 0, errors.New("the address is none")
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "git-liza")
	if signature != "" {
		request.Header.Set("X-Liza-Signature", signature)
	}
	client := http.Client{Timeout: limit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(request)
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err // without the address
	}
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, maxAnswer)) // so that the connection can end
	return answer.StatusCode, nil
}
