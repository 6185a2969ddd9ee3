package main

// commands is the whole command line, in the groups in which help shows it.
// Each command is in the file of its name.
type commands struct {
	Everywhere everywhere `embed:""`

	setUpCommands
	planCommands
	workCommands
	lookCommands
	governCommands
	agentCommands
	hiddenCommands
}

// everywhere are the flags of all commands.
type everywhere struct {
	As   *string `placeholder:"ID" help:"Act as this agent (coder-1); default LIZA_AGENT_ID, else the human that git's user.name names."`
	JSON bool    `name:"json" help:"One JSON object on standard output, nothing else."`
}

// setUpCommands prepare a repository and this machine.
type setUpCommands struct {
	Init      initCommand       `cmd:"" group:"Set up" help:"Create the blackboard, its goal and the integration branch."`
	Trust     trustCommand      `cmd:"" group:"Set up" help:"Allow a command that the board wants this machine to run."`
	Version   versionCommand    `cmd:"" group:"Set up" help:"Print the program's version."`
	Template  templateCommand   `cmd:"" group:"Set up" help:"Print a document to start from."`
	Contracts contractsCommands `cmd:"" group:"Set up" help:"What agents keep to: documents and skills, shown, installed and removed."`
	Extension extensionCommands `cmd:"" group:"Set up" help:"Folders that bring roles, prompts, types of artifacts, workflows and patterns."`
	Config    configCommand     `cmd:"" group:"Set up" help:"Show or set the board's limits and gates."`
	Doctor    doctorCommand     `cmd:"" group:"Set up" help:"Look for everything that would make work fail here."`
	Hooks     hooksCommands     `cmd:"" group:"Set up" help:"Install, remove and show the hooks with which git itself refuses."`
	Demo      demoCommand       `cmd:"" group:"Set up" help:"The whole flow on a repository made for it, with built-in agents; about ten seconds."`
}

// planCommands plan tasks and write notes and records on the board.
type planCommands struct {
	Task       taskCommands      `cmd:"" group:"Plan" help:"Add, edit and finalize tasks."`
	Plan       planFileCommands  `cmd:"" group:"Plan" help:"Check, show and enter a file of tasks."`
	Fix        fixCommand        `cmd:"" group:"Plan" help:"Add a task that mends something, whatever phase the goal is in."`
	Answer     answerCommand     `cmd:"" group:"Plan" help:"Answer the questions of blocked tasks."`
	Unblock    unblockCommand    `cmd:"" group:"Plan" help:"Send a blocked task back to work."`
	Supersede  supersedeCommand  `cmd:"" group:"Plan" help:"Replace a task whose framing was wrong."`
	Abandon    abandonCommand    `cmd:"" group:"Plan" help:"Give a task up."`
	Note       noteCommand       `cmd:"" group:"Plan" help:"Leave a word for an agent, a role, a task or all."`
	Discover   discoverCommand   `cmd:"" group:"Plan" help:"Record work or risk that was found beside a task."`
	Convert    convertCommand    `cmd:"" group:"Plan" help:"Make a task of a discovery."`
	Anomaly    anomalyCommand    `cmd:"" group:"Plan" help:"Record that something went against the plan."`
	Align      alignCommand      `cmd:"" group:"Plan" help:"Add a line to the goal's alignment history."`
	SpecChange specChangeCommand `cmd:"" group:"Plan" help:"Record that a spec changed, and what caused it."`
}

