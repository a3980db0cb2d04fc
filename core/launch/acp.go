package launch

import (
	"context"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/coder/acp-go-sdk"

	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/launch/internal/jsonrpc"
)

// authRequired is the code of the Agent Client Protocol for a client whose user is not logged in.
const authRequired = -32000

// forbidden is our code for an endpoint that answers that the credential is not enough. It is that of an endpoint, and says
// of a vendor's own no more than that it refuses.
const forbidden = -32403

// agentClient speaks the Agent Client Protocol, https://agentclientprotocol.com. Its types come from its SDK; the
// connection is our own, which the app-server of Codex shares, and which keeps the client's messages as they are.
type agentClient struct {
	side
	conn *jsonrpc.Conn

	mu      sync.Mutex
	caps    acp.AgentCapabilities
	modelID acp.SessionConfigId // the option that holds the model, "" for none
	modes   bool                // the mode is no option, and is set by a method of its own
	models  bool                // the same for the model
	tools   map[string]Tool
}

func newACP(w io.Writer, to side) *agentClient {
	a := &agentClient{side: to, tools: map[string]Tool{}}
	a.conn = jsonrpc.New(w, a)
	return a
}

func (a *agentClient) serve(r io.Reader) error { return a.conn.Serve(r) }

func (a *agentClient) handshake(ctx context.Context) error {
	var r acp.InitializeResponse
	_, err := a.conn.Call(ctx, acp.AgentMethodInitialize, acp.InitializeRequest{
		ProtocolVersion:    acp.ProtocolVersionNumber,
		ClientInfo:         &acp.Implementation{Name: "greenroom", Version: "1"},
		ClientCapabilities: acp.ClientCapabilities{Elicitation: &acp.ElicitationCapabilities{Form: &acp.ElicitationFormCapabilities{}, Url: &acp.ElicitationUrlCapabilities{}}},
	}, &r)
	if err != nil {
		return err
	}
	if r.ProtocolVersion != acp.ProtocolVersionNumber {
		return fault.New(ErrHandshake, "start client", a.p.Provider, "it speaks another version of its protocol")
	}
	a.caps = r.AgentCapabilities
	return nil
}

func (a *agentClient) begin(ctx context.Context) (Conversation, error) {
	var r acp.NewSessionResponse
	if _, err := a.conn.Call(ctx, acp.AgentMethodSessionNew, acp.NewSessionRequest{Cwd: a.p.Cwd, McpServers: []acp.McpServer{}}, &r); err != nil {
		return Conversation{}, err
	}
	return a.conversation(string(r.SessionId), r.ConfigOptions, r.Modes, r.Models), nil
}

// resume prefers to go on without being told the whole conversation again.
func (a *agentClient) resume(ctx context.Context, id string) (Conversation, error) {
	var options []acp.SessionConfigOption
	var modes *acp.SessionModeState
	var models *acp.SessionModelState
	var err error
	switch {
	case a.caps.SessionCapabilities.Resume != nil:
		var r acp.ResumeSessionResponse
		_, err = a.conn.Call(ctx, acp.AgentMethodSessionResume, acp.ResumeSessionRequest{SessionId: acp.SessionId(id), Cwd: a.p.Cwd, McpServers: []acp.McpServer{}}, &r)
		options, modes, models = r.ConfigOptions, r.Modes, r.Models
	case a.caps.LoadSession:
		var r acp.LoadSessionResponse
		_, err = a.conn.Call(ctx, acp.AgentMethodSessionLoad, acp.LoadSessionRequest{SessionId: acp.SessionId(id), Cwd: a.p.Cwd, McpServers: []acp.McpServer{}}, &r)
		options, modes, models = r.ConfigOptions, r.Modes, r.Models
	default:
		err = fault.New(ErrUnsupported, "resume conversation", a.p.Provider, "the client cannot resume conversations")
	}
	if err != nil {
		return Conversation{}, err
	}
	return a.conversation(id, options, modes, models), nil
}

// conversation learns what can be set, and how it stands. Clients have two ways to say it, and some say it both ways.
func (a *agentClient) conversation(id string, options []acp.SessionConfigOption, modes *acp.SessionModeState, models *acp.SessionModelState) Conversation {
	talk := a.configured(options)
	talk.ID = id
	_, told := talk.Options[acpMode]
	a.mu.Lock()
	a.modes, a.models = modes != nil && !told, models != nil && talk.Model == ""
	a.mu.Unlock()
	if a.modes {
		if talk.Options == nil {
			talk.Options = map[string]string{}
		}
		talk.Options[acpMode] = string(modes.CurrentModeId)
	}
	if a.models {
		talk.Model = string(models.CurrentModelId)
		for _, m := range models.AvailableModels {
			talk.Models = append(talk.Models, string(m.ModelId))
		}
	}
	a.tell(setup{options: talk.Options})
	return talk
}

// acpMode is the option that the mode is, however the client tells of it.
const acpMode = "mode"

func (a *agentClient) configured(options []acp.SessionConfigOption) (talk Conversation) {
	for _, o := range options {
		s := o.Select
		if s == nil {
			continue
		}
		if s.Category == nil || *s.Category != acp.SessionConfigOptionCategoryModel {
			if talk.Options == nil {
				talk.Options = map[string]string{}
			}
			talk.Options[string(s.Id)] = string(s.CurrentValue)
			continue
		}
		a.mu.Lock()
		a.modelID = s.Id
		a.mu.Unlock()
		talk.Model, talk.Models = string(s.CurrentValue), values(s.Options)
	}
	return talk
}

func values(o acp.SessionConfigSelectOptions) (list []string) {
	if o.Ungrouped != nil {
		for _, v := range *o.Ungrouped {
			list = append(list, string(v.Value))
		}
	}
	if o.Grouped != nil {
		for _, g := range *o.Grouped {
			for _, v := range g.Options {
				list = append(list, string(v.Value))
			}
		}
	}
	return list
}

