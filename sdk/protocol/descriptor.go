package protocol

import (
	"maps"
	"slices"

	"github.com/greenroom-agents/greenroom/sdk/preparer"
	pb "github.com/greenroom-agents/greenroom/sdk/protocol/preparerv1"
)

// EncodeDescriptor makes a message of a descriptor.
func EncodeDescriptor(v preparer.Descriptor) (*pb.Descriptor, error) {
	var e encoder
	m := &pb.Descriptor{
		Provider: v.Provider,
		Version:  v.Version,
		Client:   e.client(v.Client),
		Homes: each(v.Homes, func(h preparer.Home) *pb.Home {
			return &pb.Home{Id: h.ID, Env: h.Env, Sub: h.Sub, Default: h.Default, WindowsNative: h.WindowsNative}
		}),
		Inputs: each(v.Inputs, e.input),
		Instructions: each(v.Instructions, func(c preparer.Channel) pb.Channel {
			return toEnum[pb.Channel](&e, "channel", channels(), c)
		}),
		Skills: &pb.SkillChannel{
			Kind:    toEnum[pb.SkillKind](&e, "kind of skill place", skillKinds(), v.Skills.Kind),
			Links:   v.Skills.Links,
			Nested:  v.Skills.Nested,
			Names:   toEnum[pb.NameForm](&e, "name form", nameForms(), v.Skills.Names),
			MaxName: int64(v.Skills.MaxName),
		},
		Rewrite:      toEnum[pb.Rewrite](&e, "rewrite", rewrites(), v.Rewrite),
		NativeImages: v.NativeImages,
		Sandboxed:    v.Sandboxed,
		Saver:        v.Saver,

		RewriteSupported: v.RewriteSupported,
		Model: &pb.Model{
			Protocol:   e.modelProtocol(v.Model.Protocol),
			Addressing: toEnum[pb.Addressing](&e, "addressing", addressings(), v.Model.Addressing),
			Endpoint:   toEnum[pb.EndpointAdapter](&e, "endpoint adapter", endpointAdapters(), v.Model.Endpoint),
			KeyVar:     v.Model.KeyVar,
			SecretFile: v.Model.SecretFile,
			Also:       each(v.Model.Also, e.modelProtocol),
			ApiKeyVar:  v.Model.APIKeyVar,

			NativeSubscription: v.Model.NativeSubscription,
		},
		ServerVars:    v.ServerVars,
		BearerServers: v.BearerServers,
		Inherit: each(slices.Sorted(maps.Keys(v.Inherit)), func(k preparer.Kind) *pb.KindExclusion {
			x := v.Inherit[k]
			return &pb.KindExclusion{Kind: e.kind(k), How: toEnum[pb.How](&e, "means", hows(), x.How), Named: x.Named,
				With: each(x.With, e.kind), OffEndpoint: x.OffEndpoint}
		}),
		Gates: each(v.Gates, func(g preparer.Gate) *pb.Gate {
			return &pb.Gate{Id: g.ID, Answer: e.gateAnswer(g.Answer), Lets: each(g.Lets, e.kind), Untrusted: e.gateAnswer(g.Untrusted)}
		}),
		Env:         texts(v.Env),
		Flags:       texts(v.Flags),
		OwnState:    each(v.OwnState, e.location),
		Transcripts: e.transcripts(v.Transcripts),

		MachineSettings: texts(v.MachineSettings),
	}
	return seal(m, e.err)
}

func (e *encoder) client(c preparer.Client) *pb.Client {
	return &pb.Client{
		Executables:   texts(c.Executables),
		Override:      c.Override,
		VersionArgs:   texts(c.VersionArgs),
		Supported:     c.Supported,
		Transport:     toEnum[pb.Transport](e, "transport", transports(), c.Transport),
		TransportArgs: texts(c.TransportArgs),
		Tools:         texts(c.Tools),
		Validators:    each(c.Validators, func(args []string) *pb.Command { return &pb.Command{Args: texts(args)} }),
	}
}

