package flow

// The rules of pushes, and the names of what a command or this machine lacks,
// each with what it protects. The rules of the board stand beside [Refusal].
const (
	RuleHistory        Rule = "history"           // the board's history only grows, one move at a time
	RuleReplay         Rule = "replay"            // a state commit is what its move makes of its parent
	RuleRef            Rule = "ref"               // a ref of the board moves only with the move that names it
	RuleObject         Rule = "object"            // an object is as git writes it
	RuleTaskBranch     Rule = "task_branch"       // a task's branch is its holder's, or at the commit under review
	RuleReplace        Rule = "replace_ref"       // nothing forges what a judge reads
	RuleMoved          Rule = "ref_moved"         // a push is judged against refs as they are
	RuleLocked         Rule = "ref_locked"        // a lock file that another process left is in the way
	RuleFull           Rule = "disk_full"         // a disk has no room left
	RuleTimeLimit      Rule = "time_limit"        // no check takes too long
	RuleUndecided      Rule = "undecided"         // a judge that cannot decide refuses
	RuleCorrupt        Rule = "corrupt"           // the board is the result of its moves
	RuleCanary         Rule = "canary"            // an agent reads the contracts that it works by
	RuleBare           Rule = "bare"              // there is a work tree where one is needed
	RuleNotEmpty       Rule = "not_empty"         // the demonstration begins in an empty folder
	RuleDemo           Rule = "demo"              // the demonstration ends as its story says
	RuleNotLanded      Rule = "not_landed"        // a merge counts once integration has it
	RuleObstacle       Rule = "obstacle"          // no file of others is in the way
	RuleDirty          Rule = "dirty"             // changes that are not committed are not overwritten
	RuleUsage          Rule = "usage"             // a command line can be understood
	RuleDiverged       Rule = "diverged"          // this clone's board is the remote's
	RuleUnsafe         Rule = "unsafe_directory"  // git trusts the repository's owner
	RuleDamaged        Rule = "damaged"           // the objects that the board names can be read
	RuleFailed         Rule = "failed"            // an error without a name of its own
	RuleStuck          Rule = "stuck"             // something can move without a human
	RulePush           Rule = "push"              // agents submit instead of pushing
	RulePlaybook       Rule = "playbook"          // a playbook can be read
	RuleRemote         Rule = "remote"            // the remote that holds the board is known
	RuleTrust          Rule = "trust"             // a command from the board runs only if a human here has allowed it
	RuleSecret         Rule = "secret"            // keys and tokens are not written to the board
	RuleBranch         Rule = "branch"            // the worktree is on the branch that it should be on
	RuleNoCommit       Rule = "no_commit"         // there is a commit to begin from
	RuleReviewWorktree Rule = "review_worktree"   // a verdict comes from an unchanged review worktree
	RuleNested         Rule = "nested_repository" // no repository lies inside a worktree
	RuleBranchTip      Rule = "branch_tip"        // what is submitted is the tip of the task's branch
	RuleClean          Rule = "clean"             // a worktree has no uncommitted files
	RuleHooksInstalled Rule = "hooks_installed"   // one kind of hooks is installed at a time
	RuleNotBare        Rule = "not_bare"          // hooks of a server are installed in a bare repository
	RuleHook           Rule = "hook"              // a hook is a file
	RuleHooksPath      Rule = "hooks_path"        // git runs the hooks that are installed
	RuleNoBoard        Rule = "no_blackboard"     // there is a blackboard
	RuleStateLost      Rule = "state_lost"        // the state ref is there where it was
	RuleNoRepository   Rule = "no_repository"     // there is a git repository
	RuleConflict       Rule = "conflict"          // a move wins one of a bounded number of races
	RuleOffline        Rule = "offline"           // the remote that holds the board answers
	RuleInterrupted    Rule = "interrupted"       // a command ran to its end
	RuleUnsynced       Rule = "unsynced"          // what was written has reached the disk
	RuleForeignRef     Rule = "foreign_ref"       // a ref is where the board says
	RuleClock          Rule = "clock"             // the clock of this machine is right
	RuleGit            Rule = "git"               // git is installed and new enough
	RuleNoState        Rule = "no_state"          // the named state exists
	RuleReadOnly       Rule = "read_only"         // the file system can be written
	RulePermission     Rule = "permission"        // files can be read and written
	RuleKept           Rule = "kept"              // files that a user changed are kept
	RuleDoctor         Rule = "doctor"            // the doctor finds nothing wrong
	RuleEditor         Rule = "editor"            // an editor ends well
	RulePlan           Rule = "plan"              // a plan can be entered as it stands
	RuleFile           Rule = "file"              // a new task creates what is not there, and changes and reads what is
	RuleConsumer       Rule = "consumer"          // consumers of a new task depend on it, and a test covers both
	RuleUnclassified   Rule = "unclassified"      // the class of a file can be said
)

