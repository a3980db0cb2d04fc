package protocol

import (
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
)

// EncodeRequest makes a message of a request.
func EncodeRequest(v preparer.Request) (*pb.Request, error) {
	var e encoder
	m := &pb.Request{
		Target: &pb.Target{
			Os: v.Target.OS, Arch: v.Target.Arch, ClientVersion: v.Target.ClientVersion, Tools: texts(v.Target.Tools),
		},
		Instructions: document(v.Instructions),
		Skills:       &pb.SkillSet{Count: int64(v.Skills.Count)},
		Endpoint:     e.endpoint(v.Endpoint),
		Options: &pb.Options{Inherit: e.inherit(v.Options.Inherit),
			TrustWorkspace: toEnum[pb.Trust](&e, "trust", trusts(), v.Options.TrustWorkspace)},
		Servers:  each(v.Servers, encodeServer),
		Commands: encodeCommands(v.Commands),
		Saver:    encodeSaver(v.Saver),
		Rtk:      e.rtk(v.RTK),
		Inputs: each(slices.Sorted(maps.Keys(v.Inputs)), func(name string) *pb.NamedFound {
			f := v.Inputs[name]
			return &pb.NamedFound{
				Name: name, Exists: f.Exists, Index: int64(f.Index), Values: e.fields(f.Values), Names: texts(f.Names),
				Content: f.Content, Withheld: f.Withheld,
			}
		}),
	}
	return seal(m, e.err)
}

func (e *encoder) endpoint(v *preparer.Endpoint) *pb.Endpoint {
	if v == nil {
		return nil
	}
	return &pb.Endpoint{
		Name:     v.Name,
		Protocol: e.modelProtocol(v.Protocol),
		BaseUrl:  v.BaseURL,
		Models: each(v.Models, func(m preparer.EndpointModel) *pb.EndpointModel {
			return &pb.EndpointModel{Id: m.ID, Name: m.Name, ContextTokens: int64(m.ContextTokens), Images: m.Images}
		}),
		Default:   v.Default,
		Key:       &pb.Secret{Name: v.Key.Name},
		Base:      document(v.Base),
		Auth:      toEnum[pb.EndpointAuth](e, "endpoint auth", auths(), v.Auth),
		KeyInFile: v.KeyInFile,
	}
}

// encodeCommands sends nothing where there is nothing, so that an adapter of before there were commands is not bothered.
func encodeCommands(v preparer.Commands) *pb.Commands {
	if len(v.Approved) == 0 {
		return nil
	}
	return &pb.Commands{Approved: each(v.Approved, func(words []string) *pb.CommandLine {
		return &pb.CommandLine{Words: texts(words)}
	})}
}

func decodeCommands(m *pb.Commands) preparer.Commands {
	if len(m.GetApproved()) == 0 {
		return preparer.Commands{}
	}
	return preparer.Commands{Approved: each(m.GetApproved(), func(l *pb.CommandLine) []string { return texts(l.GetWords()) })}
}

func encodeSaver(v *preparer.Saver) *pb.Saver {
	if v == nil {
		return nil
	}
	return &pb.Saver{Policy: document(v.Policy), Worker: document(v.Worker), Model: v.Model}
}

func decodeSaver(m *pb.Saver) *preparer.Saver {
	if m == nil {
		return nil
	}
	return &preparer.Saver{Policy: documentOf(m.GetPolicy()), Worker: documentOf(m.GetWorker()), Model: m.GetModel()}
}

func (e *encoder) rtk(v *preparer.RTK) *pb.RTK {
	if v == nil {
		return nil
	}
	return &pb.RTK{Program: e.place(v.Program), Reference: document(v.Reference)}
}

func (d *decoder) rtk(m *pb.RTK) *preparer.RTK {
	if m == nil {
		return nil
	}
	return &preparer.RTK{Program: d.place(m.GetProgram()), Reference: documentOf(m.GetReference())}
}

func encodeServer(v preparer.Server) *pb.Server {
	return &pb.Server{Name: v.Name, Url: v.URL, Headers: each(v.Headers, func(h preparer.Header) *pb.Header {
		return &pb.Header{Name: h.Name, Var: h.Var, Value: &pb.Secret{Name: h.Value.Name}}
	})}
}

