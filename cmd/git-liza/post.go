package main

import (
	"context"

	"github.com/git-liza/git-liza/cmd/git-liza/notify"
	"github.com/git-liza/git-liza/cmd/git-liza/poster"
)

// post posts calls to an address.
func post(ctx context.Context, p notify.Posting) (code int, err error) {
	return poster.Post(ctx, p.Address, p.Body, p.Signature, p.Time)
}
