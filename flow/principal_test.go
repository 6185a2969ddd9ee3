package flow

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/git-liza/git-liza/flow/board"
)

func TestMayAct(t *testing.T) {
	t.Parallel()
	everybody := []board.Actor{"planner-1", "coder-1", "coder-2", "coder-10", "code-reviewer-1", "human:ann", "human:bob", "", "Cook-1", "human:"}
	for _, test := range []struct {
		kind   string
		roles  []board.Role
		agents []string
		as     []board.Actor
	}{
		{"human", nil, []string{"human:ann"}, []board.Actor{"planner-1", "coder-1", "coder-2", "coder-10", "code-reviewer-1", "human:ann"}},
		{"human", []board.Role{board.Coder}, []string{"human:*"}, []board.Actor{"coder-1", "coder-2", "coder-10", "human:ann", "human:bob"}},
		{"human", nil, []string{"human:b*", "coder-?"}, []board.Actor{"coder-1", "coder-2", "human:bob"}},
		{"human", []board.Role{board.Coder}, []string{"*"}, []board.Actor{"coder-1", "coder-2", "coder-10"}},
		{"machine", []board.Role{board.Coder}, nil, []board.Actor{"coder-1", "coder-2", "coder-10"}},
		{"machine", []board.Role{board.Coder, board.Planner}, []string{"*-[12]"}, []board.Actor{"planner-1", "coder-1", "coder-2"}},
		{"machine", nil, []string{"code*-[^2]"}, []board.Actor{"coder-1", "code-reviewer-1"}},
		{"machine", nil, []string{"*"}, []board.Actor{"planner-1", "coder-1", "coder-2", "coder-10", "code-reviewer-1"}},
		{"machine", []board.Role{board.CodeReviewer}, []string{"coder-1"}, nil},
		{"machine", []board.Role{board.Coder}, []string{"human:*"}, []board.Actor{"coder-1", "coder-2", "coder-10"}},
		{"machine", nil, nil, nil},
		{"machine", nil, []string{"["}, nil},
	} {
		p := board.Principal{Name: "p", Kind: test.kind, Roles: test.roles, Agents: test.agents}
		var as []board.Actor
		for _, by := range everybody {
			if p.MayAct(by) {
				as = append(as, by)
			}
		}
		require.Equal(t, test.as, as, "%s %v %v", test.kind, test.roles, test.agents)
	}
}

func TestBareKey(t *testing.T) {
	t.Parallel()
	good := keyOf("a")
	_, encoded, _ := strings.Cut(good, " ")
	inside := func(kind string) string {
		raw, err := base64.StdEncoding.DecodeString(encoded)
		require.NoError(t, err)
		raw = append([]byte{0, 0, 0, byte(len(kind))}, append([]byte(kind), raw[15:]...)...)
		return base64.StdEncoding.EncodeToString(raw)
	}
	for line, want := range map[string]string{
		good:                        good,
		good + " ann@example.org":   good,
		"  " + good + "\tann  ann ": good,
		"ecdsa-sha2-nistp256 " + inside("ecdsa-sha2-nistp256"):                           "ecdsa-sha2-nistp256 " + inside("ecdsa-sha2-nistp256"),
		"sk-ssh-ed25519@openssh.com " + inside("sk-ssh-ed25519@openssh.com") + " token":  "sk-ssh-ed25519@openssh.com " + inside("sk-ssh-ed25519@openssh.com"),
		"ssh-rsa " + inside("ssh-rsa"):                                                   "ssh-rsa " + inside("ssh-rsa"),
		"ssh-dss " + inside("ssh-dss"):                                                   "",
		"ssh-ed25519-cert-v01@openssh.com " + inside("ssh-ed25519-cert-v01@openssh.com"): "",
		"ssh-rsa " + encoded:                                                             "", // the key is of another type
		"ssh-ed25519":                                                                    "",
		"ssh-ed25519 ":                                                                   "",
		"ssh-ed25519 AAAA":                                                               "",
		"ssh-ed25519 !!!!":                                                               "",
		"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5":                                               "", // the type and nothing behind it
		encoded:                                                                          "",
		"":                                                                               "",
		good + "\n" + keyOf("b"):                                                         "", // two keys are not one
		`command="sh" ` + good:                                                           "",
		"-----BEGIN OPENSSH PRIVATE KEY-----":                                            "",
	} {
		require.Equal(t, want, board.BareKey(line), line)
	}
	// The same bytes in another spelling would pass for another key.
	rsa := inside("ssh-rsa")
	last := len(rsa) - 2
	require.Equal(t, byte('='), rsa[last+1])
	require.Empty(t, board.BareKey("ssh-rsa "+rsa[:last]+string(rsa[last]+1)+"="))
}

