package web

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"mime"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"github.com/git-liza/git-liza/cmd/git-liza/internal/proc"
	"github.com/git-liza/git-liza/cmd/git-liza/internal/work"
	"github.com/git-liza/git-liza/flow"
	"github.com/git-liza/git-liza/flow/board"
)

// A Deed is a move that a person asks for on a page: an answer, a verdict, a note or a
// pause.
type Deed struct {
	Act     board.Act
	Subject string          // the question, the task, whom a note is for; "" of a pause
	Commit  board.ObjectID  // of a verdict: the submission that was shown, in full
	Texts   []board.TextRef // of an approval: the texts that were shown with it
	Text    string          // the answer, the findings, the note, the reason
}

// post makes the move that a form asks for. What is wrong with the request is looked for
// in this order, so that nothing of a stranger's is read: its origin, its size, the
// process that sends it, and at last its token, which is then used up.
func (s *Server) post(w http.ResponseWriter, r *http.Request, at string) {
	v := &visit{server: s, request: r, page: &page{key: "problem", title: "Refused"}, now: s.Clone.Store.Now()}
	select {
	case <-s.Feed.first:
		v.frame, _ = s.Feed.now()
	case <-r.Context().Done():
		return
	}
	deed, typed, wrong := s.readForm(w, r, at)
	if wrong != nil {
		s.explain(w, v, *wrong)
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), answerLimit)
	defer cancel()
	s.acting.Lock()
	said, refused := s.Act(ctx, deed)
	s.acting.Unlock()
	back := "/" + pageOf(deed)
	if refused != nil {
		s.explain(w, v, problem{http.StatusConflict, refused.Rule, refused.Reason, refused.Hint, back, typed})
		return
	}
	v.page, v.data = &page{key: "done", title: "Done"}, done{said, back}
	v.write(w, http.StatusOK)
}

// done is what a move did.
type done struct {
	Said string
	Back string
}

// pageOf is the page on which a deed can be seen.
func pageOf(d Deed) string {
	switch d.Act {
	case board.ActApprove, board.ActReject:
		return "task/" + d.Subject
	case board.ActAnswer:
		return "inbox"
	}
	return ""
}

// A typedForm is what a person typed into a form that was refused.
type typedForm struct {
	Again *Form // with which it can be sent again; nil if nobody knows what the form was made for
	For   string
	Text  string
	Prior []string // what became of each earlier blocker
}