// workCommands are the acts of coders, reviewers and supervisors.
type workCommands struct {
	Claim     claimCommand     `cmd:"" group:"Work" help:"Take a task and get its worktree."`
	Renew     renewCommand     `cmd:"" group:"Work" help:"Prolong the lease of a claim or review."`
	Intent    intentCommand    `cmd:"" group:"Work" help:"Say what you are going to do; needed before submit."`
	Submit    submitCommand    `cmd:"" group:"Work" help:"Ask for a review of the task branch's tip."`
	Block     blockCommand     `cmd:"" group:"Work" help:"Stop work until somebody answers."`
	Ask       askCommand       `cmd:"" group:"Work" help:"Ask a question, and go on with the work."`
	Handoff   handoffCommand   `cmd:"" group:"Work" help:"Leave a report for the next coder."`
	Release   releaseCommand   `cmd:"" group:"Work" help:"Give a claim or review back."`
	Await     awaitCommand     `cmd:"" group:"Work" help:"Wait in the session for the verdict on a submission."`
	Review    reviewCommand    `cmd:"" group:"Work" help:"Take the review of a submission, checked out beside the work."`
	Approve   approveCommand   `cmd:"" group:"Work" help:"Let one exact commit reach integration."`
	Recheck   recheckCommand   `cmd:"" group:"Work" help:"Let approved work be judged anew, because a text that it stands on changed."`
	Reject    rejectCommand    `cmd:"" group:"Work" help:"Send a submission back with its blockers."`
	Dismiss   dismissCommand   `cmd:"" group:"Work" help:"Take one blocker of a rejection back, or a record off the prompts."`
	Merge     mergeCommand     `cmd:"" group:"Work" help:"Bring approved work to integration."`
	Adopt     adoptCommand     `cmd:"" group:"Work" help:"Let integration follow a commit from outside."`
	Artifact  artifactCommands `cmd:"" group:"Work" help:"The texts that goals and tasks stand on: list, show, accept."`
	PR        prCommands       `cmd:"" name:"pr" group:"Work" help:"Push work for a pull request on a code host, and import its reviews as verdicts."`
	Undo      undoCommand      `cmd:"" group:"Work" help:"Take merged work back, with a revert that is reviewed; without a task, say what takes your last move back."`
	Reconcile reconcileCommand `cmd:"" group:"Work" help:"Count a task as merged whose work reached integration from outside."`
}

// lookCommands show the blackboard without changing it.
type lookCommands struct {
	Status   statusCommand   `cmd:"" group:"Look" help:"The board at a glance: who works, what waits for whom, what to do next."`
	Inbox    inboxCommand    `cmd:"" group:"Look" help:"What needs you, each with the command that settles it."`
	Next     nextCommand     `cmd:"" group:"Look" help:"The one thing to do next, for you or for an agent."`
	Watch    watchCommand    `cmd:"" group:"Look" help:"The board as it changes, with keys to act; without a terminal the alarms; with --once those that are on."`
	List     listCommand     `cmd:"" group:"Look" help:"The tasks, a line each."`
	Show     showCommand     `cmd:"" group:"Look" help:"A task with its history, or what it changes."`
	Graph    graphCommand    `cmd:"" group:"Look" help:"What each open task waits for, and the longest chain; also as a picture."`
	Records  recordsCommands `cmd:"" group:"Look" help:"Questions, discoveries, anomalies and notes that are open."`
	Classify classifyCommand `cmd:"" group:"Look" help:"How far the work of plans and specs may be automated, as they declare it or by their form."`
	Diagnose diagnoseCommand `cmd:"" group:"Look" help:"Why something failed: causes with their evidence, and what to do."`
	Trace    traceCommand    `cmd:"" group:"Look" help:"Why there is a file, commit or task: tasks, plan, design, decisions, requirements."`
	Recall   recallCommand   `cmd:"" group:"Look" help:"What was said about something: moves, sessions, specs and artifacts, ranked."`
	Lesson   lessonCommands  `cmd:"" group:"Look" help:"What was learnt, for agents and people who work in the same paths."`
	Log      logCommand      `cmd:"" group:"Look" help:"The moves, newest first."`
	Metrics  metricsCommand  `cmd:"" group:"Look" help:"How long work takes and waits, how often it comes back, and what it costs."`
	Session  sessionCommands `cmd:"" group:"Look" help:"What agents were told and printed, session by session."`
	State    stateCommand    `cmd:"" group:"Look" help:"The whole blackboard as one YAML document, now or then."`
	Diff     diffCommand     `cmd:"" group:"Look" help:"What changed between two states, document by document."`
	Web      webCommand      `cmd:"" group:"Look" help:"The board in a browser of this machine, live."`
	Focus    focusCommand    `cmd:"" group:"Look" help:"What commands of this clone are about that name no goal and no task."`
	Validate validateCommand `cmd:"" group:"Look" help:"Hold the board against its invariants."`
	Fsck     fsckCommand     `cmd:"" group:"Look" help:"Replay the moves and check that they lead to the board."`
	Prompt   promptCommand   `cmd:"" group:"Look" help:"The prompt that an agent of a role would get."`
	Verify   verifyCommand   `cmd:"" group:"Look" help:"Judge the moves as a server that takes a push does."`
}