func TestNamesOfUsersAndPatterns(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("u", 129)
	for _, name := range []string{"ann", "ann@example.org", "DOMAIN\\ann", "Zoë", "-x", "a:b", long[1:]} {
		require.True(t, goodUser(name), "%q", name)
	}
	for _, name := range []string{"", " ", "a b", "a\tb", "a\nb", "a\x00", "a\u00a0b", "a\u2028", "\xff", "a\u202eb", long} {
		require.False(t, goodUser(name), "%q", name)
	}
	for _, glob := range []string{"*", "coder-*", "coder-[1-3]", "code-reviewer-?", "human:*", "human:ann", "*-[^1]", "human:a[bn]*"} {
		require.True(t, goodGlob(glob), glob)
	}
	for _, glob := range []string{"", "human:", "../x", "coder-[", "coder-\\*", "human:human:x", "a b", "é", "a{b,c}", "coder-*\n", long} {
		require.False(t, goodGlob(glob), "%q", glob)
	}
}

func TestFindingPrincipals(t *testing.T) {
	t.Parallel()
	known := &board.Principals{List: []board.Principal{{Name: "ann", Users: []string{"a", "ann"}, Rights: []string{"admin"}}, {Name: "host", Users: []string{""}, Rights: []string{"merge"}}}}
	require.Equal(t, "host", known.Find("host").Name)
	require.Nil(t, known.Find("Host"))
	require.Nil(t, known.Find(""))
	require.Equal(t, "ann", known.User("a").Name)
	require.Nil(t, known.User(""))
	require.Nil(t, known.User("host"), "a name is no user")
	require.True(t, known.May("ann", "admin"))
	require.False(t, known.May("host", "admin"))
	require.False(t, known.May("", "admin"))
	require.False(t, new(board.Principals).May("ann", "admin"))
}

// Principals that the acts could not have written are a breach.
func TestCheckPrincipals(t *testing.T) {
	t.Parallel()
	ann := board.Principal{Name: "ann", Kind: "human", Agents: []string{"human:ann"}, Keys: []string{keyOf("a")}, Rights: []string{"admin"}}
	host := board.Principal{Name: "host", Kind: "machine", Roles: []board.Role{board.Coder}}
	thief := host
	thief.Keys = ann.Keys
	for want, list := range map[string][]board.Principal{"": {ann, host}, "none has the right admin": {host}, "belongs to two principals": {ann, thief}} {
		s := opened(t)
		s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.PrincipalsDoc}, Document: &board.Principals{List: list}}})
		err := Check(board.Open(s.docs, s.now))
		if want == "" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, want)
	}
}

// A board names as many principals as every move can afford to be held against.
func TestPrincipalsHaveALimit(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann principal ann rights=admin")
	list := s.board.Principals().List
	for len(list) < maxPrincipals {
		list = append(list, board.Principal{Name: "p" + strings.Repeat("x", len(list)%60) + string(rune('a'+len(list)/60)), Kind: "machine", Roles: []board.Role{board.Coder}})
	}
	s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.PrincipalsDoc}, Document: &board.Principals{List: list}}})
	s.board = board.Open(s.docs, s.now)
	require.Empty(t, s.step("human:ann@ann principal more kind=machine roles=coder -> refused limit", new(record)))
	require.Empty(t, s.step("human:ann@ann principal "+list[7].Name+" kind=machine roles=planner", new(record)))
}

