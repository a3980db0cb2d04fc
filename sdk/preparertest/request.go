package preparertest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

// Names that a request of the kit uses. None of them may turn up as a literal of a layout.
const (
	documentName = "instructions"
	canary       = "canary-3f9c1d7e5ab2"
)

// DefaultRequest is a plain request for the client of a descriptor: nothing of the user's was found, everything but
// memories would come along, no endpoint, two skills.
func DefaultRequest(d preparer.Descriptor) preparer.Request {
	r := preparer.Request{
		Target:       preparer.Target{OS: "linux", Arch: "amd64", ClientVersion: "1.0.0"},
		Instructions: preparer.Document{Name: documentName},
		Skills:       preparer.SkillSet{Count: 2},
		Options:      preparer.Options{Inherit: preparer.Inherit{}},
		Inputs:       map[string]preparer.Found{},
	}
	for _, k := range preparer.Kinds() {
		r.Options.Inherit[k] = preparer.Choice{Mode: preparer.All}
	}
	r.Options.Inherit[preparer.Memories] = preparer.Choice{Mode: preparer.None}
	for _, i := range d.Inputs {
		r.Inputs[i.Name] = preparer.Found{}
	}
	return r
}

// endpointFor is an endpoint of a protocol, with a key whose name is the canary.
func endpointFor(p preparer.Protocol) *preparer.Endpoint {
	return &preparer.Endpoint{
		Name: "Scratch", Protocol: p, BaseURL: "http://127.0.0.1:41234/v1",
		Models:  []preparer.EndpointModel{{ID: "scratch-large", Name: "Large"}, {ID: "vendor/scratch-small", Name: "Small", ContextTokens: 65_536, Images: true}},
		Default: "scratch-large",
		Key:     preparer.Secret{Name: canary},
		Base:    preparer.Document{Name: "base"},
	}
}

// saver asks for the saver mode, with a model or none.
func saver(model string) *preparer.Saver {
	return &preparer.Saver{Policy: preparer.Document{Name: "saver-policy"}, Worker: preparer.Document{Name: "saver-worker"}, Model: model}
}

// rtk is the program that commands are to run through.
func rtk() *preparer.RTK {
	return &preparer.RTK{Program: preparer.Session("rtk/bin/rtk"), Reference: preparer.Document{Name: "rtk-reference"}}
}

// serverFor is an MCP server whose headers have the given names. Others of the request came before them.
func serverFor(d preparer.Descriptor, before int, handle, name, url string, names ...string) preparer.Server {
	s := preparer.Server{Name: name, URL: url}
	for i, header := range names {
		n := strconv.Itoa(before + i + 1)
		s.Headers = append(s.Headers, preparer.Header{Name: header, Var: d.ServerVars + n, Value: preparer.Secret{Name: handle + n}})
	}
	return s
}

// serversFor are MCP servers for a client that takes some, with credentials whose names begin with the canary.
func serversFor(d preparer.Descriptor) []preparer.Server {
	names := []string{"Authorization", "X-Team"}
	if d.BearerServers {
		names = names[:1]
	}
	return []preparer.Server{
		serverFor(d, 0, canary, "alpha", "https://tools.example/mcp", names...),
		serverFor(d, len(names), canary, "beta_2", "http://127.0.0.1:41235/"),
	}
}

// headers are those of all servers of a request.
func headers(r preparer.Request) []preparer.Header {
	var all []preparer.Header
	for _, s := range r.Servers {
		all = append(all, s.Headers...)
	}
	return all
}

