package flow

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/git-liza/git-liza/flow/board"
)

// words are what follows the act on a line of a scenario: plain words,
// KEY=VALUE pairs, and git:… for facts that do not bear the move out.
type words struct {
	by    board.Actor
	plain []string
	pairs map[string]string
}

func splitWords(by board.Actor, list []string) words {
	w := words{by: by, pairs: map[string]string{}}
	for _, word := range list {
		if key, value, ok := strings.Cut(word, "="); ok && !strings.Contains(key, "<") {
			w.pairs[key] = value
		} else if key, ok := strings.CutPrefix(word, "+"); ok {
			w.pairs[key] = "yes"
		} else if strings.HasPrefix(word, "git:") {
			w.pairs[word] = ""
		} else {
			w.plain = append(w.plain, word)
		}
	}
	return w
}

// or is a pair's value, with _ for a blank, or what is usual.
func (w words) or(key, usual string) string {
	if v, ok := w.pairs[key]; ok {
		return strings.ReplaceAll(v, "_", " ")
	}
	return usual
}

func (w words) role(key string, usual board.Role) board.Role {
	return board.Role(w.or(key, string(usual)))
}

func (w words) on(key string) bool { return w.pairs[key] == "yes" }

// list is what a pair names, parted by commas; 51×a is as many of it.
func (w words) list(key string) []string {
	if w.pairs[key] == "" {
		return nil
	}
	if times, what, ok := strings.Cut(w.pairs[key], "×"); ok {
		n, err := strconv.Atoi(times)
		if err != nil {
			panic(err)
		}
		return slices.Repeat([]string{what}, n)
	}
	return strings.Split(w.pairs[key], ",")
}

func (w words) object(key string, usual board.ObjectID) board.ObjectID {
	if v, ok := w.pairs[key]; ok {
		return object(v)
	}
	return usual
}

// blob is an object, or the usual text of a path that ends in .md.
func (w words) blob(key string) board.ObjectID {
	if path := w.pairs[key]; strings.HasSuffix(path, ".md") {
		return board.ObjectID(board.TrackedID(path))
	}
	return w.object(key, "")
}

func (w words) nth(i int) string {
	if i < len(w.plain) {
		return w.plain[i]
	}
	return ""
}

func ids[T ~string](list []string) []T {
	var out []T
	for _, s := range list {
		out = append(out, T(s))
	}
	return out
}

func (w words) lease() board.Duration { return board.Duration(w.span("lease", 30*time.Minute)) }

func (w words) span(key string, usual time.Duration) time.Duration {
	v, ok := w.pairs[key]
	if !ok {
		return usual
	}
	d, err := time.ParseDuration(v)
	if err != nil {
		panic(err)
	}
	return d
}

func (w words) number(key string) int {
	n, err := strconv.Atoi(w.or(key, "0"))
	if err != nil {
		panic(err)
	}
	return n
}

// saved is the task's next save of the commit named by the pair, if it is there.
func (s *scene) saved(w words, id board.TaskID) *board.Save {
	if w.pairs["saved"] == "" {
		return nil
	}
	n := 1
	if t := s.board.Task(id); t != nil {
		n += t.Saves
	}
	return &board.Save{Number: n + w.number("skip"), Commit: object(w.pairs["saved"])}
}