func decodeServer(m *pb.Server) preparer.Server {
	return preparer.Server{Name: m.GetName(), URL: m.GetUrl(), Headers: each(m.GetHeaders(), func(h *pb.Header) preparer.Header {
		return preparer.Header{Name: h.GetName(), Var: h.GetVar(), Value: preparer.Secret{Name: h.GetValue().GetName()}}
	})}
}

func document(v preparer.Document) *pb.Document {
	return &pb.Document{Name: v.Name, Sections: texts(v.Sections)}
}

func (e *encoder) inherit(v preparer.Inherit) []*pb.KindChoice {
	return each(slices.Sorted(maps.Keys(v)), func(k preparer.Kind) *pb.KindChoice {
		c := v[k]
		return &pb.KindChoice{Kind: e.kind(k), Mode: toEnum[pb.Mode](e, "mode", modes(), c.Mode), Names: texts(c.Names)}
	})
}

// DecodeRequest is the request of a message.
func DecodeRequest(m *pb.Request) (preparer.Request, error) {
	if err := inspect(m); err != nil {
		return preparer.Request{}, err
	}
	var d decoder
	target := m.GetTarget()
	v := preparer.Request{
		Target: preparer.Target{
			OS: target.GetOs(), Arch: target.GetArch(), ClientVersion: target.GetClientVersion(),
			Tools: texts(target.GetTools()),
		},
		Instructions: documentOf(m.GetInstructions()),
		Skills:       preparer.SkillSet{Count: d.number(m.GetSkills().GetCount())},
		Endpoint:     d.endpoint(m.GetEndpoint()),
		Options: preparer.Options{Inherit: d.inherit(m.GetOptions().GetInherit()),
			TrustWorkspace: fromEnum(&d, "trust", trusts(), m.GetOptions().GetTrustWorkspace())},
		Servers:  each(m.GetServers(), decodeServer),
		Commands: decodeCommands(m.GetCommands()),
		Saver:    decodeSaver(m.GetSaver()),
		RTK:      d.rtk(m.GetRtk()),
		Inputs: table(&d, "input", m.GetInputs(), (*pb.NamedFound).GetName, func(f *pb.NamedFound) preparer.Found {
			return preparer.Found{
				Exists: f.GetExists(), Index: d.number(f.GetIndex()), Values: d.fields(f.GetValues()),
				Names: texts(f.GetNames()), Content: emptyToNil(f.GetContent()), Withheld: f.GetWithheld(),
			}
		}),
	}
	if d.err != nil {
		return preparer.Request{}, d.err
	}
	return v, nil
}

func (d *decoder) endpoint(m *pb.Endpoint) *preparer.Endpoint {
	if m == nil {
		return nil
	}
	return &preparer.Endpoint{
		Name:     m.GetName(),
		Protocol: d.modelProtocol(m.GetProtocol()),
		BaseURL:  m.GetBaseUrl(),
		Models: each(m.GetModels(), func(m *pb.EndpointModel) preparer.EndpointModel {
			return preparer.EndpointModel{
				ID: m.GetId(), Name: m.GetName(), ContextTokens: d.number(m.GetContextTokens()), Images: m.GetImages(),
			}
		}),
		Default:   m.GetDefault(),
		Key:       preparer.Secret{Name: m.GetKey().GetName()},
		Base:      documentOf(m.GetBase()),
		Auth:      fromEnum(d, "endpoint auth", auths(), m.GetAuth()),
		KeyInFile: m.GetKeyInFile(),
	}
}

func documentOf(m *pb.Document) preparer.Document {
	return preparer.Document{Name: m.GetName(), Sections: texts(m.GetSections())}
}

func (d *decoder) inherit(in []*pb.KindChoice) preparer.Inherit {
	return table(d, "kind", in,
		func(c *pb.KindChoice) preparer.Kind { return d.kind(c.GetKind()) },
		func(c *pb.KindChoice) preparer.Choice {
			return preparer.Choice{Mode: fromEnum(d, "mode", modes(), c.GetMode()), Names: texts(c.GetNames())}
		})
}

func emptyToNil(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	return slices.Clone(b)
}
