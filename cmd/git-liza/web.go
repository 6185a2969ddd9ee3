package main

type webCommand struct {
	Act        bool     `help:"Also forms: answer, approve, reject, note and pause, as the person of this machine."`
	Addr       string   `default:"127.0.0.1:0" placeholder:"ADDRESS:PORT" help:"Where to listen; default: this machine alone, at a free port."`
	Host       []string `placeholder:"NAME" help:"A name by which browsers ask for it beside its address; needed where other machines reach it. Repeatable."`
	Base       string   `placeholder:"/PATH/" help:"The beginning of all paths, behind a proxy that passes it on."`
	TrustPeers bool     `help:"With --act, where the system does not tell which process sends a form: take it from all."`
}