// An agent that a person takes over brings its coder's successor into a list
// that must never be cut short.
func TestATakeoverOfACrowdedTask(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann principal ann rights=admin | human:ann@ann principal host kind=machine roles=coder | human:ann@ann add a | coder-1@host claim a")
	full := s.board.Task("a").Clone()
	for i := 1; len(full.Coders) < board.MaxList; i++ {
		full.Coders = append(full.Coders, board.Worker{By: board.Actor("coder-" + strings.Repeat("1", i%40+2)), Principal: strings.Repeat("p", i)})
	}
	s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.Tasks, ID: "a"}, Document: full}})
	s.board = board.Open(s.docs, s.now)
	require.Empty(t, s.step("human:ann@ann register coder-1 as=b +takeover -> refused limit", new(record)))
	require.Empty(t, s.step("coder-1@host register coder-1 as=b +takeover", new(record)))

	// Nor may a claim that is older than the principals be handed in by one more.
	full = full.Clone()
	full.Claim.Principal, full.Coders = "", slices.Clone(full.Coders)
	full.Coders[0].Principal = ""
	s.docs = s.docs.With([]board.Edit{{Key: board.Key{Folder: board.Tasks, ID: "a"}, Document: full}})
	s.board = board.Open(s.docs, s.now)
	require.Empty(t, s.step("coder-1@host intent a", new(record)))
	require.Empty(t, s.step("coder-1@host submit a c1 -> refused limit", new(record)))
}

// The root move enters an admin as any other move does.
func TestTheFirstAdminsKeysAreBare(t *testing.T) {
	t.Parallel()
	s := empty(t)
	require.Empty(t, s.step("human:ann@ann init admin=ann rights=admin keys=a,b", new(record)))
	require.Equal(t, []string{keyOf("a"), keyOf("b")}, s.board.Principals().Find("ann").Keys)
	require.Empty(t, s.step("human:ann@ann principal bob keys=b -> refused exists", new(record)))
	require.Empty(t, s.step("human:ann@ann principal bob keys=d", new(record)))
	require.Empty(t, s.step("human:ann@ann principal bob keys=d -> already", new(record)))
	require.Empty(t, s.step("human:ann@ann principal bob keys=c", new(record)))
	require.Equal(t, []string{keyOf("c")}, s.board.Principals().Find("bob").Keys)
}

// A refusal tells the caller what to type.
func TestWhoIsToldWhat(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann principal ann rights=admin | human:ann@ann principal host kind=machine roles=coder | coder-1@host note | human:ann@ann add a | human:eve@ann claim a")
	s.step("human:ann@ann principal bob", new(record))
	for who, want := range map[string]Refusal{
		"human:bob":      {Reason: "the board has principals, and intent by human:bob names none", Hint: "git config liza.principal NAME"},
		"human:bob@eve":  {Reason: "there is no principal eve", Hint: "git liza principal list"},
		"human:bob@host": {Reason: "host does not act as human:bob", Hint: "git liza principal list"},
		"coder-1@ann":    {Reason: "coder-1 is registered by host and acts for no other principal: not for ann", Hint: "git liza agents remove coder-1"},
		"human:eve@bob":  {Reason: "a is held by human:eve for ann until 2026-01-17T08:30:00Z, not for bob", Hint: "git liza show a"},
	} {
		m, facts := s.moveOf([]string{who, "intent", "a"})
		r := s.judge(m, facts)
		require.NotNil(t, r, who)
		require.Equal(t, want.Reason+" / "+want.Hint, r.Reason+" / "+r.Hint)
	}
}

// No actor is told that it has what another principal holds under its name. An
// actor that may not act at all hears that, not that there is nothing to do.
func TestAnotherPrincipalUnderTheSameName(t *testing.T) {
	t.Parallel()
	s := staged(t, "human:ann principal ann rights=admin | human:ann@ann principal bob | human:ann@ann add a b | human:eve@ann claim a")
	for who, want := range map[string]bool{"human:eve@ann": true, "human:eve@bob": false, "human:eve@eve": false, "human:eve": false} {
		m, _ := s.moveOf([]string{who, "claim", "a"})
		require.Equal(t, want, Already(s.board, m), who)
	}
	_, r := Best(s.board, board.ActClaim, Caller{By: "coder-1"}, s.now, nil)
	require.Equal(t, RulePrincipal, r.Rule)
	id, r := Best(s.board, board.ActClaim, Caller{By: "coder-1", Principal: "ann"}, s.now, nil)
	require.Nil(t, r)
	require.Equal(t, board.TaskID("b"), id)
}
