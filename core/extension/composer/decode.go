package composer

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/greenroom-agents/greenroom/core/extension/runtimeprep"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/strictjson"
)

// document is the profile as it is written.
type document struct {
	Schema     string  `json:"schemaVersion"`
	Model      *source `json:"model,omitempty"`
	Permission *source `json:"permission,omitempty"`
	Options    *struct {
		Model struct {
			ID       string `json:"acpOptionId,omitempty"`
			Metadata string `json:"descriptionMetadataFormat,omitempty"`
		} `json:"model,omitempty"`
		Permission struct {
			ID string `json:"acpOptionId,omitempty"`
		} `json:"permission,omitempty"`
		Reasoning struct {
			ID      string   `json:"acpOptionId,omitempty"`
			Efforts []string `json:"options,omitempty"`
			Default string   `json:"default,omitempty"`
		} `json:"reasoning,omitempty"`
	} `json:"configOptions,omitempty"`
	Modes []struct {
		ID       string   `json:"runtimeId"`
		Semantic Semantic `json:"semantic"`
		Decision Decision `json:"automaticDecision,omitempty"`
	} `json:"permissionModes,omitempty"`
	Launch struct {
		Permission *struct {
			Placeholder string   `json:"placeholder"`
			Default     Semantic `json:"defaultSemantic,omitempty"`
		} `json:"permission,omitempty"`
	} `json:"launchSettings,omitempty"`
	Workflow struct {
		Plan *struct {
			Enabled  string `json:"enabledRuntimeId"`
			Disabled string `json:"disabledRuntimeId"`
			Update   string `json:"updateStrategy,omitempty"`
		} `json:"plan,omitempty"`
	} `json:"workflowModes,omitempty"`
	SetModel struct {
		Reasoning bool `json:"reasoningEffortMeta,omitempty"`
	} `json:"setModel,omitempty"`
	Commands *struct {
		Authoritative bool      `json:"commandCatalogAuthoritative"`
		List          []Command `json:"commands"`
	} `json:"slashCommands,omitempty"`
	Skills *struct {
		Invocation string             `json:"invocation"`
		Prefix     string             `json:"triggerPrefix"`
		Projection string             `json:"runtimeCommandProjection,omitempty"`
		Roots      []runtimeprep.Root `json:"roots"`
	} `json:"skills,omitempty"`
	// Prep is read by package runtimeprep.
	Prep json.RawMessage `json:"runtimePrep,omitempty"`
}

// source is how profiles said where models and modes come from before there were configOptions.
type source struct {
	From string `json:"source"`
}

// Decode reads a composer profile and holds it to the rules. Errors are of type [fault.Error]: fault.Invalid names the
// field, fault.Unparsable is for what is no JSON.
func Decode(data []byte) (*Profile, error) {
	// What sessions are prepared by comes first, with its own words.
	prepared, err := runtimeprep.DecodeComposer(data)
	if err != nil {
		return nil, err
	}
	var d document
	if err := strictjson.Decode(data, &d); err != nil {
		var where *strictjson.Error
		if errors.As(err, &where) {
			return nil, bad(where.Field, where.Detail)
		}
		return nil, bad("", err.Error())
	}
	p := &Profile{Prep: prepared.Prep}
	for _, read := range []func(*document) error{p.options, p.modes, p.launch, p.plan, p.commands, p.skills} {
		if err := read(&d); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// bad is the error of a field.
func bad(field, detail string) error {
	if field == "" {
		field = "composer profile"
	}
	return fault.New(fault.Invalid, "read composer profile", field, detail)
}

// at names an element of a list.
func at(field string, i int, name string) string { return fmt.Sprintf("%s[%d].%s", field, i, name) }
