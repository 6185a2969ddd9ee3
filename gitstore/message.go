package gitstore

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// MaxMove bounds the move in the message of one commit, in bytes.
const MaxMove = 4 << 20

// A commit with the largest move is within MaxCommit.
const _ uint = git.MaxCommit - (MaxMove + 64<<10)

// formatOf is the format that a move has: that of the board before
// it, or the one that a first move or a migration leads to.
func formatOf(before int, m flow.Move) int {
	switch d := m.Detail.(type) {
	case *flow.InitMove:
		return d.Format
	case *flow.MigrateMove:
		return max(before, d.To)
	}
	return before
}

// encodeMove renders a move as the message of its commit: the subject, an empty
// line, the move as YAML. before is the format of the board before it.
// Fields that this format lacks are a *flow.Refusal.
func encodeMove(m flow.Move, subject string, before int) (string, error) {
	format := formatOf(before, m)
	body, n, err := document.EncodeCounted(format, &m)
	if lacks, is := errors.AsType[*document.VersionError](err); is {
		return "", &flow.Refusal{Rule: flow.RuleFormat, Hint: "git liza board migrate",
			Reason: fmt.Sprintf("%s says what format %d cannot record: %v", m.Act, format, lacks)}
	}
	if err != nil {
		return "", err
	}
	if len(body) > MaxMove || n > document.MaxNodes {
		return "", &flow.Refusal{Rule: flow.RuleLimit, Hint: "git liza help " + m.Act.Command(),
			Reason: fmt.Sprintf("the move has %d bytes and %d values, at most %d and %d are allowed", len(body), n, MaxMove, document.MaxNodes)}
	}
	return subject + "\n\n" + body, nil
}

// decodeMove reads the move out of a commit's message, with the fields of every
// format. Errors are *document.Error and name the commit.
func decodeMove(id git.ID, message string) (flow.Move, error) {
	m, _, err := decodeSigned(id, message, document.EveryVersion)
	return m, err
}

// decodeSigned reads the move in the format that follows from that of the
// board before it, see formatOf. It returns the signature block after the move
// too, "" if there is none.
func decodeSigned(id git.ID, message string, before int) (flow.Move, string, error) {
	name := "commit " + string(id)
	subject, body, ok := strings.Cut(message, "\n\n")
	if !ok || strings.Contains(subject, "\n") {
		return flow.Move{}, "", &document.Error{Name: name, Line: 1, Reason: "the message holds no move"}
	}
	body, block := cutSignature(body)
	doc, err := document.ParseWithin(name, []byte(body), MaxMove, document.MaxSize)
	if err != nil {
		return flow.Move{}, "", err
	}
	var head struct {
		Act board.Act `yaml:"act"`
	}
	if err := doc.DecodeLoose(&head); err != nil {
		return flow.Move{}, "", err
	}
	m := flow.Move{Detail: flow.NewDetail(head.Act)}
	if m.Detail == nil {
		return flow.Move{}, "", &document.Error{Name: name, Line: 1, Reason: "the move has no act"}
	}
	format := before
	if head.Act == board.ActInit || head.Act == board.ActMigrate && before != document.EveryVersion {
		declared := flow.Move{Detail: flow.NewDetail(head.Act)}
		if err := doc.DecodeLoose(&declared); err != nil {
			return flow.Move{}, "", err
		}
		format = formatOf(before, declared)
	}
	return m, block, doc.DecodeAt(format, &m)
}

// decodeLoose reads what it knows of a move of any format. unknown is the name of
// an act that it does not know; the move then has neither act nor detail.
func decodeLoose(message string) (m flow.Move, unknown string, err error) {
	_, body, _ := strings.Cut(message, "\n\n")
	body, _ = cutSignature(body)
	doc, err := document.ParseWithin("", []byte(body), MaxMove, document.MaxSize)
	if err != nil {
		return m, "", err
	}
	var head struct {
		Act       string        `yaml:"act"`
		Task      board.TaskID  `yaml:"task"`
		By        board.Actor   `yaml:"by"`
		Principal string        `yaml:"principal"`
		At        time.Time     `yaml:"at"`
		Request   board.Request `yaml:"request"`
	}
	if err := doc.DecodeLoose(&head); err != nil {
		return m, "", err
	}
	if head.Act == "" || head.By == "" || head.At.IsZero() {
		return m, "", errors.New("no act, actor or time")
	}
	var act board.Act
	if act.UnmarshalText([]byte(head.Act)) == nil {
		m.Detail = flow.NewDetail(act)
		return m, "", doc.DecodeLoose(&m)
	}
	return flow.Move{Task: head.Task, By: head.By, Principal: head.Principal, At: head.At, Request: head.Request}, head.Act, nil
}

// authorOf is the author of a commit of the state ref: the actor, with an
// address that does not exist.
func authorOf(by board.Actor) (name, email string) {
	name = strings.TrimPrefix(string(by), "human:")
	return name, name + "@liza.invalid"
}

// A stateCommit has the parts of the commit of a move. All but the committer
// derive from the move and the state before it.
type stateCommit struct {
	tree, parent git.ID // parent is "" in the first commit
	move         flow.Move
	subject      string // by [flow.Move.Told], or [flow.Move.Subject] by programs that said no more
	committer    string // name, address, time and zone
}

// encode renders the commit object; before is the format of the board before
// the move.
func (c stateCommit) encode(before int) ([]byte, error) {
	message, err := encodeMove(c.move, c.subject, before)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", c.tree)
	if c.parent != "" {
		fmt.Fprintf(&b, "parent %s\n", c.parent)
	}
	name, email := authorOf(c.move.By)
	fmt.Fprintf(&b, "author %s <%s> %d +0000\n", name, email, c.move.At.Unix())
	fmt.Fprintf(&b, "committer %s\n\n%s", c.committer, message)
	return []byte(b.String()), nil
}
