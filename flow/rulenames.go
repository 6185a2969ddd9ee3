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
	RuleAmbiguous      Rule = "ambiguous"         // a name stands for one commit
	RuleSymbolic       Rule = "symbolic_ref"      // a ref of the board stands for no other ref
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
	RulePlaybook       Rule = "playbook"          // a playbook can be read
	RuleRemote         Rule = "remote"            // the remote that holds the board is known
	RuleTrust          Rule = "trust"             // a command from the board runs only if a human here has allowed it
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
	RuleDeclined       Rule = "declined"          // the remote takes what this user pushes
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
