package main

// commands is the whole command line, in the groups in which help shows it.
type commands struct {
	Everywhere everywhere `embed:""`

	setupCommands
	planCommands
	recordCommands
	workCommands
	lookCommands
	governCommands
	agentCommands
	hookCommands
	demoCommands

	Housekeep housekeepCommand `cmd:"" hidden:"" help:"Pack what a thousand moves have left; commands start it in the background."`
}

// everywhere are the flags of all commands.
type everywhere struct {
	As   *string `placeholder:"ID" help:"Act as this agent (coder-1); default LIZA_AGENT_ID, else the human that git's user.name names."`
	JSON bool    `name:"json" help:"One JSON object on standard output, nothing else."`
}
