package preparertest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// goldenRequest is what [ParseRequest] reads.
type goldenRequest struct {
	Target *struct {
		OS            *string  `json:"os"`
		Arch          *string  `json:"arch"`
		ClientVersion *string  `json:"clientVersion"`
		Tools         []string `json:"tools"`
	} `json:"target"`
	Sections []string                   `json:"sections"`
	Skills   *int                       `json:"skills"`
	Approved [][]string                 `json:"approved"`
	Trust    preparer.Trust             `json:"trust"`
	Inherit  map[string]json.RawMessage `json:"inherit"`
	Inputs   map[string]goldenInput     `json:"inputs"`
	Saver    *struct {
		Model string `json:"model"`
	} `json:"saver"`
	RTK      bool `json:"rtk"`
	Endpoint *struct {
		Name     string `json:"name"`
		Protocol string `json:"protocol"`
		BaseURL  string `json:"baseURL"`
		Models   []struct {
			ID            string `json:"id"`
			Name          string `json:"name"`
			ContextTokens int    `json:"contextTokens"`
			Images        bool   `json:"images"`
		} `json:"models"`
		Default   string `json:"default"`
		Auth      string `json:"auth"`
		KeyInFile bool   `json:"keyInFile"`
	} `json:"endpoint"`
	Servers []struct {
		Name    string   `json:"name"`
		URL     string   `json:"url"`
		Headers []string `json:"headers"`
	} `json:"servers"`
}

type goldenInput struct {
	Index   int            `json:"index"`
	Values  map[string]any `json:"values"`
	Names   []string       `json:"names"`
	Content string         `json:"content"`
	// Withheld input does not exist, also when it is named.
	Withheld bool `json:"withheld"`
}

// ParseRequest reads the request of a golden case for the client of a descriptor: what is other than in [DefaultRequest].
// Everything may be left out, and "{}" is that request.
//
//	{
//	  "target":   {"os": "darwin", "arch": "arm64", "clientVersion": "1.2.3", "tools": ["rg"]},
//	  "sections": ["intro"],
//	  "skills":   0,
//	  "saver":    {"model": "m"},
//	  "rtk":      true,
//	  "approved": [["tutti", "issue", "get"]],
//	  "trust":    "user_said_yes",
//	  "inherit":  {"*": "none", "skills": "all", "mcp_servers": ["docs"]},
//	  "inputs":   {"config": {"index": 1, "values": {"model": "x"}}, "agents": {"names": ["a", "b"]}, "rules": {}},
//	  "endpoint": {"protocol": "openai", "baseURL": "http://127.0.0.1:1/v1", "models": [{"id": "m"}], "default": "m"},
//	  "servers":  [{"name": "crm", "url": "http://127.0.0.1:2/mcp", "headers": ["Authorization"]}]
//	}
//
// "inherit" says what comes along, "*" of all kinds: "all", "none" or the names. "skills" is how many the session has, and
// "sections" are those of the instructions. An input that is named exists, unless it is {"withheld": true}; its values go
// by key path, and a number without a dot is an [preparer.Int]. The key of an endpoint and the values of headers need not
// be said.
func ParseRequest(d preparer.Descriptor, text []byte) (preparer.Request, error) {
	var g goldenRequest
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	dec.UseNumber()
	if err := dec.Decode(&g); err != nil {
		return preparer.Request{}, err
	}
	if _, err := dec.Token(); err != io.EOF {
		return preparer.Request{}, fmt.Errorf("there is more behind the request")
	}
	r := DefaultRequest(d)
	if r.Options.TrustWorkspace = g.Trust; g.Trust != preparer.NotTrusted && !g.Trust.Given() {
		return r, fmt.Errorf("trust %q is none that there is", g.Trust)
	}
	g.target(&r)
	g.servers(d, &r)
	if err := g.inherit(&r); err != nil {
		return r, err
	}
	for _, name := range sortedKeys(g.Inputs) {
		if _, declared := r.Inputs[name]; !declared {
			return r, fmt.Errorf("input %q is not declared", name)
		}
		f, err := g.Inputs[name].found()
		if err != nil {
			return r, fmt.Errorf("input %s: %w", name, err)
		}
		r.Inputs[name] = f
	}
	return r, nil
}

