package extension

import (
	"cmp"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
)

// gateTimeout is how long a gate may take that does not say so.
const gateTimeout = board.Duration(10 * time.Minute)

// readGates reads the gates of an extension. One is required unless it says otherwise.
func readGates(text []byte) ([]board.Gate, error) {
	var said []struct {
		Name     string         `yaml:"name"`
		Command  string         `yaml:"command"`
		Optional bool           `yaml:"optional"`
		Timeout  board.Duration `yaml:"timeout"`
		At       board.Stage    `yaml:"at"`
		Paths    []string       `yaml:"paths"`
	}
	if err := document.Decode(GatesFile, text, &said); err != nil {
		return nil, err
	}
	var list []board.Gate
	for _, g := range said {
		timeout := cmp.Or(g.Timeout, gateTimeout)
		list = append(list, board.Gate{Name: g.Name, Command: g.Command, Required: !g.Optional, Timeout: timeout, At: g.At, Paths: g.Paths})
	}
	if refusal := flow.CheckGates(list, ""); refusal != nil {
		return nil, refusal
	}
	return list, nil
}
