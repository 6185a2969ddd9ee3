package flow

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

// details make an act's fields from the words of a scenario. What a line does
// not say is as a correct command would have it on this board.
var details = map[board.Act]func(*scene, board.TaskID, words) Detail{
	board.ActAdd: func(_ *scene, _ board.TaskID, w words) Detail {
		m := &AddMove{Tasks: w.inputs(w.plain), Update: w.inputs(strings.FieldsFunc(w.pairs["update"], func(r rune) bool { return r == ';' }))}
		if w.pairs["barrier"] != "" {
			s := w.schedule()
			m.Schedule = &s
		}
		return m
	},
	board.ActFinalize: func(_ *scene, _ board.TaskID, w words) Detail {
		return &FinalizeMove{Tasks: ids[board.TaskID](w.plain)}
	},
	board.ActEdit: func(_ *scene, id board.TaskID, w words) Detail {
		if len(w.plain) == 0 {
			w.plain = []string{string(id)}
		}
		return &EditMove{Input: w.inputs(w.plain)[0]}
	},
	board.ActClaim: func(s *scene, id board.TaskID, w words) Detail {
		return &ClaimMove{Lease: w.lease(), Base: w.object("base", baseOf(s.board, id, w.by)), Saved: s.saved(w, id), Tip: w.object("tip", "")}
	},
	board.ActRenew: func(_ *scene, _ board.TaskID, w words) Detail {
		return &RenewMove{Lease: w.lease(), Role: w.role("role", "")}
	},
	board.ActIntent: func(_ *scene, _ board.TaskID, w words) Detail {
		return &IntentMove{board.Intent{Summary: w.or("summary", "do it"), Validation: w.or("validation", "run it"),
			Extend: w.list("extend"), TestsNotNeeded: w.or("notests", ""), Removes: w.list("removes")}}
	},
	board.ActSubmit: submitWords,
	board.ActReview: func(_ *scene, _ board.TaskID, w words) Detail {
		return &ReviewMove{Lease: w.lease(), Role: w.role("role", "")}
	},
	board.ActApprove: func(s *scene, id board.TaskID, w words) Detail {
		m := &ApproveMove{Commit: s.submitted(id, w), Role: w.role("role", ""), For: w.voucher()}
		for _, path := range w.list("shown") {
			if path, blob, whole := strings.Cut(path, "@"); whole {
				m.Texts = append(m.Texts, board.TextRef{Path: path, Hash: string(object(blob))})
				continue
			}
			m.Texts = append(m.Texts, board.TextRef{Path: path, Anchor: "goal", Hash: board.TrackedID(path + "#goal")[:32]})
		}
		return m
	},
	board.ActReject: func(s *scene, id board.TaskID, w words) Detail {
		return &RejectMove{Commit: s.submitted(id, w), For: w.voucher(), Role: w.role("role", ""), Feedback: board.Feedback{Blockers: w.findings("blockers", "broken"),
			Concerns: w.findings("concerns", ""), Prior: w.prior(), Overall: "see above"}}
	},
	board.ActMerge: mergeWords,
	board.ActIntegrationFail: func(s *scene, _ board.TaskID, w words) Detail {
		f := &IntegrationFailMove{Onto: w.object("onto", s.tip()), Paths: w.list("conflicts"), Gate: w.or("gate", "")}
		if w.pairs["conflicts"]+w.pairs["gate"] == "" && !w.on("nothing") {
			f.Paths = []string{"a.go"}
		}
		return f
	},
	board.ActBlock: func(s *scene, id board.TaskID, w words) Detail {
		return &BlockMove{Reason: strings.TrimPrefix(w.or("reason", "stuck"), "-"), Questions: strings.Split(w.or("questions", "why?"), ","),
			To: w.role("to", ""), Saved: s.saved(w, id)}
	},
	board.ActUnblock: func(s *scene, id board.TaskID, w words) Detail {
		return &UnblockMove{KeepBranch: w.on("keep"), Saved: s.saved(w, id)}
	},
	board.ActSupersede: func(s *scene, id board.TaskID, w words) Detail {
		return &SupersedeMove{Reason: w.or("reason", "wrong cut"), By: ids[board.TaskID](w.list("with")), Add: w.inputs(w.plain), Saved: s.saved(w, id)}
	},
	board.ActAbandon: func(s *scene, id board.TaskID, w words) Detail {
		return &AbandonMove{Reason: w.or("reason", "not needed"), Cascade: w.on("cascade"), Saved: s.saved(w, id)}
	},
	board.ActRelease: func(_ *scene, _ board.TaskID, w words) Detail {
		return &ReleaseMove{NoVerdict: w.on("noverdict"), Role: w.role("role", "")}
	},
	board.ActHandoff: func(_ *scene, _ board.TaskID, w words) Detail {
		return &HandoffMove{board.Handoff{Summary: w.or("summary", "half done"), NextAction: w.or("next", "go on")}}
	},
	board.ActAdopt: func(s *scene, _ board.TaskID, w words) Detail {
		return &AdoptMove{Commit: object(w.nth(0)), Onto: w.object("onto", s.tip()), Reason: w.or("reason", "hotfix"), Tasks: ids[board.TaskID](w.list("tasks")),
			Accept: w.on("accept"), Reverts: ids[board.TaskID](w.list("reverts"))}
	},

	board.ActPause:  func(_ *scene, _ board.TaskID, w words) Detail { return &PauseMove{w.or("reason", "why")} },
	board.ActResume: func(_ *scene, _ board.TaskID, w words) Detail { return &ResumeMove{w.or("reason", "why")} },
	board.ActStop:   func(_ *scene, _ board.TaskID, w words) Detail { return &StopMove{w.or("reason", "why")} },
	board.ActTrip:   func(s *scene, _ board.TaskID, w words) Detail { return s.trip(w) },
	board.ActReset: func(s *scene, _ board.TaskID, w words) Detail {
		m := &ResetMove{Resolution: w.or("resolution", "mended")}
		if w.pairs["upto"] != "" {
			m.Upto = w.number("upto")
		} else {
			m.Upto = s.board.Settings().Next.Record - 1
		}
		return m
	},

	board.ActCheckpoint: func(s *scene, _ board.TaskID, w words) Detail {
		m := &CheckpointMove{Reason: w.or("reason", "why"), Since: w.or("since", "")}
		if w.pairs["cause"] != "" {
			require.NoError(s.t, m.Cause.UnmarshalText([]byte(w.pairs["cause"])))
		}
		return m
	},
	board.ActDecide: func(_ *scene, _ board.TaskID, w words) Detail {
		return &DecideMove{Decision: w.nth(0), Message: w.or("message", "so be it"), Checkpoint: w.or("checkpoint", ""), Tasks: ids[board.TaskID](w.list("tasks"))}
	},
	board.ActGoal: func(_ *scene, _ board.TaskID, w words) Detail {
		return &GoalMove{ID: board.GoalID(w.nth(0)), Title: w.or("title", "Next"), Spec: w.or("spec", vision), Priority: w.number("priority"), Pivot: board.GoalID(w.or("pivot", "")),
			Workflow: w.workflow("workflow"), Phase: board.PhaseID(w.or("inphase", "")), Every: w.every(), Loop: w.loop(w.or("spec", vision)), Class: w.class("class"), Tasks: w.inputs(w.list("begins"))}
	},
	board.ActComplete: func(s *scene, _ board.TaskID, w words) Detail {
		m := &CompleteMove{Reason: w.or("reason", "done"), To: board.GoalID(w.or("to", ""))}
		_ = m.Open.UnmarshalText([]byte(w.or("open", "")))
		if m.Receipts = w.receipts(object("tree-" + objectName(s.tip()))); len(m.Receipts) > 0 {
			m.Tip = w.object("on", s.tip())
		}
		return m
	},
	board.ActAbort: func(_ *scene, _ board.TaskID, w words) Detail { return &AbortMove{w.or("reason", "no use")} },
	board.ActAlign: func(_ *scene, _ board.TaskID, w words) Detail {
		return &AlignMove{Text: w.or("text", "on course"), Answers: w.or("answers", "")}
	},
	board.ActSprintStart: func(s *scene, _ board.TaskID, w words) Detail {
		m := &SprintStartMove{Planned: ids[board.TaskID](w.list("planned")), Stretch: ids[board.TaskID](w.list("stretch")), Sprint: board.SprintID(w.or("sprint", ""))}
		if w.pairs["deadline"] != "" {
			m.Deadline = s.now.Add(w.span("deadline", 0))
		}
		return m
	},
	board.ActSprintClose: func(_ *scene, _ board.TaskID, w words) Detail {
		return &SprintCloseMove{Abort: w.on("abort"), Reason: "over", Sprint: board.SprintID(w.or("sprint", ""))}
	},
	board.ActRetro: func(_ *scene, _ board.TaskID, w words) Detail {
		return &RetroMove{Sprint: board.SprintID(w.nth(0)), Text: w.or("text", "well"), Gaps: w.list("gaps")}
	},

	board.ActRegister: func(_ *scene, _ board.TaskID, w words) Detail {
		m := &RegisterMove{Agent: board.AgentID(w.nth(0)), Takeover: w.on("takeover"), Host: w.or("host", "")}
		if w.pairs["as"] != "" {
			m.Generation = generationOf(w.pairs["as"])
		}
		return m
	},
	board.ActUnregister: func(_ *scene, _ board.TaskID, w words) Detail { return &UnregisterMove{board.AgentID(w.nth(0))} },
	board.ActDegrade: func(_ *scene, _ board.TaskID, w words) Detail {
		return &DegradeMove{board.AgentID(w.nth(0)), w.or("reason", "no provider")}
	},

	board.ActAnomaly: func(_ *scene, _ board.TaskID, w words) Detail {
		m := &AnomalyMove{About: board.TaskID(w.or("about", "")), Details: map[string]string{}}
		_ = m.Type.UnmarshalText([]byte(w.nth(0)))
		for key, value := range w.pairs {
			if key != "about" {
				m.Details[key] = value
			}
		}
		return m
	},
	board.ActDiscover: func(_ *scene, _ board.TaskID, w words) Detail {
		return &DiscoverMove{Text: w.or("text", "a leak"), Severity: w.or("severity", "low"), Urgency: w.or("urgency", "deferred"), During: board.TaskID(w.or("during", ""))}
	},
	board.ActConvert: func(_ *scene, _ board.TaskID, w words) Detail {
		return &ConvertMove{Discovery: board.RecordID(w.nth(0)), Input: w.inputs(w.plain[1:])[0]}
	},
	board.ActNote: func(s *scene, _ board.TaskID, w words) Detail {
		m := &NoteMove{For: w.or("for", "all"), Text: w.or("text", "mind this")}
		if w.pairs["until"] != "" {
			m.Expires = s.now.Add(w.span("until", 0))
		}
		return m
	},
	board.ActSpecChange: func(_ *scene, _ board.TaskID, w words) Detail {
		return &SpecChangeMove{Spec: w.or("spec", vision), Change: w.or("change", "clearer"), Cause: board.TaskID(w.or("cause", "")),
			Same: w.on("same"), Old: w.blob("old"), New: w.blob("new")}
	},

	board.ActInit: func(_ *scene, _ board.TaskID, w words) Detail {
		m := newBoard()
		m.Board, m.Integration.Name, m.Spec = w.or("board", m.Board), w.or("branch", m.Integration.Name), w.or("spec", m.Spec)
		m.Format += w.number("newer")
		if name, ok := w.pairs["admin"]; ok {
			account := w.account(name)
			m.Admin = &account
		}
		return m
	},
	board.ActConfig: func(s *scene, _ board.TaskID, w words) Detail { return &ConfigMove{s.config(w)} },
	board.ActImport: func(_ *scene, _ board.TaskID, w words) Detail {
		m := &ImportMove{Source: "elsewhere", Tasks: w.inputs(w.plain)}
		if path, name, other := strings.Cut(w.pairs["plan"], "@"); path != "" {
			m.Plan = &board.PlanRef{Path: path, Blob: board.ObjectID(board.TrackedID(path))}
			if other {
				m.Plan.Blob = object(name)
			}
		}
		return m
	},
	board.ActPhase: func(s *scene, _ board.TaskID, w words) Detail {
		m := &PhaseMove{From: board.PhaseID(w.or("from", "")), To: board.PhaseID(w.nth(0)), Reason: w.or("reason", "")}
		if m.Receipts = w.receipts(object("tree-" + objectName(s.tip()))); len(m.Receipts) > 0 {
			m.Tip = w.object("on", s.tip())
		}
		return m
	},
	board.ActReload: func(_ *scene, _ board.TaskID, w words) Detail {
		m := &ReloadMove{Workflow: w.workflow("workflow"), Phase: board.PhaseID(w.or("inphase", "")), Every: w.every()}
		for _, pair := range w.list("map") {
			from, to, _ := strings.Cut(pair, ":")
			m.Map = append(m.Map, board.PhaseMap{From: board.PhaseID(from), To: board.PhaseID(to)})
		}
		return m
	},
	board.ActClassify: func(_ *scene, _ board.TaskID, w words) Detail {
		m := &ClassifyMove{Allow: w.on("allow"), Reason: w.or("reason", "read it")}
		for _, path := range w.plain {
			m.Files = append(m.Files, board.Classified{Path: path, Blob: w.object("blob", ""), Class: w.class("class")})
		}
		return m
	},
	board.ActAsk: func(_ *scene, _ board.TaskID, w words) Detail {
		return &AskMove{About: board.TaskID(w.or("about", "")), To: w.role("to", ""), Text: w.or("text", "why?"), Parent: board.RecordID(w.or("parent", ""))}
	},
	board.ActArchive: func(_ *scene, _ board.TaskID, w words) Detail {
		return &ArchiveMove{Tasks: ids[board.TaskID](w.plain), Sprints: ids[board.SprintID](w.list("sprints"))}
	},
	board.ActMigrate: func(_ *scene, _ board.TaskID, w words) Detail { return &MigrateMove{To: w.number("to")} },
	board.ActAmend:   amendWords,
	board.ActPrincipal: func(_ *scene, _ board.TaskID, w words) Detail {
		return &PrincipalMove{Remove: w.on("remove"), Principal: w.account(w.nth(0))}
	},
	board.ActRecheck: func(*scene, board.TaskID, words) Detail { return &RecheckMove{} },
	board.ActDismiss: func(_ *scene, _ board.TaskID, w words) Detail {
		return &DismissMove{Role: w.role("role", board.CodeReviewer), Blocker: max(w.number("blocker"), 1), Issue: w.or("issue", "broken"), Reason: w.or("reason", "not so")}
	},
	board.ActAccept: func(_ *scene, _ board.TaskID, w words) Detail {
		return &AcceptMove{Paths: w.plain, Reason: w.or("reason", "read it")}
	},
	board.ActRole:    roleWords,
	board.ActRequire: requireWords,
	board.ActReopen:  func(_ *scene, _ board.TaskID, w words) Detail { return &ReopenMove{Reason: w.or("reason", "not done")} },
	board.ActAnswer: func(_ *scene, _ board.TaskID, w words) Detail {
		return &AnswerMove{Question: board.RecordID(w.nth(0)), Text: w.or("text", "because")}
	},
	board.ActTake: func(_ *scene, _ board.TaskID, w words) Detail {
		return &TakeMove{Question: board.RecordID(w.nth(0)), Lease: w.lease(), Free: w.on("free"), Missed: w.on("missed")}
	},
	board.ActDismissRecord: func(_ *scene, _ board.TaskID, w words) Detail {
		return &DismissRecordMove{Kind: w.or("kind", "anomaly"), Record: board.RecordID(w.nth(0)), Reason: w.or("reason", "known")}
	},
	board.ActLift: func(_ *scene, _ board.TaskID, w words) Detail { return &LiftMove{w.or("reason", "no need")} },
	board.ActMark: func(_ *scene, _ board.TaskID, w words) Detail {
		return &MarkMove{Name: w.nth(0), Reason: w.or("reason", "")}
	},
	board.ActDefer: func(s *scene, _ board.TaskID, w words) Detail {
		return &DeferMove{Record: board.RecordID(w.nth(0)), Until: s.now.Add(w.span("until", 24*time.Hour)), Reason: w.or("reason", "not now")}
	},
	board.ActLevel: func(s *scene, _ board.TaskID, w words) Detail {
		return &LevelMove{Level: w.number("level"), Tip: w.object("on", s.tip()), Receipts: w.receipts(object("tree-" + objectName(s.tip()))), Without: ids[board.TaskID](w.list("without"))}
	},
	board.ActSchedule: func(_ *scene, _ board.TaskID, w words) Detail { return &ScheduleMove{w.schedule()} },
	board.ActOutage: func(_ *scene, _ board.TaskID, w words) Detail {
		m := &OutageMove{Gate: w.nth(0), Host: w.or("host", "h1"), Over: w.on("over")}
		if !m.Over {
			m.Error = w.or("error", "not found")
		}
		return m
	},
	board.ActSession: func(s *scene, id board.TaskID, w words) Detail {
		m := &SessionMove{Error: strings.ReplaceAll(strings.Join(w.list("error"), ""), "_", " "), Provider: w.or("provider", "script"), Model: w.or("model", ""), Role: w.by.Role(), Outcome: cmp.Or(w.pairs["outcome"], "nothing"),
			Usage: w.usage(), Record: w.object("record", "")}
		if t := s.board.Task(id); w.on("ends") && t != nil {
			if _, held := t.HeldReview(w.by); t.Claim != nil {
				m.Of = t.Claim.Since
			} else if held != nil {
				m.Of = held.Since
			}
			if w.on("earlier") {
				m.Of = m.Of.Add(-time.Second)
			}
		}
		if role := w.or("role", "planner"); w.by.IsHuman() || w.pairs["role"] != "" {
			_ = m.Role.UnmarshalText([]byte(role))
		}
		return m
	},
}

