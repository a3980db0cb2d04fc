package rules

import (
	"slices"
	"strings"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// text checks a body: string-like parts.
func (c *checker) text(where string, body []preparer.Value, secrets bool) {
	for _, part := range body {
		if !stringLike(part) {
			c.add(Shape, where, "%T is no part of a text", part)
		}
		c.value(where, part, secrets)
	}
}

// value checks the handles in a value. Secrets says that it stands in a file of the session.
func (c *checker) value(where string, v preparer.Value, secrets bool) {
	switch v := v.(type) {
	case preparer.List:
		for _, item := range v {
			c.value(where, item, secrets)
		}
	case preparer.Object:
		for _, k := range sortedKeys(v) {
			c.value(where, v[k], secrets)
		}
	case preparer.Concat:
		c.text(where, v, secrets)
	case preparer.Quoted:
		if v.As == "" || !stringLike(v.Value) {
			c.add(Shape, where, "only a string-like value can be quoted, as a format")
		}
		c.value(where, v.Value, secrets)
	case preparer.Text:
		if v.Document == "" {
			c.add(Names, where, "a text names no document")
		}
	case preparer.PathValue:
		c.target(where, v.Place, preparer.RootSession, preparer.RootWorkspace, preparer.RootCache)
	case preparer.InputPath:
		c.input(where, v.Input, "")
	case preparer.SkillCatalog:
		c.add(Shape, where, "a catalog of skills stands in the first prompt only, as a part of its own")
	case preparer.Secret:
		switch {
		case v.Name == "":
			c.add(Secrets, where, "a secret has no name")
		case !secrets:
			c.add(Secrets, where, "a secret may not stand here")
		case !c.desc.Model.SecretFile:
			c.add(Secrets, where, "the descriptor does not say that the client needs its credential in a file")
		}
	}
}

// environment checks what is done to the environment.
func (c *checker) environment() {
	taken := map[string]bool{}
	for _, op := range c.layout.Env {
		where := "env " + op.Name
		if !envForm.MatchString(op.Name) {
			c.add(Shape, where, "it is no name of a variable")
		}
		if !covered(c.desc.Env, op.Name) && fold(op.Name) != "path" {
			c.add(Names, where, "the descriptor does not declare it")
		}
		if bad := denied(op.Name); bad != "" {
			c.add(Names, where, "no adapter may change %s", bad)
		}
		if fold(op.Name) == "path" && op.Op != preparer.EnvPrepend {
			c.add(Names, where, "it may only be prepended to")
		}
		if taken[fold(op.Name)] {
			c.add(Shape, where, "it is changed twice")
		}
		taken[fold(op.Name)] = true
		c.change(where, op)
	}
}

func (c *checker) change(where string, op preparer.EnvOp) {
	takesValue := op.Op == preparer.EnvSet || op.Op == preparer.EnvPrepend
	switch {
	case takesValue && (op.Value == nil || !stringLike(op.Value)):
		c.add(Shape, where, "the value is missing or not string-like")
	case takesValue && empty(op.Value):
		c.add(Shape, where, "an empty value is set with SetEmpty")
	case !takesValue && op.Value != nil:
		c.add(Shape, where, "%s takes no value", op.Op)
	case op.Op == preparer.EnvAppend && (len(op.Items) == 0 || op.Separator == ""):
		c.add(Shape, where, "items or separator are missing")
	case op.Op == "":
		c.add(Shape, where, "the kind of change is missing")
	}
	c.prose(where, " ", preparer.Strings(op.Items...))
	if op.Value == nil {
		return
	}
	c.value(where, withoutSecrets(op), false)
	c.prose(where, "", op.Value)
}

func empty(v preparer.Value) bool {
	s, ok := v.(preparer.String)
	return ok && s == ""
}

// withoutSecrets is the value of a variable without the secrets that may stand there: alone, or as in "Bearer ...".
func withoutSecrets(op preparer.EnvOp) preparer.Value {
	if op.Op != preparer.EnvSet {
		return op.Value
	}
	parts, ok := op.Value.(preparer.Concat)
	if !ok {
		parts = preparer.Concat{op.Value}
	}
	var rest preparer.Concat
	for _, p := range parts {
		if s, secret := p.(preparer.Secret); !secret || s.Name == "" {
			rest = append(rest, p)
		}
	}
	return rest
}

// launch checks arguments, first prompt, actions and stripped names.
func (c *checker) launch() {
	l := c.layout.Launch
	for _, args := range [][]preparer.Value{l.Before, l.After} {
		c.text("arguments", args, false)
		c.prose("arguments", " ", args...)
		for _, a := range args {
			begin, whole := leading(a)
			flag := flagOf(begin)
			if !whole && (begin == "-" || begin == "--") {
				flag = begin // a handle says which one it is
			}
			if flag != "" && !covered(c.desc.Flags, flag) {
				c.add(Names, "arguments", "flag %s is not declared", flag)
			}
		}
	}
	c.prompt(l.FirstPrompt)
	c.canonical("first prompt", l.FirstPrompt)
	c.prose("first prompt", "", l.FirstPrompt...)
	c.actions()
	for _, name := range l.Strip {
		switch {
		case !patternForm.MatchString(name):
			c.add(Shape, "strip "+name, "it is no name of a variable")
		case !covered(c.desc.Env, name):
			c.add(Names, "strip "+name, "the descriptor does not declare it")
		case denied(name) != "" || overlap(strings.ToUpper(name), "PATH"):
			c.add(Names, "strip "+name, "no adapter may change it")
		}
	}
}

// prompt checks the parts of the first prompt.
func (c *checker) prompt(body []preparer.Value) {
	for _, part := range body {
		catalog, ok := part.(preparer.SkillCatalog)
		if !ok {
			c.text("first prompt", []preparer.Value{part}, false)
			continue
		}
		if !slices.ContainsFunc(c.layout.Entries, func(e preparer.Entry) bool {
			skills, is := e.(preparer.PlaceSkills)
			return is && skills.At == catalog.At
		}) {
			c.add(Names, "first prompt", "no skills are placed at %s, of which it holds a catalog", catalog.At)
		}
	}
}

// leading is the text that a string-like value begins with, up to its first handle, and whether that is all of it. What
// is quoted counts as it is, since quoting leaves a flag alone.
func leading(v preparer.Value) (text string, whole bool) {
	switch v := v.(type) {
	case preparer.String:
		return string(v), true
	case preparer.Quoted:
		return leading(v.Value)
	case preparer.Concat:
		for _, part := range v {
			begin, all := leading(part)
			if text += begin; !all {
				return text, false
			}
		}
		return text, true
	}
	return "", false
}

// stringLike says whether a value may be part of a string.
func stringLike(v preparer.Value) bool {
	switch v.(type) {
	case preparer.String, preparer.Text, preparer.PathValue, preparer.InputPath, preparer.Secret, preparer.Quoted,
		preparer.Concat:
		return true
	}
	return false
}
