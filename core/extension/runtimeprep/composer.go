package runtimeprep

import (
	"bytes"
	"errors"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Composer is what sessions need of a composer profile.
type Composer struct {
	// Roots are the directories in which the agent looks for skills by itself.
	Roots []Root
	// Prep is the object runtimePrep, nil for none.
	Prep *Declaration
}

// ComposerSchema is the schema of a composer profile.
const ComposerSchema = "tutti.agent.composer.v1"

// DecodeComposer reads a composer profile. Of what is for the person who talks to the agent (permissionModes,
// slashCommands and the like) only the names of the fields are looked at; package composer reads them. Errors: those of
// [Decode].
func DecodeComposer(data []byte) (*Composer, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fault.New(fault.Unparsable, op, "composer profile", "is empty")
	}
	root, err := merge.Parse(preparer.JSON, data, "composer profile")
	if err != nil {
		return nil, err
	}
	o, schema := object{fields: root}, ""
	o.text("schemaVersion", &schema)
	for _, name := range []string{"model", "permission", "permissionModes", "launchSettings", "workflowModes", "slashCommands", "configOptions", "setModel"} {
		delete(o.fields, name)
	}
	c := &Composer{}
	if skills, ok := o.object("skills"); ok {
		for _, name := range []string{"invocation", "triggerPrefix", "runtimeCommandProjection"} {
			delete(skills.fields, name)
		}
		skills.roots(&c.Roots)
		o.err = first(o.err, skills.end())
	}
	if prep, ok := o.object("runtimePrep"); ok {
		c.Prep = &Declaration{}
		prep.declaration(c.Prep)
		o.err = first(o.err, prep.err)
	}
	switch err := o.end(); {
	case err != nil:
		return nil, inComposer(err)
	case schema != ComposerSchema:
		return nil, inComposer(bad("schemaVersion", "is not "+ComposerSchema))
	}
	if found := CheckRoots(c.Roots); len(found) > 0 {
		return nil, inComposer(found[0])
	}
	if c.Prep != nil {
		if found := c.Prep.Check(); len(found) > 0 {
			return nil, found[0]
		}
	}
	return c, nil
}

func (o *object) roots(to *[]Root) {
	for i, raw := range o.list("roots") {
		at := element(o.field("roots"), i)
		m, ok := raw.(map[string]any)
		if !ok {
			o.err = first(o.err, bad(at, "is not an object"))
			continue
		}
		one, scope, r := object{at: at, fields: m}, "", Root{}
		one.text("scope", &scope)
		one.text("path", &r.Path)
		r.Scope = Scope(scope)
		o.err = first(o.err, one.end())
		*to = append(*to, r)
	}
}

// inComposer names a field of the profile as it stands there.
func inComposer(err error) error {
	var e *fault.Error
	if !errors.As(err, &e) {
		return err
	}
	const own = "runtimePrep."
	field := e.Subject
	if len(field) > len(own) && field[:len(own)] == own {
		field = field[len(own):]
	}
	return fault.Wrap(e.Err, e.Code, e.Op, field, e.Detail).WithHint(e.Hint)
}
