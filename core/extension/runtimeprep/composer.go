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

// ReadComposer reads a composer profile, or lists all that is wrong with it: first the shape of the whole, and where that is
// right the rules. Of what is for the person who talks to the agent (permissionModes, slashCommands and the like) only the
// names of the fields are looked at; package composer reads them. Errors are those of [Decode].
func ReadComposer(data []byte) (*Composer, []error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, []error{fault.New(fault.Unparsable, op, "composer profile", "is empty")}
	}
	root, err := merge.Parse(preparer.JSON, data, "composer profile")
	if err != nil {
		return nil, []error{err}
	}
	c, found := &Composer{}, []error{}
	o := object{fields: root, found: &found}
	o.composer(c)
	shaped := len(found) == 0
	if shaped {
		found = CheckRoots(c.Roots)
	}
	for i, err := range found {
		found[i] = inComposer(err)
	}
	if shaped && c.Prep != nil {
		found = append(found, c.Prep.Check()...)
	}
	if len(found) > 0 {
		return nil, found
	}
	return c, nil
}

func (o *object) composer(c *Composer) {
	if schema, ok := take[string](o, "schemaVersion", "a string"); ok && schema != ComposerSchema || !ok && len(*o.found) == 0 {
		o.bad("schemaVersion", "is not "+ComposerSchema)
	}
	for _, name := range []string{"model", "permission", "permissionModes", "launchSettings", "workflowModes", "slashCommands", "configOptions", "setModel"} {
		delete(o.fields, name)
	}
	if skills, ok := o.object("skills"); ok {
		for _, name := range []string{"invocation", "triggerPrefix", "runtimeCommandProjection"} {
			delete(skills.fields, name)
		}
		skills.roots(&c.Roots)
		skills.end()
	}
	if prep, ok := o.object("runtimePrep"); ok {
		c.Prep = &Declaration{}
		prep.declaration(c.Prep)
	}
	o.end()
}

func (o *object) roots(to *[]Root) {
	for i, raw := range o.list("roots") {
		at := element(o.field("roots"), i)
		m, ok := raw.(map[string]any)
		if !ok {
			o.bad(at, "is not an object")
			continue
		}
		one, scope, r := object{at: at, fields: m, found: o.found}, "", Root{}
		one.text("scope", &scope)
		one.text("path", &r.Path)
		r.Scope = Scope(scope)
		one.end()
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
