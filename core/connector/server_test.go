package connector_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/greenroom-agents/greenroom/core/connector"
	"github.com/greenroom-agents/greenroom/core/internal/fault"
	"github.com/greenroom-agents/greenroom/core/modelendpoint"
	"github.com/greenroom-agents/greenroom/sdk/preparer"
)

const serverKey = "Bearer canary-of-a-server-13"

func server(name, url string, headers ...string) connector.Server {
	s := connector.Server{Name: name, URL: url}
	for _, h := range headers {
		s.Headers = append(s.Headers, connector.Header{Name: h, Value: modelendpoint.NewKey(serverKey + h)})
	}
	return s
}

func TestServersThatAreRefused(t *testing.T) {
	t.Parallel()
	const there = "https://mcp.example/crm"
	value := func(v string) connector.Server {
		return connector.Server{Name: "crm", URL: there, Headers: []connector.Header{{Name: "X-A", Value: modelendpoint.NewKey(v)}}}
	}
	many := make([]connector.Server, 65)
	for i := range many {
		many[i] = server(fmt.Sprint("s", i), there)
	}
	wide := server("crm", there)
	for i := range 17 {
		wide.Headers = append(wide.Headers, connector.Header{Name: fmt.Sprint("X-", i), Value: modelendpoint.NewKey("x")})
	}
	for name, list := range map[string][]connector.Server{
		"no name":             {server("", there)},
		"name with a dot":     {server("a.b", there)},
		"name with a break":   {server("a\nb", there)},
		"name begins a digit": {server("1a", there)},
		"long name":           {server(strings.Repeat("a", 41), there)},
		"twins":               {server("crm", there), server("CRM", there)},
		"no url":              {server("crm", "")},
		"relative":            {server("crm", "/mcp")},
		"no host":             {server("crm", "https:///mcp")},
		"another scheme":      {server("crm", "file:///etc/passwd")},
		"user name":           {server("crm", "https://me:pass@mcp.example/")},
		"query":               {server("crm", there+"?key=1")},
		"empty query":         {server("crm", there+"?")},
		"fragment":            {server("crm", there+"#x")},
		"empty fragment":      {server("crm", there+"#")},
		"a variable":          {server("crm", "https://mcp.example/${HOME}")},
		"quotes":              {server("crm", "https://mcp.example/\"x")},
		"line break":          {server("crm", there+"\n")},
		"open connection":     {server("crm", "http://mcp.example/", "X-A")},
		"header's name":       {server("crm", there, "X A")},
		"header twice":        {server("crm", there, "X-A", "x-a")},
		"no value":            {value("")},
		"value with blanks":   {value(" x")},
		"value with a break":  {value("x\r\ny")},
		"value not ascii":     {value("é")},
		"long value":          {value(strings.Repeat("x", 8<<10+1))},
		"too many servers":    many,
		"too many headers":    {wide},
	} {
		_, err := connector.Servers(list)
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "canary") || strings.Contains(text, "mcp.example") {
			t.Errorf("%s: the error says too much: %s", name, text)
		}
	}
}

func TestServersHaveOneOrder(t *testing.T) {
	t.Parallel()
	a := []connector.Server{server("b", "http://127.0.0.1:1/", "X-B", "Authorization"), server("a", "http://open.example/mcp")}
	b := []connector.Server{a[1], server("b", "http://127.0.0.1:1/", "Authorization", "X-B")}
	one, err := connector.Servers(a)
	if err != nil {
		t.Fatal(err)
	}
	two, err := connector.Servers(b)
	if err != nil {
		t.Fatal(err)
	}
	want := []preparer.Server{
		{Name: "a", URL: "http://open.example/mcp"},
		{Name: "b", URL: "http://127.0.0.1:1/", Headers: []preparer.Header{
			{Name: "Authorization", Var: "V_1", Value: preparer.Secret{Name: "server-header-1"}},
			{Name: "X-B", Var: "V_2", Value: preparer.Secret{Name: "server-header-2"}},
		}},
	}
	for _, list := range [][]connector.Server{one, two} {
		if diff := cmp.Diff(want, connector.Handles(list, "V_")); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]string{"server-header-1": serverKey + "Authorization", "server-header-2": serverKey + "X-B"}, connector.Credentials(list)); diff != "" {
			t.Error(diff)
		}
	}
	if a[0].Name != "b" || a[0].Headers[0].Name != "X-B" {
		t.Error("the caller's list was changed")
	}
	if text := fmt.Sprintf("%v %+v %#v", a, a, a); strings.Contains(text, "canary") {
		t.Errorf("a printed server shows its credential: %s", text)
	}
}

func TestUserServersKeepTheirNames(t *testing.T) {
	t.Parallel()
	list := []connector.Server{server("crm", "https://a.example/"), server("crm-tutti", "https://a.example/"), server("docs", "https://a.example/")}
	named, renamed := connector.Named(list, []string{"CRM", "mail"})
	var names []string
	for _, s := range named {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"crm-tutti", "crm-tutti-2", "docs"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{"crm": "crm-tutti-2"}, renamed); diff != "" {
		t.Error(diff)
	}
	if list[0].Name != "crm" {
		t.Error("the caller's list was changed")
	}
}

const bearerKey = "canary-of-a-server-14"

func TestBearersAreTokensWithoutTheirScheme(t *testing.T) {
	t.Parallel()
	server := func(headers ...connector.Header) []connector.Server {
		return []connector.Server{{Name: "crm", Headers: headers}}
	}
	for _, value := range []string{"Bearer " + bearerKey, "bearer   " + bearerKey} {
		given := server(connector.Header{Name: "authorization", Value: modelendpoint.NewKey(value)})
		got, err := connector.Bearers(given)
		if err != nil || got[0].Headers[0].Value.Reveal() != bearerKey || given[0].Headers[0].Value.Reveal() != value {
			t.Errorf("%q: %v, %v", value, got, err)
		}
	}
	if got, err := connector.Bearers(server()); err != nil || len(got) != 1 {
		t.Errorf("a server without a credential: %v, %v", got, err)
	}
	for name, h := range map[string]connector.Header{
		"another header": {Name: "X-Team", Value: modelendpoint.NewKey("Bearer " + bearerKey)},
		"another scheme": {Name: "Authorization", Value: modelendpoint.NewKey("Basic " + bearerKey)},
		"no scheme":      {Name: "Authorization", Value: modelendpoint.NewKey(bearerKey)},
		"nothing":        {Name: "Authorization", Value: modelendpoint.NewKey("Bearer")},
	} {
		_, err := connector.Bearers(server(h))
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != fault.Refused || strings.Contains(err.Error(), bearerKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