func (e *encoder) input(i preparer.Input) *pb.Input {
	return &pb.Input{
		Name:   i.Name,
		Kind:   toEnum[pb.InputKind](e, "kind of input", inputKinds(), i.Kind),
		At:     each(i.At, e.location),
		Filter: i.Filter,
		Learn:  toEnum[pb.Learn](e, "learn", learns(), i.Learn),
		Format: e.format(i.Format),
		Values: each(i.Values, e.key),
		Secret: i.Secret, NotBlank: i.NotBlank, Inside: i.Inside,
		Carries: each(i.Carries, func(c preparer.Carry) *pb.Carry {
			return &pb.Carry{Kind: e.kind(c.Kind), Keys: each(c.Keys, e.key), Stays: c.Stays}
		}),
		Displaced: each(i.Displaced, e.key),
	}
}

func (e *encoder) location(l preparer.Location) *pb.Location {
	return &pb.Location{
		Base: toEnum[pb.LocationBase](e, "base of a location", locationBases(), l.Base),
		Home: l.Home, Path: l.Path, ToGitRoot: l.ToGitRoot,
	}
}

func (e *encoder) kind(k preparer.Kind) pb.Kind { return toEnum[pb.Kind](e, "kind", kinds(), k) }

func (e *encoder) gateAnswer(a preparer.GateAnswer) pb.GateAnswer {
	return toEnum[pb.GateAnswer](e, "gate answer", gateAnswers(), a)
}

func (d *decoder) gateAnswer(a pb.GateAnswer) preparer.GateAnswer {
	return fromEnum(d, "gate answer", gateAnswers(), a)
}

func (e *encoder) modelProtocol(p preparer.Protocol) pb.ModelProtocol {
	return toEnum[pb.ModelProtocol](e, "model protocol", modelProtocols(), p)
}

// transcripts encodes nothing where there is nothing, so that a host of before there were any is not bothered.
func (e *encoder) transcripts(v preparer.Transcripts) *pb.Transcripts {
	if len(v.Dirs) == 0 && len(v.From) == 0 && v.Suffix == "" && len(v.ID) == 0 {
		return nil
	}
	return &pb.Transcripts{Dirs: texts(v.Dirs), From: each(v.From, e.location), Suffix: v.Suffix, Id: e.optionalKey(v.ID)}
}

func (d *decoder) transcripts(m *pb.Transcripts) preparer.Transcripts {
	if m == nil {
		return preparer.Transcripts{}
	}
	return preparer.Transcripts{
		Dirs: texts(m.GetDirs()), From: each(m.GetFrom(), d.location), Suffix: m.GetSuffix(), ID: d.key(m.GetId()),
	}
}

