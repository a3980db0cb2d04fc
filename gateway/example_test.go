package gateway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/greenroom-agents/greenroom/gateway"
	"github.com/greenroom-agents/greenroom/gateway/gatewaytest"
)

// A host gives an agent a base URL and a token, and keeps the upstream's credential to itself.
func ExampleListen() {
	upstream := gatewaytest.Start(gatewaytest.JSON(gatewaytest.Completion("Hello.")))
	defer upstream.Close()

	gw, err := gateway.Listen(gateway.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer gw.Close(context.Background())

	handle, err := gw.Register(gateway.Route{
		Workspace: "workspace", Session: "session",
		BaseURL: upstream.URL(), APIKey: "sk-upstream-credential", Models: []string{"deepseek-chat"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	// Prepare the session with handle.BaseURL() and handle.Token() here; Discard the handle if that fails.
	if err := handle.Commit(); err != nil {
		fmt.Println(err)
		return
	}

	req, err := http.NewRequest(http.MethodPost, handle.BaseURL()+"/responses",
		strings.NewReader(`{"model":"deepseek-chat","input":"Say hello."}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Authorization", "Bearer "+handle.Token())
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, strings.Contains(string(body), `"text":"Hello."`), err)
	// Output: 200 true <nil>
}