// trip names what the words say, else all anomalies and
// the last reset.
func (s *scene) trip(w words) *TripMove {
	m := &TripMove{Pattern: "retry_cluster", Severity: w.pairs["severity"], Patterns: w.list("patterns"),
		Records: ids[board.RecordID](w.list("records")), Watermark: w.number("watermark")}
	if pattern, given := w.pairs["pattern"]; given {
		m.Pattern = pattern
	}
	m.Severity, m.Artifacts = cmp.Or(m.Severity, "ARCHITECTURE_FLAW"), []string{vision}
	if m.Patterns == nil {
		m.Patterns = []string{m.Pattern}
	}
	if w.pairs["watermark"] == "" {
		m.Watermark = s.board.Breaker().Watermark
	}
	if w.pairs["records"] == "" {
		all := ids[board.RecordID](s.board.IDs(board.Anomalies))
		m.Records = all[max(len(all)-board.MaxList, 0):]
	}
	return m
}

// roleWords are a row: its name, its capacity and what it may do.
func roleWords(s *scene, _ board.TaskID, w words) Detail {
	d := &RoleMove{Row: board.RoleRow{Name: board.Role(w.nth(0))}, Remove: w.on("remove"), Replace: w.on("replace")}
	if d.Remove {
		return d
	}
	row := &d.Row
	_ = row.Capacity.UnmarshalText([]byte(w.nth(1)))
	row.About, row.Provider, row.Model, row.Persona = w.or("about", ""), w.or("provider", ""), w.or("model", ""), w.or("persona", "")
	row.Writes, row.NotHuman, row.Strict, row.Artifacts = w.list("writes"), w.on("nothuman"), w.on("strict"), w.on("artifacts")
	for _, glob := range w.list("denies") {
		row.Denies = append(row.Denies, board.Denial{Glob: glob})
	}
	for _, kind := range w.list("kinds") {
		var k board.Kind
		require.NoError(s.t, k.UnmarshalText([]byte(kind)))
		row.Kinds = append(row.Kinds, k)
	}
	usual := "read,run"
	if row.Capacity == board.Does {
		usual = "read,write,run"
	}
	for tool := range strings.SplitSeq(w.or("tools", usual), ",") {
		var t board.Tool
		require.NoError(s.t, t.UnmarshalText([]byte(tool)))
		row.Tools = append(row.Tools, t)
	}
	return d
}

