//go:build unix

package gateway

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

// mcpMark is the variable that makes this test's own program an MCP server.
const mcpMark = "GREENROOM_TEST_MCP"

// serveMCP is a server with one tool that says its argument twice.
func serveMCP() {
	in, out := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for in.Scan() {
		var r struct {
			ID     json.RawMessage `json:"id"`
			Method string          `json:"method"`
			Params struct {
				Version   string `json:"protocolVersion"`
				Arguments struct {
					Word string `json:"word"`
				} `json:"arguments"`
			} `json:"params"`
		}
		if json.Unmarshal(in.Bytes(), &r) != nil || r.ID == nil {
			continue
		}
		var result any = map[string]any{}
		switch r.Method {
		case "initialize":
			result = map[string]any{
				"protocolVersion": r.Params.Version, "capabilities": map[string]any{"tools": map[string]any{}},
				"serverInfo": map[string]any{"name": "twice", "version": "1"},
			}
		case "tools/list":
			result = map[string]any{"tools": []any{map[string]any{
				"name": "say_twice", "description": "Say a word twice.", "annotations": map[string]any{"readOnlyHint": true},
				"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"word": map[string]any{"type": "string"}}},
			}}}
		case "tools/call":
			word := r.Params.Arguments.Word
			result = map[string]any{"content": []any{map[string]any{"type": "text", "text": fmt.Sprintf("twice:%s-%s", word, word)}}}
		}
		if out.Encode(map[string]any{"jsonrpc": "2.0", "id": r.ID, "result": result}) != nil {
			return
		}
	}
}