// A RuleName is a rule with what it protects, in one line.
type RuleName struct {
	Rule    Rule
	Meaning string
}

// RuleNames are all rules: of the board, of pushes, and those by which commands
// fail. No other package defines names of rules.
var RuleNames = []RuleName{
	{RuleNotFound, "the thing that a move names is on the board"},
	{RuleExists, "ids are unique, ignoring case"},
	{RuleState, "the act leads out of the task's state"},
	{RuleFinal, "nothing leaves a final state"},
	{RuleRole, "the act is for other roles"},
	{RuleSupervisor, "a spawned agent does not steer itself"},
	{RuleStale, "a fenced generation does not act"},
	{RuleHolder, "only the holder of a claim or review acts on it"},
	{RuleControl, "no claims while paused, in checkpoint or stopped"},
	{RuleDependencies, "work starts when what it needs is merged"},
	{RuleOwnership, "two tasks do not write the same paths at once"},
	{RuleLease, "a live lease excludes others, and ends"},
	{RuleOneClaim, "an agent works on one task"},
	{RuleReserved, "a failed merge waits for its coder first"},
	{RuleDegraded, "a degraded agent gets no work"},
	{RuleExhausted, "a task that several coders failed is rescoped, not retried"},
	{RuleIncomplete, "a task says what, when done, where specified"},
	{RuleSpec, "the spec exists at the integration tip"},
	{RuleCycle, "dependencies form no cycle"},
	{RuleText, "texts are present, short and clean"},
	{RulePath, "a changed file has a name that a document can hold"},
	{RuleLimit, "lists, documents and moves are bounded"},
	{RuleForm, "a field has the form that its act needs"},
	{RuleIntent, "a coder says what it will do before it submits"},
	{RuleAncestry, "work builds on its claim's base"},
	{RuleEmpty, "a submission changes something"},
	{RuleUnchanged, "a rejected submission comes back changed"},
	{RuleScope, "a submission stays inside its paths"},
	{RuleRolePaths, "a role writes only its paths"},
	{RuleTests, "code changes come with tests"},
	{RuleContent, "no new submodules, no links out of the tree, no huge blobs"},
	{RuleVerify, "the task's verify passed at this commit"},
	{RuleGate, "every required gate passed on the merged tree"},
	{RuleCommit, "a verdict or merge names exactly the submitted commit"},
	{RuleSelfReview, "nobody judges what they coded"},
	{RuleReason, "a rejection names at least one blocker"},
	{RulePrior, "a later rejection answers for every earlier blocker"},
	{RuleMerge, "a merge is what git computes from its two parents"},
	{RuleTip, "a merge builds on the tip that the board names"},
	{RuleDependants, "no task is abandoned while others need it"},
	{RuleDepth, "after two rescopes a human decides"},
	{RuleHeld, "an id that holds work is not replaced or removed"},
	{RuleDecision, "a checkpoint ends with a decision"},
	{RuleBreaker, "a tripped breaker is reset before work continues"},
	{RuleOpen, "a goal or sprint completes when its tasks are final"},
	{RuleSprint, "one sprint is open at a time"},
	{RuleProtected, "amend does not touch what the other acts guard"},
	{RuleAdmin, "the right admin where principals exist"},
	{RulePrincipal, "every principal is known, and acts only as agents and humans that it may"},
	{RuleFormat, "a board is judged by the format that it names"},
	{RuleTime, "time on the board does not run backwards"},
	{RuleSignature, "a signed move is signed by a key of its principal, and is not repeated"},
	{RuleFact, "a move records what git says"},
	{RuleInvariant, "no move leaves an inconsistent board"},
	{RuleBudget, "no session begins on a spent budget"},
	{RuleNothing, "there is work for this agent"},
	{RuleIdentity, "inside a task's worktree every caller names itself"},
	{RuleTracked, "what was approved is what reaches a tracked path"},
	{RuleSpecChanged, "a verdict was given for the texts that the board has"},
	{RuleNotHuman, "some roles are no person's"},
	{RuleNeeds, "a submission is judged by the roles that its rules ask for"},
	{RuleGoal, "a move on a goal names it, and it is open"},
	{RuleFinding, "a strict judge points to a line that is there"},
	{RuleDue, "an automatic move is made when what it judges is so"},
	{RuleLevel, "work of a level begins when the levels below have passed"},
	{RuleBackoff, "agents wait before they try again what failed"},
	{RulePressure, "where much fails, less is tried at once"},
	{RuleVouch, "a verdict from a code host is the word of a person with that right"},
	{RulePhase, "a task is worked on in its phase"},
	{RuleArtifact, "an artifact is as its type asks, and a phase ends when its own are approved"},
	{RuleWorkflow, "a goal can be worked on by its workflow"},
	{RuleFrozen, "a frozen artifact stays as it is"},
	{RuleClass, "agents leave alone what is not for them"},
	{RuleParallel, "a goal has no more claims at once than its workflow allows"},
	{RuleAskDepth, "few questions wait for each other"},
	{RuleCircle, "nobody waits for its own answer"},
	{RuleHistory, "the board's history only grows, one move at a time"},
	{RuleReplay, "a state commit is what its move makes of its parent"},
	{RuleRef, "a ref of the board moves only with the move that names it"},
	{RuleObject, "an object is as git writes it"},
	{RuleTaskBranch, "a task's branch is its holder's, or at the commit under review"},
	{RuleReplace, "nothing forges what a judge reads"},
	{RuleMoved, "a push is judged against refs as they are"},
	{RuleLocked, "a lock file that another process left is in the way"},
	{RuleFull, "a disk has no room left"},
	{RuleTimeLimit, "no check takes too long"},
	{RuleUndecided, "a judge that cannot decide refuses"},
	{RuleCorrupt, "the board is the result of its moves"},
	{RuleCanary, "an agent reads the contracts that it works by"},
	{RuleBare, "there is a work tree where one is needed"},
	{RuleNotEmpty, "the demonstration begins in an empty folder"},
	{RuleDemo, "the demonstration ends as its story says"},
	{RuleNotLanded, "a merge counts once integration has it"},
	{RuleObstacle, "no file of others is in the way"},
	{RuleDirty, "changes that are not committed are not overwritten"},
	{RuleUsage, "a command line can be understood"},
	{RuleDiverged, "this clone's board is the remote's"},
	{RuleUnsafe, "git trusts the repository's owner"},
	{RuleDamaged, "the objects that the board names can be read"},
	{RuleFailed, "an error without a name of its own"},
	{RuleStuck, "something can move without a human"},
	{RulePush, "agents submit instead of pushing"},
	{RulePlaybook, "a playbook can be read"},
	{RuleRemote, "the remote that holds the board is known"},
	{RuleTrust, "a command from the board runs only if a human here has allowed it"},
	{RuleSecret, "keys and tokens are not written to the board"},
	{RuleBranch, "the worktree is on the branch that it should be on"},
	{RuleNoCommit, "there is a commit to begin from"},
	{RuleReviewWorktree, "a verdict comes from an unchanged review worktree"},
	{RuleNested, "no repository lies inside a worktree"},
	{RuleBranchTip, "what is submitted is the tip of the task's branch"},
	{RuleClean, "a worktree has no uncommitted files"},
	{RuleHooksInstalled, "one kind of hooks is installed at a time"},
	{RuleNotBare, "hooks of a server are installed in a bare repository"},
	{RuleHook, "a hook is a file"},
	{RuleHooksPath, "git runs the hooks that are installed"},
	{RuleNoBoard, "there is a blackboard"},
	{RuleStateLost, "the state ref is there where it was"},
	{RuleNoRepository, "there is a git repository"},
	{RuleConflict, "a move wins one of a bounded number of races"},
	{RuleOffline, "the remote that holds the board answers"},
	{RuleInterrupted, "a command ran to its end"},
	{RuleUnsynced, "what was written has reached the disk"},
	{RuleForeignRef, "a ref is where the board says"},
	{RuleClock, "the clock of this machine is right"},
	{RuleGit, "git is installed and new enough"},
	{RuleNoState, "the named state exists"},
	{RuleReadOnly, "the file system can be written"},
	{RulePermission, "files can be read and written"},
	{RuleKept, "files that a user changed are kept"},
	{RuleDoctor, "the doctor finds nothing wrong"},
	{RuleEditor, "an editor ends well"},
	{RulePlan, "a plan can be entered as it stands"},
	{RuleFile, "a new task creates what is not there, and changes and reads what is"},
	{RuleConsumer, "consumers of a new task depend on it, and a test covers both"},
	{RuleUnclassified, "the class of a file can be said"},
}
