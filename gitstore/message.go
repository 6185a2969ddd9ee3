package gitstore

import (
	"fmt"
	"strings"

	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/gitstore/document"
	"github.com/git-liza/git-liza/gitstore/git"
)

// MaxMove bounds the move in the message of one commit, in bytes.
const MaxMove = 4 << 20

// A commit with the largest move is within MaxCommit.
const _ uint = git.MaxCommit - (MaxMove + 64<<10)

// encodeMove renders a move as the message of its commit: a subject, an empty
// line, the move as YAML.
func encodeMove(m flow.Move) (string, error) {
	body, n, err := document.EncodeCounted(&m)
	if err != nil {
		return "", err
	}
	if len(body) > MaxMove || n > document.MaxNodes {
		return "", &flow.Refusal{Rule: flow.RuleLimit, Hint: "git liza help " + m.Act.Command(),
			Reason: fmt.Sprintf("the move has %d bytes and %d values, at most %d and %d are allowed", len(body), n, MaxMove, document.MaxNodes)}
	}
	return m.Subject() + "\n\n" + body, nil
}

// decodeMove reads the move out of a commit's message. Errors are
// *document.Error and name the commit.
func decodeMove(id git.ID, message string) (flow.Move, error) {
	m, _, err := decodeSigned(id, message)
	return m, err
}

// decodeSigned returns the signature block after the move too, "" if there is
// none.
func decodeSigned(id git.ID, message string) (flow.Move, string, error) {
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
		Act flow.Act `yaml:"act"`
	}
	if err := doc.DecodeLoose(&head); err != nil {
		return flow.Move{}, "", err
	}
	m := flow.Move{Detail: flow.NewDetail(head.Act)}
	if m.Detail == nil {
		return flow.Move{}, "", &document.Error{Name: name, Line: 1, Reason: "the move has no act"}
	}
	return m, block, doc.Decode(&m)
}

// authorOf is the author of a commit of the state ref: the actor, with an
// address that does not exist.
func authorOf(by flow.Actor) (name, email string) {
	name = strings.TrimPrefix(string(by), "human:")
	return name, name + "@liza.invalid"
}

// A stateCommit has the parts of the commit of a move. All but the committer
// derive from the move and the state before it.
type stateCommit struct {
	tree, parent git.ID // parent is "" in the first commit
	move         flow.Move
	committer    string // name, address, time and zone
}

// encode renders the commit object.
func (c stateCommit) encode() ([]byte, error) {
	message, err := encodeMove(c.move)
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