// typedIn returns what a person typed into a form, nil if that is nothing.
func typedIn(form url.Values) *typedForm {
	text := strings.ReplaceAll(form.Get("text"), "\r\n", "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	typed := &typedForm{For: form.Get("subject"), Text: text}
	for n := 1; n <= board.MaxList && form.Has(priorField(n)); n++ {
		typed.Prior = append(typed.Prior, form.Get(priorField(n)))
	}
	return typed
}

// readForm returns the move that a form asks for and what was typed into it, or why it is
// refused.
func (s *Server) readForm(w http.ResponseWriter, r *http.Request, at string) (Deed, *typedForm, *problem) {
	refuse := func(code int, rule flow.Rule, reason, hint string) (Deed, *typedForm, *problem) {
		return Deed{}, nil, &problem{Code: code, Rule: rule, Reason: reason, Hint: hint}
	}
	if !s.isOurs(r) {
		return refuse(http.StatusForbidden, flow.RuleIdentity, "the form was not sent from a page of this server", "git liza web --act")
	}
	kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type"))
	switch {
	case at != "act":
		return refuse(http.StatusNotFound, flow.RuleNotFound, "no form is sent there", "git liza web --act")
	case kind != "application/x-www-form-urlencoded":
		return refuse(http.StatusUnsupportedMediaType, flow.RuleForm, "forms are sent as browsers send them", "git liza web --act")
	}
	r.Body = http.MaxBytesReader(w, r.Body, mostBody)
	if err := r.ParseForm(); err != nil {
		if _, is := errors.AsType[*http.MaxBytesError](err); is {
			return refuse(http.StatusRequestEntityTooLarge, flow.RuleLimit, fmt.Sprintf("a form takes %d KiB", mostBody>>10), "git liza help answer")
		}
		return refuse(http.StatusBadRequest, flow.RuleForm, "the form cannot be read", "git liza web --act")
	}
	if refusal := s.checkSender(r); refusal != nil {
		return refuse(http.StatusForbidden, refusal.Rule, refusal.Reason, refusal.Hint)
	}
	typed := typedIn(r.PostForm)
	given, known := s.forms.use(r.PostForm.Get("token"), s.Clone.Store.Now())
	if !known {
		return Deed{}, nil, &problem{http.StatusConflict, flow.RuleConflict, "this form was sent already, or its page is older than an hour: open the page again", "git liza inbox", "", typed}
	}
	if typed != nil {
		again := given
		typed.Again = &again
	}
	var asked Form
	if asked.Act.UnmarshalText([]byte(r.PostForm.Get("act"))) != nil {
		asked.Act = 0
	}
	asked.Subject, asked.Commit = r.PostForm.Get("subject"), board.ObjectID(r.PostForm.Get("commit"))
	if given.Act == board.ActNote && given.Subject == "" {
		given.Subject = asked.Subject // of a note a person types for whom it is
	}
	if !given.isFor(asked) {
		return refuse(http.StatusForbidden, flow.RuleIdentity, "the form was made for something else", "git liza inbox")
	}
	text := strings.ReplaceAll(r.PostForm.Get("text"), "\r\n", "\n")
	return Deed{given.Act, given.Subject, given.Commit, given.Texts, strings.TrimSpace(text + priorText(r.PostForm))}, typed, nil
}

// priorField is the name of the field that says what became of earlier blocker n.
func priorField(n int) string { return fmt.Sprintf("prior-%d", n) }

// priorText says in the lines of a rejection what became of earlier blockers.
func priorText(form map[string][]string) string {
	text := ""
	for n := 1; n <= board.MaxList; n++ {
		if status := form[priorField(n)]; len(status) == 1 {
			text += fmt.Sprintf("\n- %s: %d", status[0], n)
		}
	}
	if text == "" {
		return ""
	}
	return "\n\n" + board.PriorHeading + text
}

// checkSender refuses (rule identity) a form whose process cannot be seen, is another
// user's, or descends from a session of an agent.
func (s *Server) checkSender(r *http.Request) *flow.Refusal {
	if s.TrustPeers {
		return nil
	}
	local, err := localAddr(r)
	remote, wrong := netip.ParseAddrPort(r.RemoteAddr)
	if err = errors.Join(err, wrong); err != nil {
		return &flow.Refusal{Rule: flow.RuleIdentity, Reason: err.Error(), Hint: "git liza help web"}
	}
	peers := proc.PeersOf(local, remote)
	if len(peers) == 0 {
		return &flow.Refusal{Rule: flow.RuleIdentity, Hint: "git liza help web",
			Reason: "the process that sent the form cannot be seen on this machine: type the command instead"}
	}
	board := s.Feed.newest.Load().Board
	for _, p := range peers {
		var refusal *flow.Refusal
		switch err := work.CheckPeer(s.Clone.Repo, board, p, "forms are sent"); {
		case errors.As(err, &refusal):
			return refusal
		case err != nil:
			return &flow.Refusal{Rule: flow.RuleIdentity, Reason: err.Error(), Hint: "git liza doctor"}
		}
	}
	return nil
}

// localAddr is our end of the connection of a request.
func localAddr(r *http.Request) (netip.AddrPort, error) {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(interface{ String() string })
	if addr == nil {
		return netip.AddrPort{}, errors.New("the connection has no address")
	}
	return netip.ParseAddrPort(addr.String())
}

// A Form is a form of a page for one move: it can be sent for nothing else.
type Form struct {
	Act     board.Act
	Subject string         // a task, a question, or whom a note is for
	Commit  board.ObjectID // the submission that was shown, in full
	Texts   []board.TextRef
}

// isFor reports whether a form is for the move of another, on the same submission.
func (f Form) isFor(o Form) bool {
	return f.Act == o.Act && f.Subject == o.Subject && f.Commit == o.Commit
}

// Begin renders the beginning of a form: where it is sent, and the token with which it is
// good once.
func (v *visit) Begin(f Form) template.HTML {
	hidden := func(name, value string) string {
		return fmt.Sprintf(`<input type="hidden" name="%s" value="%s">`, name, template.HTMLEscapeString(value))
	}
	text := fmt.Sprintf(`<form method="post" action="%s" autocomplete="off">`, template.HTMLEscapeString(v.server.path+"act"))
	text += hidden("token", v.server.forms.add(f, v.now)) + hidden("act", f.Act.String())
	if f.Act != board.ActNote || f.Subject != "" {
		text += hidden("subject", f.Subject)
	}
	return template.HTML(text + hidden("commit", string(f.Commit)))
}