// randomRequest is any request that a host could make for a descriptor.
func randomRequest(d preparer.Descriptor, rnd *rand.Rand) preparer.Request {
	r := DefaultRequest(d)
	coin := func() bool { return rnd.IntN(2) == 0 }
	r.Target = preparer.Target{
		OS:            pick(rnd, "linux", "darwin", "windows"),
		Arch:          pick(rnd, "amd64", "arm64"),
		ClientVersion: pick(rnd, "", "0.0.1", "1.2.3", "2.0.0-rc.1", "99.0.0"),
	}
	for _, tool := range d.Client.Tools {
		if coin() {
			r.Target.Tools = append(r.Target.Tools, tool)
		}
	}
	slices.Sort(r.Target.Tools)
	if coin() {
		r.Instructions.Sections = []string{"intro", "skills", "commands"}
	}
	r.Skills.Count = pick(rnd, 0, 1, 2, 300)
	for _, k := range preparer.Kinds() {
		c := preparer.Choice{Mode: pick(rnd, preparer.All, preparer.None, preparer.Only)}
		if c.Mode == preparer.Only && coin() {
			c.Names = randomNames(rnd)
		}
		r.Options.Inherit[k] = c
	}
	r.Options.TrustWorkspace = pick(rnd, preparer.NotTrusted, preparer.NotTrusted, preparer.HostCreated, preparer.UserSaidYes)
	if rnd.IntN(4) == 0 {
		r.Endpoint = endpointFor(pick(rnd, d.Model.Wire(), preparer.OpenAI, preparer.Anthropic, preparer.Responses))
		r.Endpoint.Auth = pick(rnd, preparer.Bearer, preparer.APIKey)
		r.Endpoint.KeyInFile = coin()
		if coin() {
			r.Endpoint.Models, r.Endpoint.Default = nil, ""
		}
	}
	if d.Saver && coin() {
		r.Saver = saver(pick(rnd, "", "scratch-large", "another-model"))
	}
	if coin() {
		r.RTK = rtk()
	}
	if d.ServerVars != "" && coin() {
		r.Servers = serversFor(d)
	}
	r.Commands.Approved = pick(rnd, nil, [][]string{{"tutti"}}, [][]string{{"tutti", "app", "open"}, {"tutti", "issue", "get"}})
	for _, i := range d.Inputs {
		if coin() {
			r.Inputs[i.Name] = randomFound(i, rnd)
		}
		if i.Secret && rnd.IntN(8) == 0 {
			r.Inputs[i.Name] = preparer.Found{Withheld: true}
		}
	}
	return r
}

func randomFound(i preparer.Input, rnd *rand.Rand) preparer.Found {
	f := preparer.Found{Exists: true, Index: rnd.IntN(len(i.At) + 1)}
	if i.Kind == preparer.InputNames {
		f.Index = 0
	}
	f.Index = min(f.Index, max(0, len(i.At)-1))
	switch {
	case i.Learn == preparer.LearnContent:
		f.Content = []byte(pick(rnd, "", "x", "a = 1\n", "{}", "\x00\xff", "---\n"))
	case i.Learn == preparer.LearnValues && i.Kind == preparer.InputNames:
		f.Names = randomNames(rnd)
	case i.Learn == preparer.LearnValues:
		f.Values = map[string]preparer.Value{}
		for _, k := range i.Values {
			key := slices.Clone(k)
			for n, segment := range key {
				if segment == "*" {
					key[n] = fmt.Sprintf("any/%d~", rnd.IntN(9))
				}
			}
			if rnd.IntN(3) > 0 {
				f.Values[key.String()] = randomLiteral(rnd)
			}
		}
	}
	return f
}

// randomLiteral is anything that a user may have written, also where the client wants something else.
func randomLiteral(rnd *rand.Rand) preparer.Value {
	return pick[preparer.Value](rnd, preparer.S(""), preparer.S("x"), preparer.S("../../etc"), preparer.S("--flag"),
		preparer.S("é\n\"'`$(x)"), preparer.Bool(true), preparer.Int(-1), preparer.Float(0.5), preparer.List{},
		preparer.Strings("a", "b"), preparer.List{preparer.Int(1), preparer.Object{}}, preparer.Object{},
		preparer.Object{"k": preparer.S("v"), "n": preparer.Object{"": preparer.Bool(false)}})
}

// randomNames are names as they stand in a directory of the user's, sorted.
func randomNames(rnd *rand.Rand) []string {
	all := []string{"Alpha", "alpha", "beta", "con", "gamma.toml", "name with blanks", "größe", "z"}
	var out []string
	for _, n := range all {
		if rnd.IntN(3) == 0 {
			out = append(out, n)
		}
	}
	return out
}

func pick[T any](rnd *rand.Rand, choices ...T) T { return choices[rnd.IntN(len(choices))] }