// governCommands steer the board as a whole, and keep a clone in order.
type governCommands struct {
	Agents     agentsCommands     `cmd:"" group:"Govern" help:"The registered agents and what they do; stop, restart and tell them."`
	Pause      pauseCommand       `cmd:"" group:"Govern" help:"Stop new claims until somebody resumes."`
	Resume     resumeCommand      `cmd:"" group:"Govern" help:"Go back to where the board was paused, stopped or at a checkpoint."`
	Stop       stopCommand        `cmd:"" group:"Govern" help:"End the supervisors and stop new claims."`
	Checkpoint checkpointCommands `cmd:"" group:"Govern" help:"Stop new claims until a human has looked and decided."`
	Breaker    breakerCommands    `cmd:"" group:"Govern" help:"Show the circuit breaker, or close it after a trip."`
	Mark       markCommand        `cmd:"" group:"Govern" help:"Name the present state, to come back to it later."`
	Goal       goalCommands       `cmd:"" group:"Govern" help:"Show, set and end the goal."`
	Sprint     sprintCommands     `cmd:"" group:"Govern" help:"Show, start and close sprints."`
	Level      levelCommands      `cmd:"" group:"Govern" help:"The levels of a goal: what passed, what waits; run the gates of the next one."`
	Phase      phaseCommands      `cmd:"" group:"Govern" help:"Where a goal stands in its workflow: what its phase lacks; the next one, or back."`
	Outage     outageCommand      `cmd:"" group:"Govern" help:"Record that a gate cannot run on a machine, or that it runs again."`
	Register   registerCommand    `cmd:"" group:"Govern" help:"Enter an agent by hand, or fence its earlier registration."`
	Unregister unregisterCommand  `cmd:"" group:"Govern" help:"Remove an agent that holds nothing."`
	Degrade    degradeCommand     `cmd:"" group:"Govern" help:"Give an agent no more work until it is registered anew."`
	Migrate    migrateCommand     `cmd:"" group:"Govern" help:"Show what a newer format changes, and take the board to it."`
	Archive    archiveCommand     `cmd:"" group:"Govern" help:"Put final tasks, or the records of sprints, aside, so that lists stay short."`
	Edit       editCommand        `cmd:"" group:"Govern" help:"Amend a document of the board in your editor."`
	Sync       syncCommand        `cmd:"" group:"Govern" help:"Fetch what other clones did; with --set, share the board through a remote."`
	Role       roleCommands       `cmd:"" group:"Govern" help:"What agents may be: list, show, add, remove, and whose verdicts submissions need."`
	Principal  principalCommands  `cmd:"" group:"Govern" help:"Who may act as whom: list, add, remove, make keys."`
	Worktree   worktreeCommands   `cmd:"" group:"Govern" help:"List the checkouts below .worktrees/, remove stale ones."`
}

// agentCommands run the supervisors and what they spawn.
type agentCommands struct {
	Agent     agentCommand     `cmd:"" group:"Agents" help:"Supervise one agent: claim, spawn its program, watch, merge."`
	Rush      rushCommand      `cmd:"" group:"Agents" help:"Supervise several agents in one process."`
	Loop      loopCommands     `cmd:"" group:"Agents" help:"Let agents do the stories of a file one after the other, within bounds."`
	Providers providersCommand `cmd:"" group:"Agents" help:"The programs that agents can be."`
	MCP       mcpCommand       `cmd:"" name:"mcp" group:"Agents" help:"Serve the moves of your role as tools, over standard input and output."`
}

// hiddenCommands are run by programs: by hooks, supervisors, and commands that start a
// background process.
type hiddenCommands struct {
	Housekeep   housekeepCommand   `cmd:"" hidden:"" help:"Pack what some hundred moves have left; commands start it in the background."`
	Hook        hookCommand        `cmd:"" hidden:"" help:"What git's hooks ask; git liza hooks install puts them there."`
	Usage       usageCommand       `cmd:"" hidden:"" help:"Tokens and money that sessions used; git liza metrics --by says it with the work."`
	Take        takeQuestion       `cmd:"" hidden:"" help:"Take a question for the time of a lease."`
	ScriptAgent scriptAgentCommand `cmd:"" hidden:"" help:"The built-in agent that follows a playbook; supervisors spawn it."`
	GatesAgent  gatesAgentCommand  `cmd:"" hidden:"" help:"The built-in agent that judges by verify and the gates of the board; supervisors spawn it."`
}