func (a *agentClient) prompt(ctx context.Context, conversation string, blocks []Block) (EndReason, error) {
	a.mu.Lock()
	clear(a.tools)
	a.mu.Unlock()
	content := make([]acp.ContentBlock, len(blocks))
	for i, b := range blocks {
		content[i] = acp.TextBlock(b.Text)
	}
	var r acp.PromptResponse
	if _, err := a.conn.Call(ctx, acp.AgentMethodSessionPrompt, acp.PromptRequest{SessionId: acp.SessionId(conversation), Prompt: content}, &r); err != nil {
		return "", err
	}
	switch r.StopReason {
	case acp.StopReasonCancelled:
		return Cancelled, nil
	case acp.StopReasonRefusal:
		return Refused, nil
	case acp.StopReasonMaxTokens, acp.StopReasonMaxTurnRequests:
		return Limit, nil
	}
	return Finished, nil
}

func (a *agentClient) cancel(ctx context.Context, conversation string) error {
	return a.conn.Notify(ctx, acp.AgentMethodSessionCancel, acp.CancelNotification{SessionId: acp.SessionId(conversation)})
}

func (a *agentClient) setModel(ctx context.Context, conversation, model string) error {
	a.mu.Lock()
	option, method := a.modelID, a.models
	a.mu.Unlock()
	if method {
		_, err := a.conn.Call(ctx, acp.AgentMethodSessionSetModel, map[string]any{"sessionId": conversation, "modelId": model}, nil)
		return err
	}
	if option == "" {
		return fault.New(ErrUnsupported, "set model", a.p.Provider, "the client does not let its model be set")
	}
	got, err := a.configure(ctx, conversation, option, model)
	if err == nil && got.Model != model {
		err = fault.New(ErrFault, "set model", a.p.Provider, "the client keeps another model than it was told")
	}
	return err
}

func (a *agentClient) set(ctx context.Context, conversation, option, value string) error {
	a.mu.Lock()
	method := a.modes && option == acpMode
	a.mu.Unlock()
	if method {
		_, err := a.conn.Call(ctx, acp.AgentMethodSessionSetMode, acp.SetSessionModeRequest{SessionId: acp.SessionId(conversation), ModeId: acp.SessionModeId(value)}, nil)
		return err
	}
	got, err := a.configure(ctx, conversation, acp.SessionConfigId(option), value)
	if err == nil && got.Options[option] != value {
		err = fault.New(ErrFault, "set option", a.p.Provider, "the client keeps another value than it was told")
	}
	return err
}

func (a *agentClient) configure(ctx context.Context, conversation string, option acp.SessionConfigId, value string) (Conversation, error) {
	var r acp.SetSessionConfigOptionResponse
	_, err := a.conn.Call(ctx, acp.AgentMethodSessionSetConfigOption, acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{
		SessionId: acp.SessionId(conversation), ConfigId: option, Value: acp.SessionConfigValueId(value)}}, &r)
	if err != nil {
		return Conversation{}, err
	}
	got := a.configured(r.ConfigOptions)
	a.tell(setup{options: got.Options})
	return got, nil
}

// Request implements jsonrpc.Handler. What we did not offer is not there.
func (a *agentClient) Request(ctx context.Context, method string, params json.RawMessage) (any, error) {
	switch {
	case method == acp.ClientMethodSessionRequestPermission:
	case method == acp.ClientMethodElicitationCreate:
		return a.elicit(ctx, params), nil
	default:
		if answer := a.ownWay(ctx, method, params); answer != nil {
			return answer, nil
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.MethodNotFound, Message: "method not found"}
	}
	var q acp.RequestPermissionRequest
	if err := json.Unmarshal(params, &q); err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.InvalidParams, Message: "malformed"}
	}
	r := Request{Tool: a.with(toolOf(q.ToolCall)), Raw: params}
	a.mu.Lock()
	before := a.tools[r.Tool.ID].Output
	a.mu.Unlock()
	r.Tool.Title, r.Tool.Output = asked(q.ToolCall, r.Tool.Title, before), ""
	for _, o := range q.Options {
		if answer, ok := answers[o.Kind]; ok && answer != Deny && !slices.Contains(r.Offers, answer) {
			r.Offers = append(r.Offers, answer)
		}
	}
	answer := a.permit(ctx, r, params)
	if answer != CancelTurn {
		for _, o := range q.Options {
			if got, ok := answers[o.Kind]; ok && got == answer {
				return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeSelected(o.OptionId)}, nil
			}
		}
	}
	return acp.RequestPermissionResponse{Outcome: acp.NewRequestPermissionOutcomeCancelled()}, nil
}

// asked says what permission is asked for. A client may ask before it has told a title that says more than the tool's name,
// say in the request what is about to be done, and cut that short, when it has told the whole before.
func asked(t acp.ToolCallUpdate, title, before string) string {
	input, _ := t.RawInput.(map[string]any)
	if input["command"] == nil {
		_ = json.Unmarshal([]byte(before), &input) // that is no input: nothing more is known
	}
	if command, ok := input["command"].(string); ok && command != "" {
		return command
	}
	if words := output(t.Content); words != "" && !strings.Contains(title, words) {
		return strings.TrimPrefix(title+": "+words, ": ")
	}
	return title
}

// answers are ours to the client's kinds of options. Denying for ever would outlive what the host's policy says.
var answers = map[acp.PermissionOptionKind]Answer{
	acp.PermissionOptionKindAllowOnce:   AllowOnce,
	acp.PermissionOptionKindAllowAlways: AllowAlways,
	acp.PermissionOptionKindRejectOnce:  Deny,
}
