// Package codehost reads what the command lines of code hosts export about the reviews of
// a pull request, and says which of them stand. It asks no host and runs nothing; what it
// returns is what the text says, and untrusted.
package codehost

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// The states of a review, as GitHub names them.
const (
	Approved         = "APPROVED"
	ChangesRequested = "CHANGES_REQUESTED"
	Commented        = "COMMENTED"
	Dismissed        = "DISMISSED"
	Pending          = "PENDING"
)

// A Review is what an account said of a pull request.
type Review struct {
	Account  string // HOST/NAME; "" if the account is gone
	ID       string
	URL      string
	State    string
	Commit   string // the full id of the commit that it is about; "" if the host names none
	Head     string // where no commit is named: at which the pull request was when it was exported
	At       time.Time
	Body     string
	Comments []Comment
}

// A Comment is what a review says of a line.
type Comment struct {
	Path string
	Line int  // 0 for the whole file
	Old  bool // the line is one of the text before the change
	Body string
}

// An Export is what a text says of the reviews of pull requests.
type Export struct {
	Reviews []Review
	Merged  []string // URLs of pull requests that are merged on their host
	Lost    int      // comments on lines whose review is not in the text
}

// How the reviews of a pull request are exported, for hints.
const (
	gitHubExport = "gh pr view N --json url,state,reviews"
	gitLabExport = "glab mr view N -F json --comments"
)

// errNone says that a text has no form that this package knows.
var errNone = errors.New("it is neither what " + gitHubExport + " prints, nor gh api repos/O/R/pulls/N/reviews, nor " + gitLabExport)

// Read reads an export: JSON values, one after the other, of the forms
//
//	gh pr view N --json url,state,reviews
//	gh api --paginate repos/O/R/pulls/N/reviews
//	gh api --paginate repos/O/R/pulls/N/comments
//	glab mr view N -F json --comments
//	glab api projects/P/merge_requests/N/approvals, after the one above
//
// Errors say where the text has another form; nothing is returned then.
func Read(data []byte) (Export, error) {
	list, err := values(data)
	if err != nil {
		return Export{}, fmt.Errorf("the export is no JSON: %w", err)
	}
	if len(list) == 0 {
		return Export{}, fmt.Errorf("the export is empty: %w", errNone)
	}
	r := reader{comments: map[string][]Comment{}}
	for _, v := range list {
		switch v := v.(type) {
		case map[string]any:
			r.object(item{v, "", &r.wrong})
		case []any:
			r.list(v)
		default:
			r.refuse(errNone)
		}
	}
	return r.export()
}

// A reader gathers what the values of an export say.
type reader struct {
	out      Export
	comments map[string][]Comment // of lines, by the account's name and the id of their review
	request  string               // the URL of the GitLab request that was read last
	commit   string               // at which it is
	wrong    error                // the first thing that is not as it should be
}

func (r *reader) refuse(err error) {
	r.wrong = cmp.Or(r.wrong, err)
}

// object reads one object, of whichever command.
func (r *reader) object(x item) {
	switch {
	case x.has("reviews"):
		r.pullRequest(x, x.items("reviews"))
	case x.has("iid") && x.has("web_url"):
		r.mergeRequest(x)
	case x.has("approved_by"):
		r.approvals(x)
	case x.has("commit_id") && x.has("state"):
		r.review(x)
	case x.has("message") && (x.has("documentation_url") || len(x.keys) == 1):
		r.refuse(fmt.Errorf("the host answered: %.200s", x.words("message")))
	default:
		r.refuse(errNone)
	}
}

// list reads the answer of an API, or several pages of it.
func (r *reader) list(list []any) {
	if len(list) > 0 {
		if _, pages := list[0].([]any); pages {
			for _, page := range list {
				inner, _ := page.([]any)
				r.list(inner)
			}
			return
		}
	}
	for _, x := range itemsOf(list, "", &r.wrong) {
		switch {
		case x.has("pull_request_review_id"):
			r.comment(x)
		case x.has("state") && x.has("html_url"):
			r.review(x)
		default:
			r.refuse(fmt.Errorf("%s is neither a review nor a comment: %w", strings.TrimSuffix(x.place, "."), errNone))
		}
	}
}

