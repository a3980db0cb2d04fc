package core

import (
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/greenroom-agents/greenroom/core/adapter"
	"github.com/greenroom-agents/greenroom/core/canon"
	"github.com/greenroom-agents/greenroom/core/capability"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/client"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/internal/input"
	"github.com/greenroom-agents/greenroom/core/layout"
	"github.com/greenroom-agents/greenroom/core/skill"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
	"github.com/greenroom-agents/greenroom/sdk/rules"
)

// maxKinds bounds how many kinds of session a host remembers.
const maxKinds = 64

// kind is what sessions have in common for which everything is alike that an adapter is told and that texts depend on:
// provider, adapter, client, choices, working directory, and what was found of the user's. Of the user's files it holds no
// more than the adapter is told, so no secret. It is safe for concurrent use, and nothing of it may be changed but by its
// methods.
type kind struct {
	content  *capability.Resolved
	facts    canon.Facts
	skills   []skill.Skill
	question *adapter.Question
	refused  []string // commands that are asked for each time

	mu        sync.Mutex
	layout    *preparer.Layout  // the last one that passed its check
	inherited []Inherited       // and what of the user's it brings along
	calls     bool              // something in it names the session's rtk
	named     *named            // for a session that has no names yet
	ids       map[string]string // identities of inputs, which caches are named by
}

// named are the skills' names and the document that spells them.
type named struct {
	names map[string]string
	text  map[string]layout.Text

	once sync.Once
	set  *skill.Set
}

// bundle is the set of the skills under their names.
func (n *named) bundle(list []skill.Named) *skill.Set {
	n.once.Do(func() { n.set = skill.NewSet(list) })
	return n.set
}

// recall lets a look at the inputs use what an earlier one that found the same has worked out.
func (k *kind) recall(inputs *input.Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	inputs.Recall(k.ids)
}

// keep keeps what was worked out about the inputs.
func (k *kind) keep(inputs *input.Snapshot) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ids == nil {
		k.ids = inputs.Identities()
	}
}

// kindOf is the kind of a session whose inputs were looked at.
func (h *Host) kindOf(a *answered) (*kind, error) {
	tools := client.Tools(a.desc.Client, h.env)
	key := strings.Join([]string{
		a.session.Provider, a.adapter.Digest, a.adapter.Version, a.version, a.session.Cwd, strings.Join(a.choices, "\n"), strings.Join(tools, "\n"),
		a.inputs.Print(), a.content.Digest, a.toldEndpoint(), a.toldSaver(), a.toldServers(), a.toldRTK(), string(a.trust()),
	}, "\x00")
	h.mu.Lock()
	k := h.kinds[key]
	h.mu.Unlock()
	if k != nil {
		return k, nil
	}
	k, err := h.newKind(a, tools)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.kinds) >= maxKinds {
		clear(h.kinds)
	}
	h.kinds[key] = k
	return k, nil
}

func (h *Host) newKind(a *answered, tools []string) (*kind, error) {
	approval := a.content.Facts.Commands.Approval()
	k := &kind{content: a.content, facts: a.content.Facts, refused: approval.Refused}
	doc, err := h.cfg.Content.Document(k.facts)
	if err != nil {
		return nil, err
	}
	for _, s := range a.content.Skills {
		k.skills = append(k.skills, s.Skill)
	}
	k.question = &adapter.Question{Request: preparer.Request{
		Target:       preparer.Target{OS: runtime.GOOS, Arch: runtime.GOARCH, ClientVersion: a.version, Tools: tools},
		Instructions: preparer.Document{Name: doc.Name, Sections: doc.Keys()},
		Skills:       preparer.SkillSet{Count: len(k.skills)},
		Options:      preparer.Options{Inherit: a.inherit, TrustWorkspace: a.trust()},
		Inputs:       a.inputs.Found(),
		Commands:     preparer.Commands{Approved: approval.Prefixes},
	}}
	k.question.Request.Saver = a.saver
	k.question.Request.RTK = a.shortens()
	k.question.Request.Servers = connector.Handles(a.servers, a.desc.ServerVars)
	if a.endpoint != nil {
		k.question.Request.Endpoint = a.endpoint.Told()
		k.question.Request.Endpoint.Base = preparer.Document{Name: canon.BaseName}
	}
	return k, nil
}