// DecodeDescriptor is the descriptor of a message.
func DecodeDescriptor(m *pb.Descriptor) (preparer.Descriptor, error) {
	if err := inspect(m); err != nil {
		return preparer.Descriptor{}, err
	}
	var d decoder
	skills, model := m.GetSkills(), m.GetModel()
	v := preparer.Descriptor{
		Provider: m.GetProvider(),
		Version:  m.GetVersion(),
		Client:   d.client(m.GetClient()),
		Homes: each(m.GetHomes(), func(h *pb.Home) preparer.Home {
			return preparer.Home{ID: h.GetId(), Env: h.GetEnv(), Sub: h.GetSub(), Default: h.GetDefault(),
				WindowsNative: h.GetWindowsNative()}
		}),
		Inputs: each(m.GetInputs(), d.input),
		Instructions: each(m.GetInstructions(), func(c pb.Channel) preparer.Channel {
			return fromEnum(&d, "channel", channels(), c)
		}),
		Skills: preparer.SkillChannel{
			Kind:    fromEnum(&d, "kind of skill place", skillKinds(), skills.GetKind()),
			Links:   skills.GetLinks(),
			Nested:  skills.GetNested(),
			Names:   fromEnum(&d, "name form", nameForms(), skills.GetNames()),
			MaxName: d.number(skills.GetMaxName()),
		},
		Rewrite:      fromEnum(&d, "rewrite", rewrites(), m.GetRewrite()),
		NativeImages: m.GetNativeImages(),
		Sandboxed:    m.GetSandboxed(),
		Saver:        m.GetSaver(),

		RewriteSupported: m.GetRewriteSupported(),
		Model: preparer.Model{
			Protocol:   d.modelProtocol(model.GetProtocol()),
			Addressing: fromEnum(&d, "addressing", addressings(), model.GetAddressing()),
			Endpoint:   fromEnum(&d, "endpoint adapter", endpointAdapters(), model.GetEndpoint()),
			KeyVar:     model.GetKeyVar(),
			SecretFile: model.GetSecretFile(),
			Also:       each(model.GetAlso(), d.modelProtocol),
			APIKeyVar:  model.GetApiKeyVar(),

			NativeSubscription: model.GetNativeSubscription(),
		},
		ServerVars:    m.GetServerVars(),
		BearerServers: m.GetBearerServers(),
		Inherit: table(&d, "kind", m.GetInherit(),
			func(x *pb.KindExclusion) preparer.Kind { return d.kind(x.GetKind()) },
			func(x *pb.KindExclusion) preparer.Exclusion {
				return preparer.Exclusion{How: fromEnum(&d, "means", hows(), x.GetHow()), Named: x.GetNamed(),
					With: each(x.GetWith(), d.kind), OffEndpoint: x.GetOffEndpoint()}
			}),
		Gates: each(m.GetGates(), func(g *pb.Gate) preparer.Gate {
			return preparer.Gate{ID: g.GetId(), Answer: d.gateAnswer(g.GetAnswer()), Lets: each(g.GetLets(), d.kind),
				Untrusted: d.gateAnswer(g.GetUntrusted())}
		}),
		Env:         texts(m.GetEnv()),
		Flags:       texts(m.GetFlags()),
		OwnState:    each(m.GetOwnState(), d.location),
		Transcripts: d.transcripts(m.GetTranscripts()),

		MachineSettings: texts(m.GetMachineSettings()),
	}
	if d.err != nil {
		return preparer.Descriptor{}, d.err
	}
	return v, nil
}

func (d *decoder) client(m *pb.Client) preparer.Client {
	return preparer.Client{
		Executables:   texts(m.GetExecutables()),
		Override:      m.GetOverride(),
		VersionArgs:   texts(m.GetVersionArgs()),
		Supported:     m.GetSupported(),
		Transport:     fromEnum(d, "transport", transports(), m.GetTransport()),
		TransportArgs: texts(m.GetTransportArgs()),
		Tools:         texts(m.GetTools()),
		Validators:    each(m.GetValidators(), func(c *pb.Command) []string { return texts(c.GetArgs()) }),
	}
}

func (d *decoder) input(m *pb.Input) preparer.Input {
	return preparer.Input{
		Name:   m.GetName(),
		Kind:   fromEnum(d, "kind of input", inputKinds(), m.GetKind()),
		At:     each(m.GetAt(), d.location),
		Filter: m.GetFilter(),
		Learn:  fromEnum(d, "learn", learns(), m.GetLearn()),
		Format: d.format(m.GetFormat()),
		Values: each(m.GetValues(), d.key),
		Secret: m.GetSecret(), NotBlank: m.GetNotBlank(), Inside: m.GetInside(),
		Carries: each(m.GetCarries(), func(c *pb.Carry) preparer.Carry {
			return preparer.Carry{Kind: d.kind(c.GetKind()), Keys: each(c.GetKeys(), d.key), Stays: c.GetStays()}
		}),
		Displaced: each(m.GetDisplaced(), d.key),
	}
}

func (d *decoder) location(m *pb.Location) preparer.Location {
	return preparer.Location{
		Base: fromEnum(d, "base of a location", locationBases(), m.GetBase()),
		Home: m.GetHome(), Path: m.GetPath(), ToGitRoot: m.GetToGitRoot(),
	}
}

func (d *decoder) kind(k pb.Kind) preparer.Kind { return fromEnum(d, "kind", kinds(), k) }

func (d *decoder) modelProtocol(p pb.ModelProtocol) preparer.Protocol {
	return fromEnum(d, "model protocol", modelProtocols(), p)
}
