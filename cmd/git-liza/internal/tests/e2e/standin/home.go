package standin

import (
	"fmt"
	"os"
	"path/filepath"
)

// Home writes into dir what command lines need to know of the stand-in, each
// where it looks in a home folder, and returns the variables of an environment
// that has no other: HOME, addresses, keys that are none, and what switches
// telemetry and updates off. The stand-in is also the proxy for all other
// hosts, so what a command line wants there is a stray request.
//
// codex keeps helpers in its home and refuses that below the system's folder
// of temporary files, so dir should not be there.
func (s *Server) Home(dir string) ([]string, error) {
	for name, text := range map[string]string{
		".codex/config.toml": fmt.Sprintf(codexConfig, s.URL),
		".claude.json":       `{"hasCompletedOnboarding": true, "theme": "dark"}`,
		".gemini/settings.json": `{"security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
 "privacy": {"usageStatisticsEnabled": false}, "general": {"disableAutoUpdate": true, "enableAutoUpdate": false}}`,
		".config/opencode/opencode.json": fmt.Sprintf(opencodeConfig, s.URL),
		".qwen/settings.json":            `{"security": {"auth": {"selectedType": "openai"}}, "general": {"enableAutoUpdate": false}, "privacy": {"usageStatisticsEnabled": false}}`,
		".pi/agent/settings.json":        `{"defaultProvider": "standin", "defaultModel": "standin"}`,
		".pi/agent/models.json":          fmt.Sprintf(piModels, s.URL),
	} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return append(s.addresses(), "HOME="+dir, "XDG_CONFIG_HOME="+filepath.Join(dir, ".config"),
		"XDG_DATA_HOME="+filepath.Join(dir, ".local", "share"), "XDG_CACHE_HOME="+filepath.Join(dir, ".cache"),
		"XDG_STATE_HOME="+filepath.Join(dir, ".local", "state")), nil
}

// Key is the key that every command line is given; it opens nothing.
const Key = "standin-dummy-key-000000"

func (s *Server) addresses() []string {
	const nowhere = "127.0.0.1,localhost"
	return []string{
		"ANTHROPIC_BASE_URL=" + s.URL, "ANTHROPIC_API_KEY=" + Key,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1", "DISABLE_TELEMETRY=1", "DISABLE_ERROR_REPORTING=1",
		"OPENAI_BASE_URL=" + s.URL + "/v1", "OPENAI_API_KEY=" + Key,
		"GOOGLE_GEMINI_BASE_URL=" + s.URL, "GEMINI_API_KEY=" + Key,
		"GEMINI_MODEL=gemini-2.5-pro", "GEMINI_TELEMETRY_ENABLED=false",
		"OPENAI_MODEL=standin", "PI_OFFLINE=1", "PI_TELEMETRY=0",
		"COPILOT_OFFLINE=true", "COPILOT_PROVIDER_BASE_URL=" + s.URL + "/v1", "COPILOT_PROVIDER_API_KEY=" + Key, "COPILOT_MODEL=standin",
		"OPENCODE_DISABLE_AUTOUPDATE=1", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"HTTP_PROXY=" + s.URL, "HTTPS_PROXY=" + s.URL, "http_proxy=" + s.URL, "https_proxy=" + s.URL,
		"NO_PROXY=" + nowhere, "no_proxy=" + nowhere,
	}
}

const codexConfig = `model = "standin"
model_provider = "standin"
check_for_update_on_startup = false

[model_providers.standin]
name = "standin"
base_url = "%s/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"

[features]
plugins = false
apps = false

[analytics]
enabled = false

[otel]
exporter = "none"
`

const opencodeConfig = `{
 "$schema": "https://opencode.ai/config.json",
 "model": "standin/standin", "small_model": "standin/standin", "autoupdate": false, "share": "disabled",
 "provider": {"standin": {"npm": "@ai-sdk/openai-compatible", "name": "Stand-in",
  "options": {"baseURL": "%s/v1", "apiKey": "{env:OPENAI_API_KEY}"},
  "models": {"standin": {"name": "Stand-in", "tool_call": true, "limit": {"context": 200000, "output": 8000}}}}}
}
`

const piModels = `{"providers": {"standin": {"baseUrl": "%s/v1", "api": "openai-completions", "apiKey": "OPENAI_API_KEY",
 "models": [{"id": "standin", "contextWindow": 200000, "maxTokens": 8000}]}}}
`