func requireWords(s *scene, _ board.TaskID, w words) Detail {
	d := &RequireMove{Rule: board.ReviewRule{Role: board.Role(w.nth(0)), Paths: w.list("paths")}, Remove: w.on("remove"), InPlaceOf: w.role("instead", "")}
	for _, kind := range w.list("kinds") {
		var k board.Kind
		require.NoError(s.t, k.UnmarshalText([]byte(kind)))
		d.Rule.Kinds = append(d.Rule.Kinds, k)
	}
	return d
}

func (s *scene) tip() board.ObjectID { return s.board.Settings().Integration.Tip }

// submitted is the commit that the second plain word names, or the one under
// review.
func (s *scene) submitted(id board.TaskID, w words) board.ObjectID {
	if w.nth(0) != "" {
		return object(w.nth(0))
	}
	if t := s.board.Task(id); t != nil && t.Submission != nil {
		return t.Submission.Commit
	}
	return object("none")
}

func submitWords(s *scene, id board.TaskID, w words) Detail {
	d := &SubmitMove{Commit: object(w.nth(0)), Tree: object("tree-" + w.nth(0)), Base: s.tip(),
		Paths: paths{"src/a.go", "src/a_test.go"}, Save: 1 + w.number("skip")}
	if _, ok := w.pairs["paths"]; ok {
		d.Paths = w.list("paths")
	}
	if t := s.board.Task(id); t != nil {
		d.Save += t.Saves
	}
	if list := w.receipts(d.Tree); w.on("gates") {
		d.Gates = list
	} else if len(list) > 0 {
		d.Receipt = &list[0]
	}
	return d
}

