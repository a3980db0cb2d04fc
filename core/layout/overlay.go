package layout

import (
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// launch resolves what the client is started with.
func (c *compiler) launch() error {
	var err error
	for _, op := range c.Layout.Env {
		v := Var{Name: op.Name, Op: op.Op, Separator: op.Separator}
		switch op.Op {
		case preparer.EnvSet, preparer.EnvPrepend:
			if v.Value, v.Secret, err = c.Handles.text(op.Value); err != nil {
				return err
			}
			if v.Value == "" {
				return refused("variable "+op.Name, "is set to nothing")
			}
		case preparer.EnvAppend:
			v.Value = strings.Join(op.Items, op.Separator)
		}
		if strings.ContainsRune(v.Value, 0) {
			return refused("variable "+op.Name, "holds a NUL byte")
		}
		c.tree.Env = append(c.tree.Env, v)
	}
	if c.tree.Before, err = c.args(c.Layout.Launch.Before); err != nil {
		return err
	}
	if c.tree.After, err = c.args(c.Layout.Launch.After); err != nil {
		return err
	}
	c.tree.FirstPrompt, err = c.prompt(c.Layout.Launch.FirstPrompt)
	return err
}

// prompt is the context of the first prompt. A catalog of no skills is no text.
func (c *compiler) prompt(body []preparer.Value) (string, error) {
	var b strings.Builder
	for _, part := range body {
		if catalog, ok := part.(preparer.SkillCatalog); ok {
			b.WriteString(c.catalogs[catalog.At.Path])
			continue
		}
		s, _, err := c.Handles.text(part)
		if err != nil {
			return "", err
		}
		b.WriteString(s)
	}
	return b.String(), nil
}

func (c *compiler) args(values []preparer.Value) ([]string, error) {
	var out []string
	for _, v := range values {
		s, _, err := c.Handles.text(v)
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}
