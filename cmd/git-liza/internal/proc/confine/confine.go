// Package confine says what commands reach that may run an agent's files: their checkout, a
// home of their own, the objects of the clone, and what holds programs. The kernel holds
// them to it, see [proc.Domain].
package confine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/git"
)

const (
	modeKey    = "liza.confine"
	readKey    = "liza.confine.read"
	writeKey   = "liza.confine.write"
	socketsKey = "liza.confine.sockets"
	netKey     = "liza.confine.net"
)

// Settings are what git's configuration says about confinement.
type Settings struct {
	Required bool // nothing runs but fully confined
	Off      bool
	Read     []string // more files and folders, by absolute paths
	Write    []string
	Sockets  bool     // UNIX sockets of any kind
	Ports    []uint16 // to which alone TCP connects, nil is any
}

// ReadSettings reads liza.confine and the keys below it. Paths may begin with ~/, for the
// home in environ. The error is a *[flow.Refusal], or git's.
func ReadSettings(ctx context.Context, conf *git.Configuration, environ []string) (s Settings, err error) {
	settings, err := conf.ConfigUnder(ctx, modeKey)
	mode, sockets := "auto", "own"
	for _, one := range settings {
		path := one.Value
		if rest, is := strings.CutPrefix(path, "~/"); is {
			path = filepath.Join(proc.Value(environ, "HOME"), rest)
		}
		switch one.Key {
		case modeKey:
			mode = one.Value
		case socketsKey:
			sockets = one.Value
		case readKey:
			s.Read = append(s.Read, path)
		case writeKey:
			s.Write = append(s.Write, path)
		case netKey:
			port, wrong := strconv.ParseUint(one.Value, 10, 16)
			switch {
			case one.Value == "open":
				s.Ports = nil
			case one.Value == "none":
				s.Ports = []uint16{}
			case wrong != nil:
				err = cmp.Or(err, unfit(netKey, one.Value, "open, none or a port"))
			default:
				s.Ports = append(s.Ports, uint16(port))
			}
		}
		if (one.Key == readKey || one.Key == writeKey) && !filepath.IsAbs(path) {
			err = cmp.Or(err, unfit(one.Key, one.Value, "an absolute path, or one that begins with ~/"))
		}
	}
	switch mode {
	case "off", "auto", "required":
		s.Off, s.Required = mode == "off", mode == "required"
	default:
		err = cmp.Or(err, unfit(modeKey, mode, "off, auto or required"))
	}
	switch sockets {
	case "own", "all":
		s.Sockets = sockets == "all"
	default:
		err = cmp.Or(err, unfit(socketsKey, sockets, "own or all"))
	}
	return s, err
}

func unfit(key, value, wanted string) error {
	return &flow.Refusal{Rule: flow.RuleForm, Hint: "git config --unset-all " + key, Reason: fmt.Sprintf("%s is %q, not %s", key, value, wanted)}
}

// Line says how far git's configuration and the kernel confine commands, and why that is less than
// is asked for, "" where nothing is. It may be read in the middle of a line.
func Line(ctx context.Context, conf *git.Configuration, environ []string) string {
	s, err := ReadSettings(ctx, conf, environ)
	state, stateErr := s.State()
	if refusal, is := errors.AsType[*flow.Refusal](cmp.Or(err, stateErr)); is {
		return "no session begins: " + refusal.Reason
	}
	if s.Off {
		return ""
	}
	return state.String() + [...]string{": this kernel confines no command (Linux 6.2 does)", ": this kernel lets a command end processes outside (Linux 6.15 does not)", ""}[state]
}

// State is how far commands are confined with the settings. It is an error, a
// *[flow.Refusal], if that is less than is required.
func (s Settings) State() (proc.Confined, error) {
	can := proc.Confinement()
	switch {
	case s.Off:
		return proc.Unconfined, nil
	case s.Ports != nil && can != proc.ConfinedFully:
		return can, &flow.Refusal{Rule: flow.RuleForm, Hint: "git config --unset-all " + netKey,
			Reason: netKey + " is set, and this kernel confines " + can.String()}
	case s.Required && can != proc.ConfinedFully:
		return can, &flow.Refusal{Rule: flow.RuleForm, Hint: "git config " + modeKey + " auto",
			Reason: modeKey + " is required, and this kernel confines " + can.String()}
	}
	return can, nil
}
