package claude

import p "github.com/greenroom-agents/greenroom/sdk/preparer"

// The variables that bind the client to an endpoint.
const (
	envBase   = "ANTHROPIC_BASE_URL"
	envBearer = "ANTHROPIC_AUTH_TOKEN"
	envAPIKey = "ANTHROPIC_API_KEY"
	// envManaged has settings files count for nothing on providers, credentials, models and proxies; in one it does nothing.
	envManaged = "CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST"
	// On a terminal the client fetches its vendor's list of plugins all the same, unless envNoMarket is set too.
	envQuiet, envNoMarket = "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL"
	envSocket, envOption  = "ANTHROPIC_UNIX_SOCKET", "ANTHROPIC_CUSTOM_MODEL_OPTION" // the last model that a person can choose
)

// modelVars choose models. Those of an alias count for subagents and for what the client does in the background too.
var modelVars = []string{
	"ANTHROPIC_MODEL", "ANTHROPIC_SMALL_FAST_MODEL", "ANTHROPIC_DEFAULT_OPUS_MODEL", "ANTHROPIC_DEFAULT_SONNET_MODEL",
	"ANTHROPIC_DEFAULT_HAIKU_MODEL", "ANTHROPIC_DEFAULT_FABLE_MODEL",
}

// diverting are the variables of a shell that lead the client to another provider, to another address, to another
// credential, or that add to its requests. With the first group the client sends the key of the endpoint there.
var diverting = []string{
	"CLAUDE_CODE_USE_ANTHROPIC_AWS", "CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_FOUNDRY", "CLAUDE_CODE_USE_GATEWAY",
	"CLAUDE_CODE_USE_MANTLE", "CLAUDE_CODE_USE_VERTEX",
	envSocket, "CLAUDE_CODE_API_BASE_URL", "CLAUDE_CODE_CUSTOM_OAUTH_URL",
	"CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_OAUTH_REFRESH_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR",
	"CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR", "CLAUDE_CODE_SESSION_ACCESS_TOKEN", "CLAUDE_CODE_HOST_AUTH_ENV_VAR",
	"ANTHROPIC_PROFILE", "ANTHROPIC_IDENTITY_TOKEN", "ANTHROPIC_IDENTITY_TOKEN_FILE", "ANTHROPIC_FEDERATION_RULE_ID",
	"ANTHROPIC_BETAS", "CLAUDE_CODE_SUBAGENT_MODEL", "CLAUDE_CODE_ENABLE_GATEWAY_MODEL_DISCOVERY",
}

// settable are others, which settings files can set as well. The switch for telemetry does not count for tracing.
var settable = []string{
	"ANTHROPIC_CUSTOM_HEADERS", "CLAUDE_CODE_EXTRA_BODY", "CLAUDE_CODE_ENABLE_PROXY_AUTH_HELPER",
	"CLAUDE_CODE_ENABLE_TELEMETRY", "BETA_TRACING_ENDPOINT", "ENABLE_BETA_TRACING_DETAILED",
}

// undiverted refuses the one way to divert the client that nothing of ours closes.
func undiverted(r p.Request) error {
	theirs := r.Options.Inherit.All(p.ModelSettings) && r.Sets(settingsSocket, inSettings)
	if theirs || r.Trusted() && r.Sets(settingsSocket, inProjectSettings, inLocalSettings) {
		return p.Refuse("claude.endpoint-diverted", "a settings file sends all requests of claude code, the key included, to a unix socket",
			"remove "+envSocket+" from the settings of the user and the project")
	}
	return nil
}

// bind binds the client to an endpoint by its environment.
func bind(l *p.Layout, e *p.Endpoint) {
	l.Set(envBase, p.S(e.BaseURL))
	l.SetEach(p.S(e.Default), modelVars...)
	l.Set(envOption, p.S(e.Other()))
	l.SwitchOn(envManaged, envQuiet, envNoMarket)
	l.Unset(diverting...)
	l.Unset(settable...)
	l.Note(p.Tell("claude.key-in-environment",
		"what claude code starts can read the key of the endpoint: its commands, hooks and mcp servers, and hooks of the project too",
		"put a gateway between that keeps the key, where the project is not yours"))
}

// guard are settings of ours, which beat those of the user and of the project: they close what envManaged leaves open.
// Programs that are to fetch a credential get none to run, and the models are those of the endpoint. Lists of models are
// joined, so a list of the project's alone would have put the vendor's default in the place of ours.
func guard(e *p.Endpoint) p.Object {
	ours := p.Each(p.S(""), "apiKeyHelper", "proxyAuthHelper", "otelHeadersHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh")
	ours["availableModels"], ours["env"] = e.IDs(), p.Each(p.S(""), settable...)
	return ours
}
