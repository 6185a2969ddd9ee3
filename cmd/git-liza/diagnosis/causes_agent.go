package diagnosis

// agentCauses are those of the command lines of agents and of the models behind them.
var agentCauses = []*Cause{
	{
		ID: "agent-login", Area: Agent, Title: "The agent's command line is not logged in",
		Fix: "Log in as the user who runs the supervisor, or give it the key in its environment.", Test: "git liza doctor",
		signs: []sign{
			matches(strong, "api key", `(?:invalid|incorrect|missing|no) api.?key`), matches(strong, "api key", `API.?key (?:is )?(?:not valid|missing|invalid|not set|not found|required)`), says(strong, "please run /login"), matches(strong, "authentication_", `authentication_(?:error|failed)`), says(strong, "invalid x-api-key"), matches(strong, "api error", `API Error\W+40[13]\b`), matches(strong, "401", `(?:status|status:|HTTP|code"?:|error_status"?:|statusCode"?:|unexpected status|^) ?401\b`), says(strong, "unauthenticated"), matches(strong, "not logged in", `\bnot logged in`), says(strong, "invalid_api_key"), says(strong, "api_key_invalid"), matches(strong, "oauth", `OAuth (?:access )?token (?:has )?(?:expired|revoked)|oauth.*(?:expired|revoked)`), says(strong, "please sign in"), says(strong, "no authentication information found"), says(strong, "demands a login"), says(strong, "set an auth method"), says(strong, "access token could not be refreshed"), says(strong, "bad credentials"), says(strong, "failed to authenticate"), says(strong, "providerautherror"), matches(strong, "authentication failed with provider", `Authentication failed with provider`), matches(strong, "codex login", `(?:codex|copilot|claude|gemini) login`), matches(strong, "missing", `Missing API key`),
		},
	},
	{
		ID: "agent-rate-limit", Area: Agent, Title: "The model's service limits how much is asked at once",
		Fix: "Wait until the time that the message names, or run fewer agents at once.", Test: "git liza agents", After: []string{"agent-quota"},
		signs: []sign{
			matches(strong, "rate", `\brate.?limit(?:s|ed)?\b.*(?:exceeded|reached|error|hit|restrict)|(?:hit|exceed(?:ed|s)?) (?:a|your|the|our) (?:\S+ ){0,4}rate limit`), says(strong, "rate_limit_error"), matches(plain, "rate_limit", `"(?:error|type|errorType|code)": ?"rate_limit(?:ed)?"|rate_limit_exceeded|^rate_limit(?:ed)?$`), matches(strong, "429", `(?:status|status:|HTTP|API Error:?\W+(?:Request rejected \()?|code"?:|statusCode"?:|error:|^) ?429\b`), matches(strong, "too many requests", `429.*too many requests|too many requests`),
		},
	},
	{
		ID: "agent-quota", Area: Agent, Title: "The credits or the quota of the account are used up",
		Fix: "Wait until the quota begins anew, buy more, or let another provider work.", Test: "git liza metrics --by provider",
		signs: []sign{
			matches(strong, "quota", `(?:exceeded|exhausted) your (?:\S+ ){0,3}quota|quota (?:exceeded|exhausted)|insufficient_quota|quota_exceeded|have no quota|quota will reset`), matches(strong, "usage", `(?:hit|reached) your usage limit|usage limit (?:has been )?reached|usage_limit_reached`), matches(strong, "hit your", `hit your (?:session |weekly |[a-z0-9-]+ )?limit`), matches(strong, "limit reached", `\blimit reached\b.{0,40}\bresets?\b`), matches(strong, "credit", `credit balance is too low|out of credits|insufficient credits`), matches(strong, "balance", `insufficient balance`), says(strong, "exhausted your capacity"), says(strong, "resource_exhausted"), says(strong, "premium request allowance"), matches(strong, "billing", `check your plan and billing`), says(strong, "payment required"), matches(strong, "limit", `(?:five_hour|seven_day|weekly|daily|5-hour)["\s\w]* limit`), says(strong, "five_hour"), says(strong, "freeusagelimiterror"), matches(strong, "budget", `(?:maximum|max) budget|error_max_budget`),
		},
	},
	{
		ID: "agent-context-full", Area: Agent, Title: "The conversation is too long for the model",
		Fix: "Hand the task off, so that the next session begins with a report; cut it into smaller ones.", Test: "git liza session list",
		signs: []sign{
			matches(strong, "prompt is too long", `prompt is too long`), matches(strong, "context", `(?:maximum|exceed(?:s|ed)?|over|ran out of|too long for|larger than)[^.]{0,60}context (?:length|window|size|limit)`), says(strong, "context_length_exceeded"), says(strong, "context window exceeded"), matches(strong, "input", `input (?:is too long|token count .*exceeds|length .* exceed)`), matches(strong, "tokens", `(?:exceeds|maximum of|limit of|resulted in) [\d,]+ tokens`), says(strong, "conversation is too long"), says(strong, "conversation too long"), says(strong, "ran out of room in the model's context window"), matches(strong, "tokens >", `\d+ tokens > \d+ maximum`), matches(strong, "context", `context (?:length|window|limit)[^.]{0,40}(?:exceeded|full|overflow|reached)`),
		},
	},
	{
		ID: "agent-outage", Area: Agent, Title: "The model's service is down, overloaded or out of reach",
		Fix: "Wait: the supervisor tries again. If it lasts, let another provider work.", Test: "git liza agents", After: []string{"agent-quota", "agent-login", "agent-rate-limit"},
		signs: []sign{
			matches(strong, "overloaded", `\boverloaded(?:_error)?\b`), matches(strong, "api error", `API Error\W+5\d\d`), matches(strong, "status", `(?:unexpected status|last status:|status:?|statusCode"?:|"code":) ?5\d\d\b`), says(strong, "server_error"), matches(strong, "stream disconnected", `stream disconnected`), matches(strong, "waiting for network", `Reconnecting\.\.\.`), says(strong, "no capacity available"), says(strong, "experiencing high demand"), says(strong, "at capacity"), matches(strong, "service unavailable", `service unavailable`), matches(strong, "unable to connect to api", `unable to connect to API`), says(strong, "cannot connect to api"), matches(strong, "connection error", `\[API Error: Connection error|API.*Connection error`), says(strong, "failed to get response from the ai model"), matches(strong, "local model provider", `could not (?:reach|connect)`), says(weak, "api_error"), matches(strong, "internal server error", `\b500\b.*internal server error`), matches(strong, "bad gateway", `\b502\b.*bad gateway`), matches(plain, "529", `\b529\b`), says(strong, "error sending request for url"), matches(strong, "had an error while processing", `server had an error while processing`), matches(plain, "unable to connect", `Unable to connect\. Is the computer able to access`),
		},
	},
	{
		ID: "agent-model-unknown", Area: Agent, Title: "The service has no such model, or not for this account",
		Fix: "Correct the model's name in the configuration of the agent.", Test: "git liza providers",
		signs: []sign{
			matches(strong, "model", `\bmodel:? ?['"\x60]?([\w./:-]+)['"\x60]? (?:does not exist|not found|is not (?:supported|available|found)|was not found|not available|is unknown|cannot be found|not supported)`), says(strong, "model_not_found"), matches(strong, "unknown model", `unknown model:? ?['"\x60]?([\w./:-]+)`), matches(strong, "issue with the selected model", `selected model \(?([\w./:-]+)`), matches(strong, "invalid model", `invalid model(?: name)?:? ?['"\x60]?([\w./:-]+)?`), matches(strong, "not_found_error", `not_found_error.*model`), says(strong, "providermodelnotfounderror"), matches(strong, "models/", `models/([\w.-]+) is not found`), matches(strong, "is not supported when using", `'([\w.-]+)' model is not supported`), matches(strong, "no models available", `no models available`), matches(strong, "no such model", `no such model:? ?['"]?([\w./:-]+)?`), matches(strong, "may not have access to it", `model`), matches(strong, "not available", `Model "([^"]+)"[^.]* is not available`),
		},
	},
	{
		ID: "agent-timeout", Area: Agent, Title: "The agent was silent, or ran too long",
		Fix: "Look at its last lines: does it wait for an answer or for a program? Make the task smaller, or the limit longer.", Test: "git liza session list",
		signs: []sign{
			matches(strong, "silent for", `(?:silent|no output|nothing printed|idle) for (\S+)`), matches(strong, "no output for", `no output for`), matches(strong, "ran too long", `(?:agent|session|it|process) (?:ran|took) too long|longer than (?:the limit|\d)`), matches(strong, "agent", `agent (?:timed out|was silent|hung|stopped responding|did not answer)`), matches(strong, "session", `session (?:timed out|hung|exceeded)`), matches(strong, "time limit", `(?:wall|idle|time) limit`), matches(plain, "max_turns", `error_max_turns`), says(strong, "idle timeout"), matches(strong, "was hung", `was hung`), matches(strong, "printed nothing", `printed nothing (?:for|in)`),
		},
	},
}