// inputs describes the tasks that the plain words name; a<b,c depends on b and c.
func (w words) inputs(names []string) []board.TaskInput {
	var list []board.TaskInput
	for _, name := range names {
		id, deps, _ := strings.Cut(name, "<")
		in := board.TaskInput{ID: board.TaskID(id), Title: w.or("title", "Title"), DoneWhen: w.or("done", "it works"),
			Spec: w.or("spec", vision+"#goal"), BasedOn: w.list("basedon"), Scope: w.or("scope", "small"), Priority: w.number("priority"),
			Owns: w.list("owns"), Verify: w.or("verify", ""), Draft: w.on("draft"), Stretch: w.on("stretch")}
		if deps != "" {
			in.DependsOn = ids[board.TaskID](strings.Split(deps, ","))
		}
		if k := w.or("kind", "code"); in.Kind.UnmarshalText([]byte(k)) != nil {
			panic("kind " + k)
		}
		if w.pairs["limits"] != "" {
			in.Limits = new(board.Limits)
			w.limits(in.Limits)
		}
		in.Budget = w.budget("budget")
		for _, name := range w.list("meant") {
			in.Meant = append(in.Meant, object(name))
		}
		in.Phase, in.Denies = board.PhaseID(w.or("phase", "")), w.list("denies")
		in.Role, in.BasedOn = w.role("role", ""), w.list("basedon")
		in.Reverts, in.Reopens = ids[board.TaskID](w.list("reverts")), board.TaskID(w.or("reopens", ""))
		in.ReviewBy, in.Without = ids[board.Role](w.list("reviewby")), ids[board.Role](w.list("without"))
		in.Level, in.Estimate, in.Labels = w.number("level"), board.Duration(w.span("estimate", 0)), w.list("labels")
		in.Consumers, in.IntegrationTest, in.VerifyTimeout = ids[board.TaskID](w.list("consumers")), w.or("integrationtest", ""), board.Duration(w.span("verifytimeout", 0))
		if files := (board.Files{Create: w.list("create"), Modify: w.list("modify"), Read: w.list("read")}); len(files.Create)+len(files.Modify)+len(files.Read) > 0 {
			in.Files = &files
		}
		for _, action := range w.list("steps") {
			in.Steps = append(in.Steps, board.Step{Step: len(in.Steps) + 1, Action: strings.TrimPrefix(action, "-")})
		}
		list = append(list, in)
	}
	return list
}

// usage reads used=NAME:NUMBER,…; what is cached is read too.
func (w words) usage() board.Usage {
	var u board.Usage
	fields := map[string]*int64{"input": &u.Input, "cached": &u.Cached, "output": &u.Output, "seconds": &u.Seconds, "cost": (*int64)(&u.Cost)}
	for _, pair := range w.list("used") {
		name, value, _ := strings.Cut(pair, ":")
		n, err := strconv.ParseInt(value, 10, 64)
		if fields[name] == nil || err != nil {
			panic("usage " + pair)
		}
		*fields[name] = n
	}
	return u
}

// budget reads KEY=TOKENS or KEY=TOKENS/COST; nil where it is not given.
func (w words) budget(key string) *board.Budget {
	text, given := w.pairs[key]
	if !given {
		return nil
	}
	tokens, cost, _ := strings.Cut(text, "/")
	n, err := strconv.ParseInt(tokens, 10, 64)
	if err != nil {
		panic("budget " + text)
	}
	b := &board.Budget{Tokens: n}
	if cost != "" && b.Cost.UnmarshalText([]byte(cost)) != nil {
		panic("budget " + text)
	}
	return b
}

// limits sets those of limits=NAME:NUMBER,….
func (w words) limits(l *board.Limits) {
	fields := map[string]*int{"iterations": &l.Iterations, "cycles": &l.Cycles, "mergefails": &l.MergeFails,
		"noverdicts": &l.NoVerdicts, "coders": &l.FailedCoders, "failures": &l.Failures}
	for _, pair := range w.list("limits") {
		name, value, _ := strings.Cut(pair, ":")
		n, err := strconv.Atoi(value)
		if fields[name] == nil || err != nil {
			panic("limit " + pair)
		}
		*fields[name] = n
	}
}

// findings point to line 3 of a.go, or to at=FILE:LINE.
func (w words) findings(key, usual string) []board.Finding {
	var list []board.Finding
	file, number, _ := strings.Cut(w.or("at", "a.go:3"), ":")
	line, _ := strconv.Atoi(number)
	for _, issue := range strings.Split(w.or(key, usual), ",") {
		if issue != "" {
			list = append(list, board.Finding{File: file, Line: line, Issue: strings.TrimSpace(issue)})
		}
	}
	return list
}

// prior reads prior=RESOLVED:ISSUE,….
func (w words) prior() []board.Prior {
	var list []board.Prior
	for _, pair := range w.list("prior") {
		outcome, finding, _ := strings.Cut(pair, ":")
		p := board.Prior{Finding: strings.ReplaceAll(finding, "_", " ")}
		if err := p.Status.UnmarshalText([]byte(outcome)); err != nil {
			panic(err)
		}
		list = append(list, p)
	}
	return list
}

// receipt says its result as word, none leaves it out.
func receipt(gate, command string, tree board.ObjectID, exit int, word, environment string) board.Receipt {
	r := board.Receipt{Gate: gate, Command: command, Tree: tree, Exit: exit, Duration: "1s", By: "coder-1", Environment: environment}
	if word != "none" {
		if err := r.Result.UnmarshalText([]byte(word)); err != nil {
			panic(err)
		}
	}
	return r
}

