package conformance_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/greenroom-agents/greenroom/conformance/upstream"
	"github.com/greenroom-agents/greenroom/core"
	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
)

const (
	serverSecret = "Bearer server-secret-51c2"
	serverTool   = "say_twice_51c2"
)

// toolServer is an MCP server by HTTP with one tool. It remembers what it was asked and by whom.
type toolServer struct {
	*httptest.Server
	mu    sync.Mutex
	team  bool           // it wants a second header
	asked map[string]int // methods of requests with the credential
	other int            // requests without it
}

func serveTools(t *testing.T) *toolServer {
	t.Helper()
	s := &toolServer{asked: map[string]int{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *toolServer) serve(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Authorization") != serverSecret || s.team && r.Header.Get("X-Team") != "team-51c2" {
		s.mu.Lock()
		s.other++
		s.mu.Unlock()
		w.WriteHeader(http.StatusForbidden)
		return
	}
	var ask struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Version string `json:"protocolVersion"`
		} `json:"params"`
	}
	if r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&ask) != nil {
		w.WriteHeader(http.StatusMethodNotAllowed) // no stream of its own
		return
	}
	s.mu.Lock()
	s.asked[ask.Method]++
	s.mu.Unlock()
	if ask.ID == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	result := any(map[string]any{})
	switch ask.Method {
	case "initialize":
		result = map[string]any{"protocolVersion": ask.Params.Version, "capabilities": map[string]any{"tools": map[string]any{}},
			"serverInfo": map[string]any{"name": "crm", "version": "1"}}
	case "tools/list":
		result = map[string]any{"tools": []any{map[string]any{"name": serverTool, "description": "Says a word twice.",
			"inputSchema": map[string]any{"type": "object", "properties": map[string]any{"word": map[string]any{"type": "string"}}}}}}
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": ask.ID, "result": result}); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// servers are two names for it, one of which the user has given away.
func (s *toolServer) servers(team bool) (list []connector.Server) {
	s.team = team
	headers := []connector.Header{{Name: "Authorization", Value: modelendpoint.NewKey(serverSecret)}}
	if team {
		headers = append(headers, connector.Header{Name: "X-Team", Value: modelendpoint.NewKey("team-51c2")})
	}
	for _, name := range []string{"crm", "user_server"} {
		list = append(list, connector.Server{Name: name, URL: s.URL + "/mcp", Headers: headers})
	}
	return list
}

// A client connects to an MCP server of the host's with the credential that it was given by a variable, whatever of the
// user's comes along; the credential reaches neither the model nor a file.
func TestServersOfTheHostAreConnected(t *testing.T) {
	t.Parallel()
	for name, preset := range map[string]core.Preset{"desktop": core.Desktop, "automation": core.Automation} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			each(t, func(t *testing.T, c client) {
				s, tools := newStage(t, c), serveTools(t)
				// Codex can keep a variable from the commands that it runs, Claude Code cannot; see docs/threat-model.md.
				if c.name == "codex" {
					s.up.Script(c.shell("env"), upstream.Say("done"))
				} else {
					s.up.Script(upstream.Say("done"))
				}
				g := s.open()
				session := g.session(name, preset)
				session.Servers = tools.servers(!c.descriptor().BearerServers)
				p := g.prepare(session)
				if preset == core.Automation {
					g.run(p, c.turn("hello", c.provider(s)...)...)
				} else {
					g.run(p, c.turn("hello")...)
				}
				tools.mu.Lock()
				defer tools.mu.Unlock()
				if tools.asked["initialize"] < 2 || tools.asked["tools/list"] < 2 || tools.other > 0 {
					t.Errorf("the servers were asked %v, and %d times without the credential", tools.asked, tools.other)
				}
				if s.marked("user-server") != (preset == core.Desktop) {
					t.Errorf("the user's own server of the same name ran: %v", s.marked("user-server"))
				}
				offered := false
				for _, r := range s.up.Requests() {
					offered = offered || strings.Contains(string(r.Body), serverTool)
					if strings.Contains(string(r.Body), serverSecret) {
						t.Error("the model is told the credential")
					}
				}
				if !offered {
					t.Error("the model is not offered the tool of the servers")
				}
				g.holdNowhere(serverSecret)
				g.cleanup(session)
				g.nothingLeft()
			})
		})
	}
}

// holdNowhere demands that no file of the host, the user or the session holds a text, and no log.
func (g *greenroom) holdNowhere(text string) {
	g.Helper()
	err := filepath.WalkDir(g.dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		data, err := os.ReadFile(path)
		if strings.Contains(string(data), text) {
			g.Errorf("%s holds it", path)
		}
		return err
	})
	if err != nil {
		g.Error(err)
	}
	if strings.Contains(g.log.String(), text) {
		g.Error("the log holds it")
	}
}
