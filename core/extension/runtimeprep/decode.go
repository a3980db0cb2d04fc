package runtimeprep

import (
	"bytes"
	"fmt"
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/merge"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// maxBytes bounds a declaration, and maxList each of its lists.
const (
	maxBytes = 64 << 10
	maxList  = 32
)

const op = "read runtimePrep"

// Decode reads the object runtimePrep, and holds it to the rules. Errors: fault.Invalid, which names the field;
// fault.Unparsable for what is no JSON.
func Decode(data []byte) (*Declaration, error) {
	if len(data) > maxBytes {
		return nil, bad("", fmt.Sprintf("is larger than %d KiB", maxBytes>>10))
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, fault.New(fault.Unparsable, op, "runtimePrep", "is empty")
	}
	root, err := merge.Parse(preparer.JSON, data, "runtimePrep") // which refuses keys that stand twice
	if err != nil {
		return nil, err
	}
	d, found := &Declaration{}, []error{}
	o := object{fields: root, found: &found}
	if o.declaration(d); len(found) == 0 {
		found = d.Check()
	}
	if len(found) > 0 {
		return nil, found[0]
	}
	return d, nil
}

func (o *object) declaration(d *Declaration) {
	o.text("instructionsFile", &d.InstructionsFile)
	o.texts("instructionsHiddenBy", &d.HiddenBy)
	if home, ok := o.object("home"); ok {
		d.Home = &Home{}
		home.home(d.Home)
	}
	o.end()
}

func (o *object) home(h *Home) {
	o.text("envVar", &h.EnvVar)
	o.text("dirName", &h.DirName)
	o.text("sourceEnvVar", &h.SourceEnvVar)
	o.text("sourceDefaultRel", &h.SourceDefaultRel)
	o.texts("copyFiles", &h.CopyFiles)
	o.logins("loginFiles", &h.LoginFiles)
	o.texts("sharedDirs", &h.SharedDirs)
	o.text("configFile", &h.ConfigFile)
	o.text("configFormat", &h.ConfigFormat)
	o.texts("externalDirsKey", &h.ExternalDirsKey)
	o.texts("pluginsKey", &h.PluginsKey)
	o.text("userHomeSkillDir", &h.UserHomeSkillDir)
	o.flag("includeSkillRoots", &h.IncludeSkillRoots)
	o.flag("includeUserHomeDir", &h.IncludeUserHomeDir)
	o.end()
}

// object is one whose fields are taken out one by one. What is wrong with any of them is found.
type object struct {
	at     string // its own field, "" for the root
	fields map[string]any
	found  *[]error
}

func (o *object) bad(field, detail string) { *o.found = append(*o.found, bad(field, detail)) }

func (o *object) field(name string) string {
	if o.at == "" {
		return name
	}
	return o.at + "." + name
}

// take takes a field out. An absent one is fine, null is not.
func take[T any](o *object, name, kind string) (v T, ok bool) {
	raw, there := o.fields[name]
	if !there {
		return v, false
	}
	delete(o.fields, name)
	if v, ok = raw.(T); !ok {
		o.bad(o.field(name), "is not "+kind)
	}
	return v, ok
}

func (o *object) text(name string, to *string) {
	v, ok := take[string](o, name, "a string")
	if ok && v == "" {
		o.bad(o.field(name), "is empty; leave it out")
	}
	*to = v
}

func (o *object) flag(name string, to *bool) { *to, _ = take[bool](o, name, "true or false") }

func (o *object) list(name string) []any {
	list, _ := take[[]any](o, name, "a list")
	if len(list) > maxList {
		o.bad(o.field(name), fmt.Sprintf("has more than %d elements", maxList))
		return nil
	}
	return list
}

func (o *object) texts(name string, to *[]string) {
	for i, raw := range o.list(name) {
		v, ok := raw.(string)
		if !ok {
			o.bad(element(o.field(name), i), "is not a string")
		}
		*to = append(*to, v)
	}
}

func (o *object) object(name string) (object, bool) {
	m, ok := take[map[string]any](o, name, "an object")
	return object{at: o.field(name), fields: m, found: o.found}, ok
}

func (o *object) logins(name string, to *[]LoginFile) {
	for i, raw := range o.list(name) {
		at := element(o.field(name), i)
		m, ok := raw.(map[string]any)
		if !ok {
			o.bad(at, "is not an object")
			continue
		}
		one, l := object{at: at, fields: m, found: o.found}, LoginFile{}
		one.text("path", &l.Path)
		one.text("lock", &l.Lock)
		one.end()
		*to = append(*to, l)
	}
}

// end refuses what was not taken out.
func (o *object) end() {
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		o.bad(o.field(shown(name)), "is no field that there is")
	}
}

func element(field string, i int) string { return fmt.Sprintf("%s[%d]", field, i) }

// shown is a word of somebody else's in a message.
func shown(s string) string {
	q := fmt.Sprintf("%.60q", s)
	return q[1 : len(q)-1]
}

// bad is the error of a field, "" for the declaration itself.
func bad(field, detail string) *fault.Error {
	subject := "runtimePrep"
	if field != "" {
		subject += "." + field
	}
	return fault.New(fault.Invalid, op, subject, detail)
}