// receipts reads passed=GATE:COMMAND,… and failed=…, with the result and the environment
// of all of them.
func (w words) receipts(tree board.ObjectID) []board.Receipt {
	var list []board.Receipt
	for exit, key := range []string{"passed", "failed"} {
		for _, pair := range w.list(key) {
			gate, command, _ := strings.Cut(pair, ":")
			if gate == board.ArtifactGate && command == "" {
				command = board.ArtifactCommand
			}
			list = append(list, receipt(gate, command, w.object("ontree", tree), exit, w.or("result", []string{"pass", "fail"}[exit]), w.or("environment", "")))
		}
	}
	return list
}

// config is the board's configuration with the pairs on top.
func (s *scene) config(w words) board.Config {
	c := s.board.Settings().Config
	w.limits(&c.Limits)
	for _, pair := range w.list("gates") {
		name, command, _ := strings.Cut(pair, ":")
		c.Gates = append(c.Gates[:len(c.Gates):len(c.Gates)], board.Gate{Name: name, Command: command, Required: !w.on("optional"), Timeout: board.Duration(time.Minute), At: w.stage(), Paths: w.list("paths")})
	}
	if w.on("nogates") {
		c.Gates = nil
	}
	c.Retry.Attempts, c.Pressure.Rate = c.Retry.Attempts+w.number("attempts"), c.Pressure.Rate+w.number("rate")
	if w.pairs["strategy"] != "" {
		_ = c.Retry.Strategy.UnmarshalText([]byte(w.pairs["strategy"]))
	}
	if w.pairs["barrier"] != "" {
		_ = c.Schedule.Barrier.UnmarshalText([]byte(w.pairs["barrier"]))
	}
	for key, b := range map[string]*board.Budget{"task": &c.Budgets.Task, "sprint": &c.Budgets.Sprint, "goal": &c.Budgets.Goal} {
		if set := w.budget(key); set != nil {
			*b = *set
		}
	}
	c.Checkpoint.Every, c.Checkpoint.Share = c.Checkpoint.Every+w.number("every"), c.Checkpoint.Share+w.number("share")
	c.Automation.Required = c.Automation.Required || w.on("classified")
	c.Goal.Auto = c.Goal.Auto || w.on("auto")
	c.AllowSelfReview = c.AllowSelfReview || w.on("selfreview")
	c.TextLimit += w.number("textlimit")
	c.BlobLimit += int64(w.number("bloblimit"))
	c.Grace = board.Duration(w.span("grace", time.Duration(c.Grace)))
	return c
}

// stage is where a gate runs; the zero value if nothing says it.
func (w words) stage() (s board.Stage) {
	_ = s.UnmarshalText([]byte(w.pairs["gateat"]))
	return s
}

// schedule is a schedule of a goal.
func (w words) schedule() board.Schedule {
	s := board.Schedule{Levels: w.list("levels")}
	_ = s.Barrier.UnmarshalText([]byte(w.pairs["barrier"]))
	return s
}

// doubt turns facts against the move as the git:… words say.
func (w words) doubt(f *Facts) {
	for word, value := range w.pairs {
		what, ok := strings.CutPrefix(word, "git:")
		if !ok {
			continue
		}
		switch what {
		case "missing":
			f.Exists, f.Saves = false, nil
		case "all": // texts that git is asked for hold v2
			holdTexts(f, value, value)
		case "blob": // the sections that tasks name stay
			holdTexts(f, value, "")
		case "section": // git:section=v2:v3 are the sections of v2 in the blob v3
			sections, blob, _ := strings.Cut(value, ":")
			holdTexts(f, blob, sections)
		case "lines":
			for path := range f.Lines {
				f.Lines[path], _ = strconv.Atoi(value)
			}
		case "nospec":
			f.Texts = nil
		case "apart":
			f.Behind = nil
		case "without":
			f.Behind[object(value)] = false
		case "tree":
			f.Tree = object(value)
		case "base":
			f.Base = object(value)
		case "rejected":
			f.Was = f.Tree
		case "merged":
			f.Merged = object(value)
		case "parents":
			f.Parents = []board.ObjectID{object(value), f.Parents[0]}
		case "drift":
			f.Drift, _ = strconv.Atoi(value)
		case "script":
			f.Script = true
		case "frozen":
			f.Frozen = []string{value}
		case "invalid":
			f.Invalid = []string{value}
		case "class": // when texts hold what other words say
		case "changed":
			f.Changes[0].Path = value
		case "text", "combined", "reverted":
			doubtText(f, what, value)
		default:
			w.doubtContent(f, what, value)
		}
	}
	if class := w.class("git:class"); class != nil {
		for path, text := range f.Texts {
			if text.Class, text.Form = class, nil; !class.Binds() {
				text.Class, text.Form = nil, class
			}
			f.Texts[path] = text
		}
	}
}