func (g goldenRequest) target(r *preparer.Request) {
	if t := g.Target; t != nil {
		for to, from := range map[*string]*string{&r.Target.OS: t.OS, &r.Target.Arch: t.Arch, &r.Target.ClientVersion: t.ClientVersion} {
			if from != nil {
				*to = *from
			}
		}
		r.Target.Tools = t.Tools
	}
	if g.Skills != nil {
		r.Skills.Count = *g.Skills
	}
	r.Instructions.Sections = g.Sections
	r.Commands.Approved = g.Approved
	if g.Saver != nil {
		r.Saver = saver(g.Saver.Model)
	}
	if g.RTK {
		r.RTK = rtk()
	}
	if e := g.Endpoint; e != nil {
		r.Endpoint = &preparer.Endpoint{
			Name: e.Name, Protocol: preparer.Protocol(e.Protocol), BaseURL: e.BaseURL, Default: e.Default,
			Key: preparer.Secret{Name: "endpoint-key"}, Base: preparer.Document{Name: "base"},
			Auth: preparer.Auth(e.Auth), KeyInFile: e.KeyInFile,
		}
		for _, m := range e.Models {
			r.Endpoint.Models = append(r.Endpoint.Models, preparer.EndpointModel(m))
		}
	}
}

func (g goldenRequest) servers(d preparer.Descriptor, r *preparer.Request) {
	for _, s := range g.Servers {
		r.Servers = append(r.Servers, serverFor(d, len(headers(*r)), "header-", s.Name, s.URL, s.Headers...))
	}
}

func (g goldenRequest) inherit(r *preparer.Request) error {
	set := func(kind string, raw json.RawMessage) error {
		c, err := choice(raw)
		if err != nil {
			return fmt.Errorf("inherit %s: %w", kind, err)
		}
		if kind != "*" {
			if _, known := r.Options.Inherit[preparer.Kind(kind)]; !known {
				return fmt.Errorf("inherit: unknown kind %q", kind)
			}
			r.Options.Inherit[preparer.Kind(kind)] = c
			return nil
		}
		for _, k := range preparer.Kinds() {
			r.Options.Inherit[k] = c
		}
		return nil
	}
	if raw, all := g.Inherit["*"]; all {
		if err := set("*", raw); err != nil {
			return err
		}
	}
	for _, kind := range sortedKeys(g.Inherit) {
		if kind != "*" {
			if err := set(kind, g.Inherit[kind]); err != nil {
				return err
			}
		}
	}
	return nil
}

// choice is "all", "none" or a list of names.
func choice(raw json.RawMessage) (preparer.Choice, error) {
	var names []string
	if json.Unmarshal(raw, &names) == nil && names != nil {
		return preparer.Choice{Mode: preparer.Only, Names: names}, nil
	}
	var mode preparer.Mode
	if err := json.Unmarshal(raw, &mode); err != nil || mode != preparer.All && mode != preparer.None {
		return preparer.Choice{}, fmt.Errorf(`neither "all" nor "none" nor a list of names`)
	}
	return preparer.Choice{Mode: mode}, nil
}

func (g goldenInput) found() (preparer.Found, error) {
	if g.Withheld {
		return preparer.Found{Withheld: true}, nil
	}
	f := preparer.Found{Exists: true, Index: g.Index, Names: g.Names}
	if g.Content != "" {
		f.Content = []byte(g.Content)
	}
	for key, raw := range g.Values {
		v, err := literal(raw)
		if err != nil {
			return f, err
		}
		if f.Values == nil {
			f.Values = map[string]preparer.Value{}
		}
		f.Values[key] = v
	}
	return f, nil
}

func literal(raw any) (preparer.Value, error) {
	switch raw := raw.(type) {
	case string:
		return preparer.S(raw), nil
	case bool:
		return preparer.Bool(raw), nil
	case json.Number:
		if n, err := raw.Int64(); err == nil {
			return preparer.Int(n), nil
		}
		n, err := raw.Float64()
		return preparer.Float(n), err
	case []any:
		list := make(preparer.List, len(raw))
		for i, item := range raw {
			v, err := literal(item)
			if err != nil {
				return nil, err
			}
			list[i] = v
		}
		return list, nil
	case map[string]any:
		o := preparer.Object{}
		for k, item := range raw {
			v, err := literal(item)
			if err != nil {
				return nil, err
			}
			o[k] = v
		}
		return o, nil
	}
	return nil, fmt.Errorf("no literal: %v", raw)
}
