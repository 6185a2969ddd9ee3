package automation

// The words of the rules. They belong to the version of the rules: a change here changes
// the class of files whose class is recorded, so it takes a new version. A blank parts
// words, an underscore stands for the blank of a phrase.
const (
	// checking are verbs of work that changes nothing.
	checking = `assert asserting asserts audit auditing audits check checking checks confirm confirming confirms
		double-check double-checking ensure ensures ensuring examine examines examining inspect inspecting inspects
		make_sure prove proves re-check re-verify recheck rechecks revalidate reverify review reviewing reviews
		smoke-test test validate validates validating verifies verify verifying`

	// designing are verbs of work whose result is a decision.
	designing = `analyse analyses analysing analyze analyzes analyzing architect architecting assess assesses assessing
		brainstorm brainstorming choose choosing compare compares comparing decide decides deciding design designing
		designs evaluate evaluates evaluating explore explores exploring investigate investigates investigating
		propose proposes proposing recommend recommending research researches researching sketch sketching study
		studying survey surveying weigh weighing`

	// changing are verbs of work that changes files.
	changing = `adapt adapting adapts add adding adds adjust adjusting adjusts allow_listing append appending apply
		applying attach author authoring automate automating backport backporting build building bump bumping cache change
		changes changing clean_up cleaning_up configure configures configuring connect connecting consolidate
		consolidating convert converting converts copy copying correct correcting create creates creating declare decouple
		decoupling define defines defining delete deletes deleting deploy deploying deprecate deprecating develop developing disable disables
		disabling document documenting downgrade downgrading drop dropping drops edit editing edits embed embedding
		emit enable enables enabling enhance enhancing erase erasing expand expanding export expose exposes exposing extend
		extending extends extract extracting extracts factor_out fill_in fix fixes fixing format generate generates
		generating handle harden hardening hook_up implement implementing implements import improve improves improving
		inject injecting inline inlining insert inserting inserts install installing installs integrate integrates
		integrating introduce introduces introducing make makes making merge merges merging migrate migrates
		migrating mock mocking modernise modernize modernizing modifies modify modifying move moves moving normalise
		normalize normalizing optimise optimize optimizes optimizing overhaul override overwrite parametrise
		parametrize patch patching persist polish populate populating port porting provide provision publish publishing purge
		purging put raise rebuild rebuilding redesign reduce reduces reducing refactor refactoring refactors refine
		refining reformat reformatting regenerate regenerating register registering relocate relocating remove
		removes removing rename renames renaming render reorder reorganise reorganize reorganizing repair repairing replace
		replaces replacing reset restore restoring restructure restructuring return revert reverting rewire rework reworking
		rewrite rewrites rewriting rewriting roll_out scaffold scaffolding set_up setting_up ship shipping simplifies
		simplify simplifying speed_up split splits splitting standardise standardize streamline streamlining strip
		stub substitute support swap swapping switch tidy tighten touch track translate translating trim turn unify unifying update
		updates updating upgrade upgrades upgrading wire wires wiring wrap wrapping write writes writing
		be_added be_adapted be_built be_changed be_converted be_created be_deleted be_dropped be_edited be_extended
		be_extracted be_fixed be_implemented be_introduced be_merged be_migrated be_modified be_moved be_ported
		be_refactored be_removed be_renamed be_replaced be_rewritten be_split be_updated be_upgraded be_written`

	// neutral are phrases in which a word above asks for nothing.
	neutral = `build_fails build_is build_passes build_succeeds change_log merge_commit merge_conflict merge_conflicts
		merge_request merge_requests pull_request set_of test_case test_cases test_coverage test_data test_file
		test_files test_plan test_run test_runs test_suite test_suites`

	// ambiguous are words above that are nouns as often, or say what something does. They
	// count where a clause begins.
	ambiguous = `audit audits build cache change changes check checks declare define defines design designs document
		drop drops emit export extract fix fixes format handle import merge mock move moves patch persist port provide
		raise render research reset return review reviews sketch split stub study support survey swap switch
		test touch track turn update updates upgrade wire wires wrap write writes`

	// openEnded leave open where the work ends.
	openEnded = `as_needed throughout where_appropriate`

	// security are words of work that deserves a second look.
	security = `auth authenticate authenticated authenticates authenticating authentication authorisation authorise
		authorization authorize authorized authorizes credential credentials crypto cryptographic cryptography csrf
		cve cves 		decrypt decryption encrypt encrypted encrypting encryption encrypts exploit exploits jwt oauth oauth2 passwd password passwords
		secret secrets secure security token tokens vulnerabilities vulnerability xss`

	// determiners and prepositions stand before nouns: "the build", "for review".
	determiners = `a all an another any both each either every her his its my neither no our some that the their these
		this those what which whose your`
	prepositions = `about after against at before by during for from in of on per since under until upon via with within`

	// auxiliaries stand after nouns: "updates are atomic".
	auxiliaries = `are can cannot did does fail failed fails had has have is may must pass passed passes should succeed
		succeeded succeeds was were will works`

	// negations ask that the next verb is not done; alternatives go on with that.
	negations    = `avoid don't doesn't mustn't never not shouldn't without won't`
	alternatives = `nor or`
	between      = `any be ever to yet`

	// abilities stand before verbs that nobody asks for: "users can add", "hard to compare".
	abilities    = `can cannot could may might`
	difficulties = `able difficult easy hard impossible possible simple unable`

	// askers stand before verbs that are asked for.
	askers = `i it's must need please shall should to we will you`

	// joints begin a clause.
	joints = `also and afterwards but finally first instead lastly next or please second so then third to`

	// extensions are those of names of files, beside any that follow a folder.
	extensions = `adoc bash bat bib c cc cfg cjs clj cmake conf cpp cs css csv cts cxx dart env erl ex exs fish fs go
		gradle graphql groovy h hcl hpp hs htm html hxx ini ipynb java jl js json json5 jsonc jsx kt kts less lock lua
		m make markdown md mdx mjs ml mod mts nim nix patch php pl plist po proto ps1 py pyi r rb rego rs rst sass
		scala scss sh sql sum svelte svg swift tex tf tfvars toml tpl ts tsv tsx txt vue wasm xml yaml yml zig zsh`

	// folders begin a path that has neither an extension nor a second slash.
	folders = `api app apps bin cmd config db doc docs example examples features flow hooks internal lib libs migrations
		packages pages pkg plans public scripts server services spec specs src static templates test testdata tests
		tools web`

	// stories are headings of the stories of a list; criteria are headings of items that
	// are none.
	stories  = `stories user_stories`
	criteria = `acceptance_criteria allowed_paths excluded_paths success_criteria verification verification_commands`

	// storyID begins the id of a story, before its number.
	storyID = `us-`

	// products have names like those of files.
	products = `alpine.js angular.js asp.net backbone.js chart.js d3.js discord.js ember.js express.js knockout.js
		moment.js nest.js next.js node.js nuxt.js p5.js passport.js react.js solid.js socket.io three.js vite.js vue.js`
)

// nothing are entries that stand for an empty list.
var nothing = []string{"", "-", "~", "(none)", "[]", "n/a", "na", "nil", "none", "none.", "nothing", "null", "tbd"}