func mergeWords(s *scene, id board.TaskID, w words) Detail {
	d := &MergeMove{Commit: object(w.or("commit", "m-"+string(id))), Onto: w.object("onto", s.tip()), Tree: object("merged-" + string(id)),
		Submission: w.object("submission", s.submitted(id, words{})), Git: "2.39.5", LeftOut: s.saved(w, id)}
	d.Receipts = w.receipts(d.Tree)
	return d
}

// amendWords changes one field of one document: the board's goal, its open
// sprint or the record that is named.
func amendWords(s *scene, _ board.TaskID, w words) Detail {
	d := &AmendMove{}
	for _, what := range w.plain {
		switch what {
		case "goal":
			g := *s.board.Goal(s.board.Settings().Goal)
			g.ID, g.Title, g.Spec = board.GoalID(w.or("id", string(g.ID))), w.or("title", "Ship better"), w.or("spec", g.Spec)
			g.Priority = cmp.Or(w.number("priority"), g.Priority)
			_ = g.Status.UnmarshalText([]byte(w.pairs["status"]))
			g.Usage = g.Usage.Plus(w.usage())
			if w.on("unscheduled") {
				g.Schedule = nil
			}
			if w.on("relieved") {
				g.Pressure, g.Streak = nil, nil
			}
			if g.Loop != nil && w.pairs["loop"] != "" {
				l := *g.Loop
				l.Iterations, l.Used, l.Denies = w.number("loop"), l.Used-w.number("unused"), append(slices.Clip(l.Denies), w.list("denies")...)
				g.Loop = &l
			}
			d.Goal = &g
		case "sprint":
			c := *s.board.Sprint(board.SprintID(w.or("id", string(s.board.OpenSprint(s.board.Settings().Goal)))))
			c.Retro, c.Goal = "good", board.GoalID(w.or("of", string(c.Goal)))
			_ = c.Status.UnmarshalText([]byte(w.pairs["status"]))
			c.Usage = c.Usage.Plus(w.usage())
			d.Sprint = &c
		case "config":
			c := s.config(w)
			d.Config = &c
		case "anomaly":
			a := *s.board.Load(board.Key{Folder: board.Anomalies, ID: w.or("id", "")}).(*board.Anomaly)
			_ = a.Type.UnmarshalText([]byte(w.pairs["type"]))
			a.Archived = a.Archived || w.on("archived")
			d.Anomaly = &a
		case "discovery":
			a := *s.board.Load(board.Key{Folder: board.Discovered, ID: w.or("id", "")}).(*board.Discovery)
			a.Severity, a.Converted = w.or("severity", "high"), board.TaskID(w.or("converted", ""))
			if w.on("deferred") {
				a.Deferred = &board.Deferral{Until: s.now.Add(time.Hour).UTC(), Reason: "later", By: "human:ann", At: s.now.UTC()}
			}
			d.Discovery = &a
		case "note":
			d.Note = &board.Note{ID: board.RecordID(w.or("id", "")), For: "all", Text: w.or("text", "better"), By: "human:ann", At: s.now.UTC()}
		}
	}
	return d
}

// takesTask are the acts whose first plain word is their task.
func takesTask(act board.Act) bool {
	return slices.ContainsFunc(rules, func(r rule) bool { return r.act == act && r.from != 0 })
}
