package composer

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"

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

// Decode reads a composer profile and holds it to the rules. The error is the first of [Read].
func Decode(data []byte) (*Profile, error) {
	p, found := Read(data)
	if len(found) > 0 {
		return nil, found[0]
	}
	return p, nil
}

// Read reads a composer profile, or lists all that is wrong with it: the shape, and where that is right the rules. Errors are
// of type [fault.Error]: fault.Invalid names the field, fault.Unparsable is for what is no JSON.
func Read(data []byte) (*Profile, []error) {
	// What sessions are prepared by comes first, with its own words.
	prepared, found := runtimeprep.ReadComposer(data)
	if len(found) > 0 && fault.CodeOf(found[0]) != fault.Invalid {
		return nil, found
	}
	var d document
	if wrong := strictjson.DecodeAll(data, &d); len(wrong) > 0 {
		for _, w := range wrong {
			if !slices.ContainsFunc(found, func(err error) bool { return about(err, w.Field) }) {
				found = append(found, bad(w.Field, w.Detail))
			}
		}
		return nil, found
	}
	r := reader{found: found}
	r.options(&d)
	r.modes(&d)
	r.commands(&d)
	r.skills(&d)
	if len(r.found) > 0 {
		return nil, r.found
	}
	r.p.Prep = prepared.Prep
	return &r.p, nil
}

// about says whether an error is about a field, which may be named without the places of its elements.
func about(err error, field string) bool {
	var e *fault.Error
	return errors.As(err, &e) && (e.Subject == field || places.ReplaceAllString(e.Subject, "") == field)
}

var places = regexp.MustCompile(`\[\d+\]`)

// reader makes a profile of a document, and finds what is wrong with it.
type reader struct {
	p     Profile
	found []error
}

func (r *reader) bad(field, detail string) { r.found = append(r.found, bad(field, detail)) }

// bad is the error of a field.
func bad(field, detail string) error {
	if field == "" {
		field = "composer profile"
	}
	return fault.New(fault.Invalid, "read composer profile", field, detail)
}

// at names an element of a list.
func at(field string, i int, name string) string { return fmt.Sprintf("%s[%d].%s", field, i, name) }
