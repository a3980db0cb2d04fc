package responses

import (
	"strconv"

	"github.com/greenroom-agents/greenroom/gateway/internal/rawjson"
)

// Usage are the tokens of a response. All of its fields are always written, because clients give up a finished turn
// over a missing one.
type Usage struct {
	Input, Cached, CacheWritten int64
	Output, Reasoning           int64
	Total                       int64
}

// Object is a response. Raw fields are written as they are, "" or nil as the field's default.
type Object struct {
	ID, Model, Status string
	Created           int64
	// Completed is when it was completed, 0 for null.
	Completed int64
	// Error is set when Status is failed, IncompleteReason when it is incomplete.
	Error            *Error
	IncompleteReason string
	Output           []*OutputItem
	Usage            *Usage

	Effort, Summary                                 string
	MaxOutputTokens, Temperature, TopP, Parallel    string
	Instructions, Text, ToolChoice, Tools, Metadata Raw
}

// AppendJSON appends the object.
func (o *Object) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"id":`...)
	dst = rawjson.AppendString(dst, o.ID)
	dst = append(dst, `,"object":"response","created_at":`...)
	dst = strconv.AppendInt(dst, o.Created, 10)
	dst = append(dst, `,"completed_at":`...)
	if o.Completed > 0 {
		dst = strconv.AppendInt(dst, o.Completed, 10)
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendStatus(dst, o.Status)
	dst = append(dst, `,"background":false,"error":`...)
	if o.Error != nil {
		dst = append(dst, `{"code":`...)
		dst = rawjson.AppendString(dst, o.Error.Code)
		dst = append(dst, `,"message":`...)
		dst = rawjson.AppendString(dst, o.Error.Message)
		dst = append(dst, '}')
	} else {
		dst = append(dst, "null"...)
	}
	dst = append(dst, `,"incomplete_details":`...)
	if o.IncompleteReason != "" {
		dst = append(dst, `{"reason":`...)
		dst = rawjson.AppendString(dst, o.IncompleteReason)
		dst = append(dst, '}')
	} else {
		dst = append(dst, "null"...)
	}
	dst = appendRaw(dst, `,"instructions":`, string(o.Instructions), "null")
	dst = appendRaw(dst, `,"max_output_tokens":`, o.MaxOutputTokens, "null")
	dst = append(dst, `,"model":`...)
	dst = rawjson.AppendString(dst, o.Model)
	dst = append(dst, `,"output":[`...)
	for i, it := range o.Output {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = it.AppendJSON(dst)
	}
	dst = appendRaw(dst, `],"parallel_tool_calls":`, o.Parallel, "true")
	dst = append(dst, `,"previous_response_id":null,"reasoning":{"effort":`...)
	dst = appendStringOrNull(dst, o.Effort)
	dst = append(dst, `,"summary":`...)
	dst = appendStringOrNull(dst, o.Summary)
	dst = appendRaw(dst, `},"store":false,"temperature":`, o.Temperature, "null")
	dst = appendRaw(dst, `,"text":`, string(o.Text), `{"format":{"type":"text"}}`)
	dst = appendRaw(dst, `,"tool_choice":`, string(o.ToolChoice), `"auto"`)
	dst = appendRaw(dst, `,"tools":`, string(o.Tools), "[]")
	dst = appendRaw(dst, `,"top_p":`, o.TopP, "null")
	dst = append(dst, `,"truncation":"disabled","usage":`...)
	dst = o.Usage.append(dst)
	dst = appendRaw(dst, `,"metadata":`, string(o.Metadata), "{}")
	return append(dst, '}')
}

func appendRaw(dst []byte, name, raw, otherwise string) []byte {
	dst = append(dst, name...)
	if raw == "" {
		raw = otherwise
	}
	return append(dst, raw...)
}

func (u *Usage) append(dst []byte) []byte {
	if u == nil {
		return append(dst, "null"...)
	}
	dst = append(dst, `{"input_tokens":`...)
	dst = strconv.AppendInt(dst, u.Input, 10)
	dst = append(dst, `,"input_tokens_details":{"cached_tokens":`...)
	dst = strconv.AppendInt(dst, u.Cached, 10)
	dst = append(dst, `,"cache_write_tokens":`...)
	dst = strconv.AppendInt(dst, u.CacheWritten, 10)
	dst = append(dst, `},"output_tokens":`...)
	dst = strconv.AppendInt(dst, u.Output, 10)
	dst = append(dst, `,"output_tokens_details":{"reasoning_tokens":`...)
	dst = strconv.AppendInt(dst, u.Reasoning, 10)
	dst = append(dst, `},"total_tokens":`...)
	dst = strconv.AppendInt(dst, u.Total, 10)
	return append(dst, '}')
}
