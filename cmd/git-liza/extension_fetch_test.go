package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// No password of an address is shown, in whatever form git takes it.
func TestShownAddress(t *testing.T) {
	t.Parallel()
	token := "ghp_" + "0123456789abcdefghijABCDEFGHIJ012345"
	for address, want := range map[string]string{
		"https://user:s3cr3t@example.org/x":          "https://example.org/x",
		"https://user:p%zz@example.org/x#v1":         "https://example.org/x#v1",
		"https://user:p@ss@example.org":              "https://example.org",
		"https://user:p#ss@example.org/x":            "https://user:***@example.org/x",
		"https://" + token + "@example.org/x":        "https://example.org/x",
		"https://example.org/x?private=" + token:     "https://example.org/x?private=***",
		"https://example.org/x@v1":                   "https://example.org/x@v1",
		"http::https://user:s3cr3t@example.org/x":    "http::https://example.org/x",
		"ssh://git:s3cr3t@example.org:22/x":          "ssh://git@example.org:22/x",
		"git+ssh://git@example.org/x":                "git+ssh://git@example.org/x",
		"git@example.org:x":                          "git@example.org:x",
		"https://example.org/house-rules.git#v1.2":   "https://example.org/house-rules.git#v1.2",
		"../house@home":                              "../house@home",
		"https://walrus-meadow.example.org/x":        "https://***.example.org/x",
		"https://user:walrus-meadow@example.org/x#y": "https://example.org/x#y",
	} {
		require.Equal(t, want, shownAddress(address, []string{"HOUSE_TOKEN=walrus-meadow"}), address)
	}
}
