package core

import (
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxModel bounds the id of a model in bytes.
const maxModel = 256

// saving is the saver mode of the session, as its adapter is told of it, or nil. A client that has none is an error: the
// session would cost what it was not to cost, and nobody would see it.
func (a *answered) saving() (*preparer.Saver, error) {
	if a.session.Saver == nil {
		return nil, nil
	}
	if !a.desc.Saver {
		return nil, fault.New(fault.Refused, "prepare", a.session.Provider, "its client has no saver mode").
			WithHint("start the session without it")
	}
	model := strings.TrimSpace(a.session.Saver.Model)
	if len(model) > maxModel || strings.ContainsFunc(model, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return nil, fault.New(fault.Invalid, "prepare", "saver model", "it is longer than 256 bytes or holds blanks")
	}
	if e := a.endpoint; e != nil {
		if model == "" {
			model = e.Default
		}
		if !slices.ContainsFunc(e.Told().Models, func(m preparer.EndpointModel) bool { return m.ID == model }) {
			return nil, fault.New(fault.Invalid, "prepare", "saver model", "the session's endpoint does not have it").
				WithHint("name a model of the endpoint, or none for its default one")
		}
	}
	return &preparer.Saver{
		Policy: preparer.Document{Name: canon.SaverPolicyName}, Worker: preparer.Document{Name: canon.SaverWorkerName}, Model: model,
	}, nil
}

// toldSaver tells kinds of session apart by their saver mode.
func (a *answered) toldSaver() string {
	if a.saver == nil {
		return ""
	}
	return "saver " + a.saver.Model
}
