package translate

import (
	"strconv"

	"github.com/greenroom-agents/greenroom/gateway/dialect"
	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
	"github.com/greenroom-agents/greenroom/gateway/responses"
)

// requester translates one request.
type requester struct {
	req   *responses.Request
	opt   *Options
	ctx   *Context
	items []responses.Item
	tools collector

	head  [][]part // system messages that go to the front
	nodes []node
	open  *turn
	begun bool // a message other than system has been added
	calls []call
	// byID lists the calls of an id as the client wrote it, used are the ids given out, dropped those of calls left out.
	byID          map[string][]int
	used, dropped map[string]bool
	// lastMessage is the index of the last message of the user.
	lastMessage int
	scratch     []byte
}

// Request makes the body for the upstream. The error is always a *responses.Error with status 400.
func Request(req *responses.Request, opt *Options) (body []byte, ctx *Context, err error) {
	t := &requester{
		req: req, opt: opt,
		ctx:  &Context{Model: req.Model, Stream: req.Stream, seal: req.EncryptedReasoning && len(opt.SealKey) > 0},
		byID: make(map[string][]int), used: make(map[string]bool), dropped: make(map[string]bool),
		lastMessage: -1,
	}
	if t.items, err = req.Items(); err != nil {
		return nil, nil, err
	}
	if err := t.declare(); err != nil {
		return nil, nil, err
	}
	if err := t.instructions(); err != nil {
		return nil, nil, err
	}
	for i := range t.items {
		if err := t.item(&t.items[i]); err != nil {
			return nil, nil, err
		}
	}
	if body, err = t.encode(); err != nil {
		return nil, nil, err
	}
	t.ctx.bytes = len(body)
	t.ctx.tools = t.tools.registry
	t.remember()
	return body, t.ctx, nil
}

func (t *requester) report() *Report { return &t.ctx.Report }

// declare collects the tools of the whole request before any call is translated.
func (t *requester) declare() error {
	t.tools.report = t.report()
	t.tools.add(t.req.Tools)
	for i := range t.items {
		switch it := &t.items[i]; it.Type {
		case "additional_tools", "tool_search_output":
			t.tools.add(it.Tools)
		case "message", "":
			if it.Role == "user" {
				t.lastMessage = it.Index
			}
		}
	}
	t.tools.assign()
	for i := range t.tools.tools {
		tl := &t.tools.tools[i]
		tl.wrapped = tl.kind == kindFunction && wraps(t.tools.decls[i].parameters, t.opt.Dialect.Schema)
	}
	t.report().ToolsFiltered = t.tools.filtered
	if t.opt.Strict && t.tools.unknown {
		return responses.Invalid(responses.CodeUnsupportedValue, "tools", "a tool has a type that cannot be translated")
	}
	return nil
}

// instructions reads a string, or an array of strings, parts and messages.
func (t *requester) instructions() error {
	raw := t.req.Instructions
	switch rawjson.Kind(raw) {
	case 'n':
		return nil
	case '"':
		t.addHead(t.parts(raw, false))
		return nil
	case '[':
	default:
		return responses.Invalid(responses.CodeInvalidRequest, "instructions", "instructions are neither a string nor an array")
	}
	for w := rawjson.Walk(raw); w.Next(); {
		if content := rawjson.Get(w.Value, "content"); content != nil {
			t.addHead(t.parts(content, false))
		} else {
			t.addHead(t.parts(w.Value, false))
		}
	}
	return nil
}

func (t *requester) addHead(parts []part) {
	if hasContent(parts) {
		t.system(parts)
	}
}

// may reports whether an optional field is sent, and notes that it is.
func (t *requester) may(field dialect.Fields) bool {
	if !t.opt.Dialect.Send.Has(field) || t.opt.Omit&field != 0 {
		return false
	}
	t.ctx.Sent |= field
	return true
}

func (t *requester) encode() ([]byte, error) {
	dst := make([]byte, 0, t.req.Size+t.req.Size/8+1024)
	model := t.opt.Model
	if model == "" {
		model = t.req.Model
	}
	dst = append(dst, `{"model":`...)
	dst = rawjson.AppendString(dst, model)
	dst = append(dst, `,"messages":[`...)
	dst = t.appendMessages(dst)
	if t.report().Messages == 0 {
		return nil, responses.Invalid(responses.CodeMissingParameter, "input", "the request holds no message")
	}
	dst = append(dst, ']')
	dst, err := t.appendTools(dst)
	if err != nil {
		return nil, err
	}
	if dst, err = t.appendLimit(dst); err != nil {
		return nil, err
	}
	for _, f := range []struct {
		field dialect.Fields
		name  string
		value responses.Raw
	}{
		{dialect.Temperature, "temperature", t.req.Temperature},
		{dialect.TopP, "top_p", t.req.TopP},
		{dialect.Stop, "stop", t.req.Stop},
		{dialect.Seed, "seed", t.req.Seed},
		{dialect.FrequencyPenalty, "frequency_penalty", t.req.FrequencyPenalty},
		{dialect.PresencePenalty, "presence_penalty", t.req.PresencePenalty},
		{dialect.LogitBias, "logit_bias", t.req.LogitBias},
		{dialect.Verbosity, "verbosity", rawjson.Get(t.req.Text, "verbosity")},
		{dialect.Store, "store", t.req.Store},
		{dialect.Metadata, "metadata", t.req.Metadata},
		{dialect.User, "user", t.req.User},
		{dialect.ServiceTier, "service_tier", t.req.ServiceTier},
		{dialect.PromptCacheKey, "prompt_cache_key", t.req.PromptCacheKey},
	} {
		if !rawjson.IsNull(f.value) && t.may(f.field) {
			dst = appendMember(dst, f.name, f.value)
		}
	}
	dst = t.appendFormat(dst)
	dst = t.appendReasoning(dst)
	if t.req.Stream {
		dst = append(dst, `,"stream":true`...)
		if t.opt.Dialect.IncludeUsage && t.may(dialect.StreamOptions) {
			dst = append(dst, `,"stream_options":{"include_usage":true}`...)
		}
	}
	return append(dst, '}'), nil
}

