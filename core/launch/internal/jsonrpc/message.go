package jsonrpc

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/greenroom-agents/greenroom/core/launch/internal/lines"
)

// Error is what the other side answered instead of a result.
type Error struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("error %d: %s", e.Code, e.Message) }

// Codes of JSON-RPC 2.0.
const (
	InvalidRequest = -32600
	MethodNotFound = -32601
	InvalidParams  = -32602
	InternalError  = -32603
)

// version is that of the protocol, which every message of ours names.
const version = "2.0"

// message is any message: a request has id and method, a notification only a method, an answer only an id.
type message struct {
	Version string          `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *Error          `json:"error,omitempty"`
}

func (m *message) hasID() bool { return len(m.ID) > 0 && !bytes.Equal(m.ID, []byte("null")) }

// raw encodes a value for a message: nil is left out.
func raw(v any) (json.RawMessage, error) {
	switch v := v.(type) {
	case nil:
		return nil, nil
	case json.RawMessage:
		return v, nil
	}
	line, err := lines.Encode(v)
	return bytes.TrimSuffix(line, []byte("\n")), err
}
