package claude

import (
	_ "embed"

	p "github.com/greenroom-agents/greenroom/sdk/preparer"
)

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

// helpers are settings that name programs which fetch a credential.
var helpers = []string{"apiKeyHelper", "proxyAuthHelper", "otelHeadersHelper", "awsAuthRefresh", "awsCredentialExport", "gcpAuthRefresh"}

// The variables of the client, by what they do; the file says it of each list.
var (
	//go:embed variables.txt
	variables string

	lists               = p.Lists(variables)
	modelVars, managed  = lists["models"], lists["managed"]
	diverting, settable = lists["diverting"], lists["settable"]
	childMarkers        = lists["markers"]
)

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
	ours := p.Each(p.S(""), helpers...)
	ours["availableModels"], ours["env"] = e.IDs(), p.Each(p.S(""), settable...)
	return ours
}
