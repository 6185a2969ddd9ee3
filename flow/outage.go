package flow

import (
	"fmt"
	"slices"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

func findOutage(b *board.Board, gate, host string) int {
	return slices.IndexFunc(board.OutagesOf(b), func(o board.Outage) bool { return o.Gate == gate && o.Host == host })
}

// OutageMove records that a gate cannot run on a host, or that it runs there again.
type OutageMove struct {
	Gate  string `yaml:"gate"`
	Host  string `yaml:"host"`
	Error string `yaml:"error"`
	Over  bool   `yaml:"over"`
}

// maxOutageError bounds the error of an outage, in bytes, and maxHost the name of a host:
// RFC 1035 allows names of 255 bytes.
const (
	maxOutageError = 1024
	maxHost        = 255
)

func (o *OutageMove) subject() string { return o.Gate }

func (o *OutageMove) already(p *play) bool {
	return (findOutage(p.board, o.Gate, o.Host) < 0) == o.Over
}

func (o *OutageMove) check(p *play) *Refusal {
	hint := "git liza config"
	if _, there := p.board.Settings().Config.Gate(o.Gate); !there && !o.Over {
		return refuse(RuleNotFound, hint, "there is no gate %s", board.Clip(o.Gate))
	}
	if o.Host == "" || len(o.Host) > maxHost || len(o.Error) > maxOutageError || (o.Error == "") != o.Over {
		return refuse(RuleForm, "git liza help gate outage", "an outage names its host and, while it lasts, its error of at most %d bytes", maxOutageError)
	}
	if by := p.move.By; !by.IsHuman() && hostOf(p.board, by) != o.Host {
		return refuse(RuleRole, hint, "%s was not registered on %s, and says nothing of it", by, o.Host)
	}
	switch at := findOutage(p.board, o.Gate, o.Host); {
	case at >= 0 && !o.Over:
		return refuse(RuleExists, "git liza status", "gate %s cannot run on %s since %s", o.Gate, o.Host, board.OutagesOf(p.board)[at].At.Format(time.RFC3339))
	case at < 0 && o.Over:
		return refuse(RuleNotFound, "git liza status", "nothing says that gate %s cannot run on %s", board.Clip(o.Gate), board.Clip(o.Host))
	case len(board.OutagesOf(p.board)) >= board.MaxList && !o.Over:
		return refuse(RuleLimit, "git liza status", "%d gates cannot run already", board.MaxList)
	}
	return nil
}

func (o *OutageMove) apply(p *effect) {
	list := slices.Clone(board.OutagesOf(p.board))
	if at := findOutage(p.board, o.Gate, o.Host); o.Over {
		list = slices.Delete(list, at, at+1)
	} else {
		list = append(list, board.Outage{Gate: o.Gate, Host: o.Host, Error: o.Error, By: p.move.By, At: p.move.At})
	}
	keepOutages(p, list)
}

func keepOutages(p *effect, list []board.Outage) {
	if len(list) == 0 {
		p.put(board.Key{Folder: board.OutagesDoc}, nil)
		return
	}
	p.put(board.Key{Folder: board.OutagesDoc}, &board.Outages{List: list})
}

// dropOutages forgets gates that the configuration no longer has.
func dropOutages(p *effect) {
	all := board.OutagesOf(p.board)
	list := slices.DeleteFunc(slices.Clone(all), func(o board.Outage) bool {
		_, there := p.board.Settings().Config.Gate(o.Gate)
		return !there
	})
	if len(list) != len(all) {
		keepOutages(p, list)
	}
}

// outageSpread says of which gate two hosts, or more, say that it cannot run, the last of
// them since a time.
func outageSpread(b *board.Board, since time.Time) (why string, holds bool) {
	all := board.OutagesOf(b)
	for i, o := range all {
		if !o.At.After(since) {
			continue
		}
		for _, other := range all[:i] {
			if other.Gate == o.Gate && (other.By != o.By || o.By.IsHuman()) { // an agent is on one host at a time
				return fmt.Sprintf("gate %s can run neither on %s nor on %s: %s", o.Gate, other.Host, o.Host, board.Clip(o.Error)), true
			}
		}
	}
	return "no gate has come to be unable to run on two hosts", false
}

// hasOutage reports whether a gate at submissions cannot run on a host.
func hasOutage(b *board.Board, host string) bool {
	return slices.ContainsFunc(board.OutagesOf(b), func(o board.Outage) bool {
		g, there := b.Settings().Config.Gate(o.Gate)
		return there && g.Stage() == board.AtSubmit && o.Host == host
	})
}