func appendMember(dst []byte, name string, value responses.Raw) []byte {
	dst = append(dst, ',')
	dst = rawjson.AppendString(dst, name)
	dst = append(dst, ':')
	return append(dst, value...)
}

// appendLimit appends the one field that limits the output.
func (t *requester) appendLimit(dst []byte) ([]byte, error) {
	limit := int64(t.opt.DefaultMaxOutputTokens)
	if raw := t.req.MaxOutputTokens; raw != nil {
		n, ok := rawjson.Int(raw)
		if !ok || n <= 0 || rawjson.Kind(raw) != 0 {
			return nil, responses.Invalid(responses.CodeInvalidRequest, "max_output_tokens", "max_output_tokens is not a positive number")
		}
		limit = n
	}
	if limit <= 0 || t.opt.Dialect.Tokens == dialect.NoTokens || !t.may(dialect.OutputLimit) {
		return dst, nil
	}
	name := `,"max_tokens":`
	if t.opt.Dialect.Tokens == dialect.MaxCompletionTokens {
		name = `,"max_completion_tokens":`
	}
	return strconv.AppendInt(append(dst, name...), limit, 10), nil
}

// appendFormat appends response_format, as far as the dialect goes.
func (t *requester) appendFormat(dst []byte) []byte {
	format := rawjson.Get(t.req.Text, "format")
	typ := rawjson.String(rawjson.Get(format, "type"))
	if typ != "json_schema" && typ != "json_object" || t.opt.Dialect.Format == dialect.NoFormat ||
		!t.may(dialect.ResponseFormatField) {
		return dst
	}
	if typ == "json_object" || t.opt.Dialect.Format == dialect.JSONObject {
		return append(dst, `,"response_format":{"type":"json_object"}`...)
	}
	if inner := rawjson.Get(format, "json_schema"); rawjson.Kind(inner) == '{' {
		format = inner
	}
	dst = append(dst, `,"response_format":{"type":"json_schema","json_schema":{"name":`...)
	name := rawjson.Get(format, "name")
	if len(rawjson.Inner(name)) == 0 {
		name = responses.Raw(`"response"`)
	}
	dst = append(dst, name...)
	for _, key := range []string{"description", "schema", "strict"} {
		if v := rawjson.Get(format, key); !rawjson.IsNull(v) {
			dst = appendMember(dst, key, v)
		}
	}
	return append(dst, "}}"...)
}

// appendReasoning asks for reasoning the way the dialect spells it. An effort nobody knows is left out.
func (t *requester) appendReasoning(dst []byte) []byte {
	effort := rawjson.String(rawjson.Get(t.req.Reasoning, "effort"))
	d := &t.opt.Dialect
	switch effort {
	case "none", "minimal", "low", "medium", "high", "xhigh", "max", "ultra":
		if mapped, ok := d.Efforts[effort]; ok {
			effort = mapped
		}
	default:
		effort = ""
	}
	if d.Reasoning == dialect.NoReasoning || effort == "" && d.Reasoning != dialect.ReasoningSplit || !t.may(dialect.Effort) {
		return dst
	}
	switch d.Reasoning {
	case dialect.ReasoningObject:
		dst = append(dst, `,"reasoning":{"effort":`...)
		return append(rawjson.AppendString(dst, effort), '}')
	case dialect.ThinkingType:
		if effort == "none" {
			return append(dst, `,"thinking":{"type":"disabled"}`...)
		}
		return append(dst, `,"thinking":{"type":"enabled"}`...)
	case dialect.EnableThinking:
		dst = append(dst, `,"enable_thinking":`...)
		return strconv.AppendBool(dst, effort != "none")
	case dialect.ReasoningSplit:
		return append(dst, `,"reasoning_split":true`...)
	}
	dst = append(dst, `,"reasoning_effort":`...)
	return rawjson.AppendString(dst, effort)
}

// remember keeps what the answer repeats of the request. Only a whole answer repeats its large parts.
func (t *requester) remember() {
	e := &t.ctx.echo
	e.effort = rawjson.String(rawjson.Get(t.req.Reasoning, "effort"))
	e.summary = rawjson.String(rawjson.Get(t.req.Reasoning, "summary"))
	t.ctx.summary = e.summary != "" && e.summary != "none"
	e.temperature, e.topP = string(t.req.Temperature), string(t.req.TopP)
	e.maxTokens, e.parallel = string(t.req.MaxOutputTokens), string(t.req.ParallelToolCalls)
	if !t.req.Stream {
		e.instructions, e.tools, e.toolChoice = t.req.Instructions, t.req.Tools, t.req.ToolChoice
		e.text, e.extra = t.req.Text, t.req.Metadata
	}
}