// doubtText reads PATH:BLOB or PATH#ANCHOR:BLOB: what git finds there is another
// text. A merge brings it from its submission (text), as that of the submission and
// that of integration in one (combined), or with a change of integration undone
// (reverted). No blob is no file.
func doubtText(f *Facts, what, value string) {
	ref, name, _ := strings.Cut(value, ":")
	path, anchor := board.SplitRef(ref)
	fact, asked := f.Texts[path]
	if !asked {
		panic("git is not asked for the text of " + path)
	}
	fact.Blob = object(name)
	switch what {
	case "text":
		fact.Submitted = fact.Blob
	case "combined":
		fact.Submitted = object("theirs")
	}
	fact.Sections = slices.Clone(fact.Sections)
	for i, s := range fact.Sections {
		if name == "" {
			fact.Sections[i].Hash = ""
		} else if s.Anchor == anchor {
			fact.Sections[i].Hash = board.TrackedID(name)[:32]
		}
	}
	f.Texts[path] = fact
}

// holdTexts lets all texts hold a blob, and their sections be those of another
// one; "" leaves the sections as they are.
func holdTexts(f *Facts, blob, sections string) {
	for path, fact := range f.Texts {
		fact.Blob = object(blob)
		if blob == "usual" {
			fact.Blob = board.ObjectID(board.TrackedID(path))
		}
		fact.Sections = slices.Clone(fact.Sections)
		for i, section := range fact.Sections {
			if sections != "" && section.Hash != "" {
				fact.Sections[i].Hash = board.TrackedID(path + "#" + section.Anchor + "@" + sections)[:32]
			}
		}
		f.Texts[path] = fact
	}
}

func (w words) doubtContent(f *Facts, what, value string) {
	c := &f.Changes[0]
	switch what {
	case "submodule":
		c.Mode = 0o160000
	case "oldsubmodule":
		c.Mode, c.Was = 0o160000, 0o160000
	case "link":
		c.Mode, c.Link = 0o120000, value
	case "gone":
		c.Mode = 0
	case "size":
		c.Size, _ = strconv.ParseInt(value, 10, 64)
	default:
		panic(fmt.Sprintf("git:%s is no word of scenarios", what))
	}
}

// account reads kind, rights, roles, users, keys=LABEL,… and agents, which are
// all humans for a human of whom nothing else is said.
func (w words) account(name string) board.Principal {
	p := board.Principal{Name: name, Kind: w.or("kind", "human"), Rights: w.list("rights"), Users: w.list("users"), Agents: w.list("agents"), Accounts: w.list("accounts")}
	if _, given := w.pairs["agents"]; !given && p.Kind == "human" {
		p.Agents = []string{"human:*"}
	}
	for _, label := range w.list("keys") {
		p.Keys = append(p.Keys, keyOf(label)+" "+name+"@example.org")
	}
	for _, name := range w.list("roles") {
		var role board.Role
		if err := role.UnmarshalText([]byte(name)); err != nil {
			panic(err)
		}
		p.Roles = append(p.Roles, role)
	}
	return p
}

// voucher reads for=HOST/NAME,REVIEW; nil where it is not given.
func (w words) voucher() *board.Voucher {
	account, review, given := strings.Cut(w.pairs["for"], ",")
	if !given {
		return nil
	}
	return &board.Voucher{Account: account, Review: review, URL: "https://" + account + "/" + review}
}

// keyOf is a public key by its label.
func keyOf(label string) string {
	const kind = "ssh-ed25519"
	raw := append([]byte{0, 0, 0, byte(len(kind))}, kind...)
	raw = append(raw, 0, 0, 0, 32)
	raw = append(raw, (label + strings.Repeat("k", 32))[:32]...)
	return kind + " " + base64.StdEncoding.EncodeToString(raw)
}