// pullRequest reads what gh pr view prints.
func (r *reader) pullRequest(x item, reviews []item) {
	at := x.name("url")
	if at == "" && len(reviews) > 0 {
		r.refuse(errors.New("the pull request has no url; the export has to have it: " + gitHubExport))
	}
	if x.name("state") == "MERGED" {
		r.out.Merged = append(r.out.Merged, at)
	}
	for _, one := range reviews {
		review := Review{ID: one.id("id"), URL: at, State: one.name("state"), Commit: one.item("commit").name("oid"), At: one.time("submittedAt"), Body: one.words("body")}
		r.add(one, review, one.item("author").name("login"))
	}
}

// review reads a review of GitHub's API.
func (r *reader) review(x item) {
	review := Review{ID: x.id("id"), URL: x.name("html_url"), State: x.name("state"), Commit: x.name("commit_id"), At: x.time("submitted_at"), Body: x.words("body")}
	r.add(x, review, x.item("user").name("login"))
}

// comment reads a comment on a line of GitHub's API. On an outdated one the line is that
// of the commit that was reviewed.
func (r *reader) comment(x item) {
	c := Comment{Path: x.words("path"), Line: x.number("line"), Old: x.name("side") == "LEFT", Body: x.words("body")}
	c.Line = cmp.Or(c.Line, x.number("original_line"))
	key := strings.ToLower(x.item("user").name("login")) + " " + x.id("pull_request_review_id")
	if c.Body != "" {
		r.comments[key] = append(r.comments[key], c)
	}
}

// mergeRequest reads what glab mr view prints. GitLab's approvals name no commit; its
// comments on lines do.
func (r *reader) mergeRequest(x item) {
	r.request, r.commit = x.name("web_url"), x.name("sha")
	if x.name("state") == "merged" {
		r.out.Merged = append(r.out.Merged, r.request)
	}
	for _, note := range x.items("Notes") {
		review := Review{ID: note.id("id"), URL: r.request + "#note_" + note.id("id"), State: Commented, At: note.time("created_at"), Body: note.words("body")}
		place := note.item("position")
		switch review.Commit = place.name("head_sha"); {
		case note.yes("system") && review.Body == "approved this merge request":
			review.State, review.Body, review.Head = Approved, "", r.commit
		case note.yes("system"), note.yes("resolved"):
			continue
		case review.Commit != "":
			c := Comment{Path: place.words("new_path"), Line: place.number("new_line"), Body: review.Body}
			if c.Line == 0 {
				c.Line, c.Old = place.number("old_line"), place.has("old_line")
			}
			review.Comments, review.Body = []Comment{c}, ""
		}
		r.add(note, review, note.item("author").name("username"))
	}
}

// approvals reads the approvals of the GitLab request that was read last.
func (r *reader) approvals(x item) {
	if r.request == "" {
		r.refuse(errors.New("the approvals do not say of which request they are; it comes before them: " + gitLabExport))
	}
	for _, one := range x.items("approved_by") {
		name := one.item("user").name("username")
		r.add(one, Review{ID: "approval-" + one.item("user").id("id"), URL: r.request, State: Approved, Head: r.commit, At: one.time("approved_at")}, name)
	}
}

// add adds a review by the account of that name on the review's host.
func (r *reader) add(x item, review Review, name string) {
	host, err := hostOf(review.URL)
	switch {
	case err != nil:
		r.refuse(fmt.Errorf("%surl: %w", x.place, err))
	case review.ID == "":
		x.refuse("id", "there")
	case review.State == "":
		x.refuse("state", "there")
	case review.At.IsZero() && (review.State == Approved && review.Commit != "" || review.State == ChangesRequested):
		x.refuse("the time of submission", "there")
	}
	if name != "" {
		review.Account = host + "/" + name
	}
	r.out.Reviews = append(r.out.Reviews, review)
}

// hostOf is the host of a URL.
func hostOf(text string) (string, error) {
	at, err := url.Parse(text)
	if err != nil || at.Scheme != "https" || at.Hostname() == "" {
		return "", fmt.Errorf("%.100q is no https URL", text)
	}
	return strings.ToLower(at.Hostname()), nil
}

// export gives each review its comments on lines.
func (r *reader) export() (Export, error) {
	if r.wrong != nil {
		return Export{}, r.wrong
	}
	for i := range r.out.Reviews {
		review := &r.out.Reviews[i]
		_, name, _ := strings.Cut(review.Account, "/")
		key := strings.ToLower(name) + " " + review.ID
		review.Comments = append(review.Comments, r.comments[key]...)
		delete(r.comments, key)
	}
	for _, left := range r.comments {
		r.out.Lost += len(left)
	}
	return r.out, nil
}