// check holds the layout of an answer to the host's policy, once.
func (k *kind) check(a *answered) error {
	d, l := a.desc, a.layout
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.layout == l {
		return nil
	}
	if err := layout.Check(d, l); err != nil {
		return err
	}
	own := canon.VarsFor(k.facts.EnvPrefix)
	for _, v := range l.Env {
		if slices.Contains([]string{own.Workspace, own.Session, own.Provider, own.Cwd}, strings.ToUpper(v.Name)) {
			return fault.New(fault.LayoutRefused, "check layout", "env "+v.Name, "is how the host tells the session who it is").
				WithHint("the adapter is at fault: tell its author, or use another version")
		}
	}
	k.layout, k.inherited, k.named, k.calls = l, a.inherited(), nil, false
	if rtk := k.question.Request.RTK; rtk != nil {
		rules.EachValue(l, func(_ string, v preparer.Value) {
			path, ok := v.(preparer.PathValue)
			k.calls = k.calls || ok && path.Place == rtk.Program
		})
	}
	return nil
}

// report is what of the user's comes along, and what does not.
func (k *kind) report() []Inherited {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(k.inherited)
}

// callsRTK says whether something in the layout names the session's rtk.
func (k *kind) callsRTK() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.calls
}

// names gives the skills their names, and renders the document with them. prior are the names that the session has.
func (h *Host) names(a *answered, prior map[string]string) (*named, error) {
	k := a.kind
	k.mu.Lock()
	n, fits := k.named, k.layout == a.layout
	k.mu.Unlock()
	if fits && n != nil && (len(prior) == 0 || maps.Equal(prior, n.names)) {
		return n, nil
	}
	given, err := layout.Names(a.desc, a.layout, a.inputs, k.skills, prior, h.leadsToStore)
	if err != nil {
		return nil, err
	}
	facts := k.facts
	facts.Names = given
	doc, err := h.cfg.Content.Document(facts)
	if err != nil {
		return nil, err
	}
	text := layout.Text{Whole: doc.Text, Sections: make(map[string]string, len(doc.Sections))}
	for _, s := range doc.Sections {
		text.Sections[s.Key] = s.Text
	}
	n = &named{names: given, text: map[string]layout.Text{
		doc.Name: text, canon.BaseName: {Whole: canon.Base()},
		canon.SaverPolicyName: {Whole: canon.SaverPolicy()}, canon.SaverWorkerName: {Whole: canon.SaverWorker()},
	}}
	if o := a.session.ExtensionRuntimePrep; o != nil {
		for name, text := range o.Texts() {
			n.text[name] = layout.Text{Whole: text}
		}
	}
	if len(prior) == 0 {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.layout == a.layout {
			k.named = n
		}
	}
	return n, nil
}

// leadsToStore says whether a path is a link to something in the store, which no link of the user's is.
func (h *Host) leadsToStore(path string) bool {
	to, err := os.Readlink(path)
	return err == nil && strings.HasPrefix(to, filepath.Join(h.store.Path(), "store")+string(filepath.Separator))
}

// choices is an Inherit in the form kind=mode,name,..., in the order of the kinds. A name that holds a comma, or a sign that
// is not printed, is quoted, so that no two choices are written alike.
func choices(in preparer.Inherit) []string {
	var list []string
	for _, k := range preparer.Kinds() {
		c := in[k]
		text := string(k) + "=" + string(c.Mode)
		for _, name := range c.Names {
			if quoted := strconv.Quote(name); strings.Contains(name, ",") || quoted != `"`+name+`"` {
				name = quoted
			}
			text += "," + name
		}
		list = append(list, text)
	}
	return list
}

// chosen reads what choices has written.
func chosen(list []string) (Inherit, error) {
	in := Inherit{Kinds: map[preparer.Kind]preparer.Choice{}}
	for _, text := range list {
		kind, rest, _ := strings.Cut(text, "=")
		mode, rest, more := strings.Cut(rest, ",")
		c := preparer.Choice{Mode: preparer.Mode(mode)}
		for more {
			name, quoted := "", strings.HasPrefix(rest, `"`)
			if quoted {
				prefix, err := strconv.QuotedPrefix(rest)
				if err == nil {
					name, err = strconv.Unquote(prefix)
				}
				if err != nil {
					return Inherit{}, fault.New(fault.Corrupt, "read choices", kind, "a name is not written as names are")
				}
				_, rest, more = strings.Cut(rest[len(prefix):], ",")
			} else {
				name, rest, more = strings.Cut(rest, ",")
			}
			c.Names = append(c.Names, name)
		}
		in.Kinds[preparer.Kind(kind)] = c
	}
	return in, nil
}
