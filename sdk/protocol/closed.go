package protocol

import (
	"fmt"
	"slices"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// The closed sets, in the order of the numbers of their enums. Number 0 is the empty choice.
func transports() []preparer.Transport {
	return []preparer.Transport{"", preparer.NoTransport, preparer.ACP, preparer.CodexAppServer, preparer.ClaudeStreamJSON}
}

func channels() []preparer.Channel {
	return []preparer.Channel{"", preparer.HomeFile, preparer.SystemPromptFile, preparer.PluginPrompt,
		preparer.FirstPrompt, preparer.WorkspaceFile}
}

func skillKinds() []preparer.SkillKind {
	return []preparer.SkillKind{"", preparer.SkillDirectory, preparer.SkillPlugin, preparer.SkillExtraRoots, preparer.NoSkills}
}

func nameForms() []preparer.NameForm {
	return []preparer.NameForm{"", preparer.PlainNames, preparer.PluginNames}
}

func rewrites() []preparer.Rewrite {
	return []preparer.Rewrite{"", preparer.InstructionsOnly, preparer.PretoolHook, preparer.ClientPlugin}
}

func modelProtocols() []preparer.Protocol {
	return []preparer.Protocol{preparer.NoProtocol, preparer.OpenAI, preparer.Anthropic, preparer.Responses}
}

func addressings() []preparer.Addressing {
	return []preparer.Addressing{"", preparer.RawModels, preparer.ProviderPrefixed}
}

func endpointAdapters() []preparer.EndpointAdapter {
	return []preparer.EndpointAdapter{"", preparer.NoEndpointAdapter, preparer.ResponsesToChatGateway}
}

func auths() []preparer.Auth { return []preparer.Auth{preparer.Bearer, preparer.APIKey} }

func gateAnswers() []preparer.GateAnswer {
	return []preparer.GateAnswer{"", preparer.AnsweredByFile, preparer.AnsweredByFlag, preparer.NotAnswered, preparer.AnsweredByEnv}
}

func trusts() []preparer.Trust {
	return []preparer.Trust{preparer.NotTrusted, preparer.HostCreated, preparer.UserSaidYes}
}

func kinds() []preparer.Kind { return append([]preparer.Kind{""}, preparer.Kinds()...) }

func modes() []preparer.Mode {
	return []preparer.Mode{"", preparer.All, preparer.None, preparer.Only}
}

func hows() []preparer.How {
	return []preparer.How{"", preparer.ByLayout, preparer.ByFlag, preparer.ByEnv}
}

func inputKinds() []preparer.InputKind {
	return []preparer.InputKind{"", preparer.InputFile, preparer.InputNames}
}

func learns() []preparer.Learn {
	return []preparer.Learn{preparer.LearnExists, preparer.LearnValues, preparer.LearnContent}
}

func locationBases() []preparer.LocationBase {
	return []preparer.LocationBase{"", preparer.BaseHome, preparer.BaseUser, preparer.BaseWorkspace}
}

func formats() []preparer.Format {
	return []preparer.Format{"", preparer.JSON, preparer.JSONC, preparer.TOML, preparer.YAML, preparer.Shell}
}

func roots() []preparer.Root {
	return []preparer.Root{"", preparer.RootSession, preparer.RootWorkspace, preparer.RootCache, preparer.RootHome}
}

func checkKinds() []preparer.CheckKind {
	return []preparer.CheckKind{"", preparer.CheckTOML, preparer.CheckJSON, preparer.CheckDir, preparer.CheckTarget}
}

func baseKinds() []preparer.BaseKind {
	return []preparer.BaseKind{"", preparer.BaseCurrent, preparer.BaseInput, preparer.BaseEmpty}
}

func editOps() []preparer.EditOp {
	return []preparer.EditOp{"", preparer.OpSet, preparer.OpDelete, preparer.OpDeleteIfEqual, preparer.OpReplace,
		preparer.OpKeep, preparer.OpAppend, preparer.OpUpsert, preparer.OpRebase, preparer.OpRequire, preparer.OpSplice,
		preparer.OpRekey, preparer.OpDistinct, preparer.OpSetFor}
}

func listKinds() []preparer.ListKind {
	return []preparer.ListKind{"", preparer.ListIDs, preparer.ListPaths}
}

func envKinds() []preparer.EnvKind {
	return []preparer.EnvKind{"", preparer.EnvSet, preparer.EnvSetEmpty, preparer.EnvUnset, preparer.EnvPrepend, preparer.EnvAppend}
}

func actionKinds() []preparer.ActionKind {
	return []preparer.ActionKind{"", preparer.ExtraRoots, preparer.VerifySkills, preparer.SnapshotTree}
}

func severities() []preparer.Severity {
	return []preparer.Severity{"", preparer.Info, preparer.Warning}
}

// toEnum is the number of a choice.
func toEnum[E ~int32, T ~string](e *encoder, what string, set []T, v T) E {
	n := slices.Index(set, v)
	if n < 0 {
		e.fail(&UnknownError{What: fmt.Sprintf("%s %q", what, string(v))})
		return 0
	}
	return E(n)
}

// fromEnum is the choice of a number.
func fromEnum[T ~string, E ~int32](d *decoder, what string, set []T, n E) T {
	if n < 0 || int(n) >= len(set) {
		d.fail(&UnknownError{What: fmt.Sprintf("%s %d", what, n)})
		return ""
	}
	return set[n]
}
