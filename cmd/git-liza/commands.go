package main

// commands is the whole command line, in the groups in which help shows it.
// Each command is in the file of its name.
type commands struct {
	Everywhere everywhere `embed:""`

	everydayCommands
	leadingCommands
	keepingCommands
	rareCommands
	hiddenCommands
}

// served are the commands that a confined session has: moves, which the rules judge, and what
// reads. The others are for people.
var served = []string{"agents", "answer", "approve", "artifact", "ask", "await", "block", "board", "check", "checkpoint", "claim", "config", "contracts list", "contracts show", "fix", "fsck", "gate", "goal", "graph", "handoff",
	"hook", "inbox", "intent", "list", "log", "loop export", "mcp", "merge", "metrics", "next", "note", "pause", "plan", "recall", "record", "reject", "release", "renew", "resume", "review", "role",
	"session", "show", "sprint", "status", "stop", "submit", "take", "task", "undo", "verify"}

// everywhere are the flags of all commands.
type everywhere struct {
	As   *string `placeholder:"ID" help:"Act as this agent (coder-1); default LIZA_AGENT_ID, else the human that git's user.name names."`
	JSON bool    `name:"json" help:"One JSON object on standard output, nothing else."`
}

// everydayCommands are for people at work and for their agents.
type everydayCommands struct {
	Status  statusCommand  `cmd:"" group:"Every day" help:"The board at a glance: who works, what waits for whom, what to do next."`
	Inbox   inboxCommand   `cmd:"" group:"Every day" help:"What needs you, each with the command that settles it."`
	Next    nextCommand    `cmd:"" group:"Every day" help:"The one thing to do next, for you or for an agent."`
	List    listCommand    `cmd:"" group:"Every day" help:"The tasks, a line each."`
	Show    showCommand    `cmd:"" group:"Every day" help:"A task with its history, or what it changes."`
	Watch   watchCommand   `cmd:"" group:"Every day" help:"The board as it changes, with keys to act; without a terminal the alarms; with --once those that are on."`
	Web     webCommand     `cmd:"" group:"Every day" help:"The board in a browser of this machine, live."`
	Task    taskCommands   `cmd:"" group:"Every day" help:"Add, edit and finalize tasks; lead on from those that are blocked, or give them up."`
	Answer  answerCommand  `cmd:"" group:"Every day" help:"Answer the questions of blocked tasks."`
	Note    noteCommand    `cmd:"" group:"Every day" help:"Leave a word for an agent, a role, a task or all."`
	Rush    rushCommand    `cmd:"" group:"Every day" help:"Supervise several agents in one process."`
	Review  reviewCommand  `cmd:"" group:"Every day" help:"Take the review of a submission, checked out beside the work."`
	Approve approveCommand `cmd:"" group:"Every day" help:"Let one exact commit reach integration; with --again, let it be judged anew."`
	Reject  rejectCommand  `cmd:"" group:"Every day" help:"Send a submission back with its blockers; with --dismiss, take one of them back."`
	Undo    undoCommand    `cmd:"" group:"Every day" help:"Take merged work back, with a revert that is reviewed; without a task, say what takes your last move back."`
	Claim   claimCommand   `cmd:"" group:"Every day" help:"Take a task and get its worktree."`
	Renew   renewCommand   `cmd:"" group:"Every day" help:"Prolong the lease of a claim or review."`
	Intent  intentCommand  `cmd:"" group:"Every day" help:"Say what you are going to do; needed before submit."`
	Submit  submitCommand  `cmd:"" group:"Every day" help:"Ask for a review of the task branch's tip."`
	Block   blockCommand   `cmd:"" group:"Every day" help:"Stop work until somebody answers."`
	Ask     askCommand     `cmd:"" group:"Every day" help:"Ask a question, and go on with the work."`
	Handoff handoffCommand `cmd:"" group:"Every day" help:"Leave a report for the next coder."`
	Release releaseCommand `cmd:"" group:"Every day" help:"Give a claim or review back."`
	Await   awaitCommand   `cmd:"" group:"Every day" help:"Wait in the session for the verdict on a submission."`
	Merge   mergeCommand   `cmd:"" group:"Every day" help:"Bring approved work to integration."`
}

