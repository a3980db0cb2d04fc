package gateway_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// raw sends bytes on a connection of their own and gives the statuses of all answers until the gateway closes it or says
// no more.
func raw(t *testing.T, address, request string) (statuses []int) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	patience := 20 * time.Second
	for r := bufio.NewReader(c); ; {
		if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(r, &http.Request{Method: http.MethodPost})
		if err != nil {
			return statuses
		}
		statuses = append(statuses, resp.StatusCode)
		patience = 500 * time.Millisecond
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return statuses
		}
	}
}

// What is no plain request of a local client is refused, and nothing that hides in one reaches the upstream.
func TestG05G06_RequestsThatNoLibrarySends(t *testing.T) {
	t.Parallel()
	whole := strings.Replace(turn, `"stream":true`, `"stream":false`, 1)
	for name, tc := range map[string]struct {
		// request has %[1]s for the address, %[2]s for the Authorization header, %[3]s for a body and %[4]d for its length.
		request string
		want    string
		hits    int
	}{
		"plain":                  {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[200]", 1},
		"two in a row":           {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]sPOST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\nContent-Length: 0\r\n\r\n", "[200 401]", 1},
		"whole address":          {"POST http://%[1]s/v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[404]", 0},
		"another whole address":  {"POST http://evil.example/v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[403]", 0},
		"to be a proxy":          {"CONNECT %[1]s HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\n\r\n", "[404]", 0},
		"no host":                {"POST /v1/responses HTTP/1.1\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[400]", 0},
		"two hosts":              {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\nHost: evil.example\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[400]", 0},
		"an old client":          {"POST /v1/responses HTTP/1.0\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[403]", 0},
		"host with a dot":        {"POST /v1/responses HTTP/1.1\r\nHost: 127.0.0.1.:80\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[403]", 0},
		"host as a number":       {"POST /v1/responses HTTP/1.1\r\nHost: 2130706433\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[403]", 0},
		"host with a user":       {"POST /v1/responses HTTP/1.1\r\nHost: x@%[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[400]", 0},
		"host mapped into IPv6":  {"POST /v1/responses HTTP/1.1\r\nHost: [::ffff:127.0.0.1]:80\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[403]", 0},
		"empty origin":           {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\nOrigin:\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[403]", 0},
		"two lengths":            {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\nContent-Length: 3\r\n\r\n%[3]s", "[400]", 0},
		"a length with a sign":   {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: +%[4]d\r\n\r\n%[3]s", "[400]", 0},
		"a space before a colon": {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length : %[4]d\r\n\r\n%[3]s", "[400]", 0},
		"two authorizations":     {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[401]", 0},
		"dots in the path":       {"POST /v1/../v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[404]", 0},
		"escapes in the path":    {"POST /v1/%%72esponses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[404]", 0},
		"two slashes":            {"POST //v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[404]", 0},
		"a question mark alone":  {"POST /v1/responses? HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[404]", 0},
		"an upgrade":             {"GET /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", "[405]", 0},
		"HTTP/2 from the start":  {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "[403]", 0},
		"a length and chunks": {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nContent-Length: %[4]d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" +
			"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[400 401]", 0},
		"much in front of a body": {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nX-Much: " + strings.Repeat("x", 80<<10) + "\r\nContent-Length: %[4]d\r\n\r\n%[3]s", "[431]", 0},
		"chunks in disguise":      {"POST /v1/responses HTTP/1.1\r\nHost: %[1]s\r\n%[2]s\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "[501]", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{}, gatewaytest.JSON(gatewaytest.Completion("x")))
			address := strings.TrimSuffix(strings.TrimPrefix(b.gw.BaseURL(), "http://"), "/v1")
			got := raw(t, address, fmt.Sprintf(tc.request+"%[5]s", address, "Authorization: Bearer "+b.handle.Token(), whole, len(whole), ""))
			if fmt.Sprint(got) != tc.want || b.up.Hits() != tc.hits {
				t.Errorf("answers %v, want %s; %d requests upstream", got, tc.want, b.up.Hits())
			}
		})
	}
}

// A client that closes its own direction is taken for one that went away. It may listen still, and must not take what it
// hears for an answer.
func TestG73_HalfOfTheConnectionCloses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		answer gatewaytest.Answer
		body   string
		kind   gateway.Kind
		path   string
	}{
		"before an answer": {gatewaytest.JSON("").Then(gatewaytest.Step{Stall: true}), turn, gateway.KindResponses, "/v1/responses"},
		"within a stream":  {gatewaytest.Events(gatewaytest.Delta("a")).Then(gatewaytest.Step{Stall: true}), turn, gateway.KindResponses, "/v1/responses"},
		"forwarded":        {gatewaytest.Events(gatewaytest.Delta("a")).Then(gatewaytest.Step{Stall: true}), chatTurn, gateway.KindChatPassthrough, "/v1/chat/completions"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := start(t, gateway.Config{PassthroughAddress: "127.0.0.1:0"}, tc.answer)
			b.recommit(func(r *gateway.Route) { r.Kind = tc.kind })
			base := b.gw.BaseURL()
			if tc.kind != gateway.KindResponses {
				base = b.gw.PassthroughURL()
			}
			address := strings.TrimSuffix(strings.TrimPrefix(base, "http://"), "/v1")
			c, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", tc.path, address, b.handle.Token(), len(tc.body), tc.body)
			eventually(t, "the upstream is asked", func() bool { return b.up.Active() == 1 })
			if err := c.(*net.TCPConn).CloseWrite(); err != nil {
				t.Fatal(err)
			}
			heard, err := io.ReadAll(c)
			if strings.HasSuffix(string(heard), "0\r\n\r\n") || strings.Contains(string(heard), "Content-Length: 0") {
				t.Errorf("%v, it ended as if it were whole: %q", err, heard)
			}
			eventually(t, "the upstream is let go", func() bool { return b.up.Active() == 0 })
		})
	}
}