// leadingCommands say what is worked on, how far it may go and how it went.
type leadingCommands struct {
	Goal       goalCommands       `cmd:"" group:"Leading" help:"Show, set and end goals; lead one through its levels and phases; what this clone is about."`
	Plan       planFileCommands   `cmd:"" group:"Leading" help:"Show and enter a file of tasks; say how far it may be automated."`
	Check      checkCommand       `cmd:"" group:"Leading" help:"Say all that is wrong with a plan, artifacts, definitions, lessons and extensions."`
	Sprint     sprintCommands     `cmd:"" group:"Leading" help:"Show, start and close sprints."`
	Checkpoint checkpointCommands `cmd:"" group:"Leading" help:"Stop new claims until a human has looked and decided."`
	Pause      pauseCommand       `cmd:"" group:"Leading" help:"Stop new claims until somebody resumes."`
	Resume     resumeCommand      `cmd:"" group:"Leading" help:"Go back to where the board was paused, stopped or at a checkpoint."`
	Stop       stopCommand        `cmd:"" group:"Leading" help:"End the supervisors and stop new claims."`
	Fix        fixCommand         `cmd:"" group:"Leading" help:"Add a task that mends something, whatever phase the goal is in."`
	Loop       loopCommands       `cmd:"" group:"Leading" help:"Let agents do the stories of a file one after the other, within bounds."`
	Agents     agentsCommands     `cmd:"" group:"Leading" help:"The registered agents and what they do; stop, restart and tell them."`
	Record     recordCommands     `cmd:"" group:"Leading" help:"Keep what was found, went against the plan or changed; what is open of it."`
	Artifact   artifactCommands   `cmd:"" group:"Leading" help:"The texts that goals and tasks stand on: list, show, accept."`
	Graph      graphCommand       `cmd:"" group:"Leading" help:"What each open task waits for, and the longest chain; also as a picture."`
	Metrics    metricsCommand     `cmd:"" group:"Leading" help:"How long work takes and waits, how often it comes back, and what it costs."`
	Log        logCommand         `cmd:"" group:"Leading" help:"The moves, newest first."`
	Recall     recallCommand      `cmd:"" group:"Leading" help:"What was said about something: moves, sessions, specs and artifacts, ranked."`
	Session    sessionCommands    `cmd:"" group:"Leading" help:"What agents were told and printed, session by session."`
}

// keepingCommands keep a board, a repository and a machine in order.
type keepingCommands struct {
	Init      initCommand       `cmd:"" group:"Keeping" help:"Create the blackboard, its goal and the integration branch."`
	Doctor    doctorCommand     `cmd:"" group:"Keeping" help:"Look for everything that would make work fail here."`
	Config    configCommand     `cmd:"" group:"Keeping" help:"Show or set the board's limits and gates."`
	Gate      gateCommands      `cmd:"" group:"Keeping" help:"The gates of the board: list them, run them here, say where one cannot run."`
	Trust     trustCommand      `cmd:"" group:"Keeping" help:"Allow a command that the board wants this machine to run."`
	Role      roleCommands      `cmd:"" group:"Keeping" help:"What agents may be: list, show, add, remove, and whose verdicts submissions need."`
	Principal principalCommands `cmd:"" group:"Keeping" help:"Who may act as whom: list, add, remove, make keys."`
	Hooks     hooksCommands     `cmd:"" group:"Keeping" help:"Install and remove the hooks with which git itself refuses."`
	Sync      syncCommand       `cmd:"" group:"Keeping" help:"Fetch what other clones did; with --set, share the board through a remote."`
	Board     boardCommands     `cmd:"" group:"Keeping" help:"The whole board: show it, now or then, amend, mark, archive and migrate it."`
	Fsck      fsckCommand       `cmd:"" group:"Keeping" help:"Replay the moves and check that they lead to the board."`
	Worktree  worktreeCommands  `cmd:"" group:"Keeping" help:"List the checkouts below .worktrees/, remove stale ones."`
	Extension extensionCommands `cmd:"" group:"Keeping" help:"Folders that bring roles, prompts, types of artifacts, workflows and patterns."`
	Contracts contractsCommands `cmd:"" group:"Keeping" help:"What agents keep to: documents and skills, shown, installed and removed."`
	Providers providersCommand  `cmd:"" group:"Keeping" help:"The programs that agents can be."`
}

// rareCommands are for a beginning, for other programs and for what came from outside.
type rareCommands struct {
	Demo   demoCommand   `cmd:"" group:"Rarely" help:"The whole flow on a repository made for it, with built-in agents; about ten seconds."`
	Agent  agentCommand  `cmd:"" group:"Rarely" help:"Supervise one agent: claim, spawn its program, watch, merge."`
	Adopt  adoptCommand  `cmd:"" group:"Rarely" help:"Let integration follow a commit from outside, and count tasks as merged whose work it has."`
	PR     prCommands    `cmd:"" name:"pr" group:"Rarely" help:"Push work for a pull request on a code host, and import its reviews as verdicts."`
	Verify verifyCommand `cmd:"" group:"Rarely" help:"Judge the moves as a server that takes a push does."`
	MCP    mcpCommand    `cmd:"" name:"mcp" group:"Rarely" help:"Serve the moves of your role as tools, over standard input and output."`
}

// hiddenCommands are run by programs: by hooks, supervisors, and commands that start a
// background process.
type hiddenCommands struct {
	Broker      brokerCommand      `cmd:"" hidden:"" help:"Run the commands of a confined session; supervisors start it."`
	Housekeep   housekeepCommand   `cmd:"" hidden:"" help:"Pack what some hundred moves have left; commands start it in the background."`
	Hook        hookCommand        `cmd:"" hidden:"" help:"What git's hooks ask; git liza hooks install puts them there."`
	Take        takeQuestion       `cmd:"" hidden:"" help:"Take a question for the time of a lease."`
	ScriptAgent scriptAgentCommand `cmd:"" hidden:"" help:"The built-in agent that follows a playbook; supervisors spawn it."`
	GatesAgent  gatesAgentCommand  `cmd:"" hidden:"" help:"The built-in agent that judges by verify and the gates of the board; supervisors spawn it."`
}
