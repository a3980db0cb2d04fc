package repo_test

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// shared are what the whole process has one of. A server of any test that closes ends the idle connections of that
// one, and with them a request that another test is about to send; and no program of ours wants a connection that
// something else in its process has set up.
var shared = map[string][]string{
	"net/http":          {"DefaultClient", "DefaultTransport", "Get", "Head", "Post", "PostForm"},
	"net/http/httputil": {"NewSingleHostReverseProxy"},
}

// carried are the types that take the shared transport when they are given none.
var carried = map[string]string{"net/http": "Client", "net/http/httputil": "ReverseProxy"}

// openAI is a module whose clients take the shared one when they are given none.
const openAI = "github.com/openai/openai-go/v3"

func TestClientsHaveConnectionsOfTheirOwn(t *testing.T) {
	t.Parallel()
	clients := 0
	for _, f := range files(t) {
		if !strings.HasSuffix(f.path, ".go") || f.isGenerated() { // who calls generated code gives it a client
			continue
		}
		found, given := sharing(t, f)
		clients += given
		for _, u := range found {
			t.Errorf("%s:%d: %s uses connections that the whole process shares; use the client of the test's server, or one with a Transport", f.path, u.line, u.name)
		}
	}
	if clients < 8 {
		t.Errorf("only %d clients were found", clients)
	}
}

// sharing finds what uses the connections of the whole process, and counts the clients that have their own.
func sharing(t *testing.T, f file) (found []use, own int) {
	t.Helper()
	found = uses(t, f, shared)
	fset, tree, imported := parse(t, f, func(from string) bool { return carried[from] != "" })
	if tree == nil {
		return found, 0
	}
	add := func(n ast.Node, kind ast.Expr, given bool) {
		s, ok := kind.(*ast.SelectorExpr)
		if !ok {
			return
		}
		x, ok := s.X.(*ast.Ident)
		if !ok || imported[x.Name] == "" || carried[imported[x.Name]] != s.Sel.Name {
			return
		}
		if given {
			own++
			return
		}
		found = append(found, use{imported[x.Name] + "." + s.Sel.Name, fset.Position(n.Pos()).Line})
	}
	tells := false
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CompositeLit:
			add(n, n.Type, slices.ContainsFunc(n.Elts, isTransport))
		case *ast.ValueSpec: // a variable that begins empty
			if len(n.Values) == 0 {
				add(n, n.Type, false)
			}
		case *ast.CallExpr:
			if x, ok := n.Fun.(*ast.Ident); ok && x.Name == "new" && len(n.Args) == 1 {
				add(n, n.Args[0], false)
			}
		case *ast.SelectorExpr:
			tells = tells || n.Sel.Name == "WithHTTPClient"
		}
		return true
	})
	for _, spec := range tree.Imports {
		if spec.Path.Value == `"`+openAI+`"` && !tells {
			found = append(found, use{openAI, fset.Position(spec.Pos()).Line})
		}
	}
	return found, own
}

// isTransport tells whether an element of a literal is a transport.
func isTransport(e ast.Expr) bool {
	field, ok := e.(*ast.KeyValueExpr)
	if !ok {
		return false
	}
	key, ok := field.Key.(*ast.Ident)
	value, named := field.Value.(*ast.Ident)
	return ok && key.Name == "Transport" && !(named && value.Name == "nil")
}

func TestSharedConnectionsAreFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`import "net/http"; var _, _ = http.Get("x")`:                                          {"net/http.Get"},
		`import web "net/http"; var get = web.DefaultClient.Do`:                                {"net/http.DefaultClient"},
		`import "net/http"; var c = &http.Client{Jar: nil}`:                                    {"net/http.Client"},
		`import "net/http"; var c = &http.Client{Transport: nil}`:                              {"net/http.Client"},
		`import "net/http"; var c = []any{http.Client{}, &http.Client{Transport: tr}}`:         {"net/http.Client"},
		`import "net/http"; var c http.Client`:                                                 {"net/http.Client"},
		`import "net/http"; var c = new(http.Client)`:                                          {"net/http.Client"},
		`import "net/http"; var tr = http.DefaultTransport`:                                    {"net/http.DefaultTransport"},
		`import "net/http/httputil"; var p = httputil.ReverseProxy{}`:                          {"net/http/httputil.ReverseProxy"},
		`import "net/http/httputil"; var p = httputil.NewSingleHostReverseProxy(nil)`:          {"net/http/httputil.NewSingleHostReverseProxy"},
		`import "` + openAI + `"; var c = openai.NewClient()`:                                  {openAI},
		`import "` + openAI + `"; var c = openai.NewClient(option.WithHTTPClient(own))`:        nil,
		`import "net/http"; var c = http.Client{Transport: &http.Transport{}}`:                 nil,
		`import "net/http"; type T struct{ c http.Client }; func f(c *http.Client) { c.Do() }`: nil,
	} {
		found, _ := sharing(t, file{path: "x.go", text: "package x\n" + text})
		var names []string
		for _, u := range found {
			names = append(names, u.name)
		}
		if !slices.Equal(names, want) {
			t.Errorf("%s: found %v, want %v", text, names, want)
		}
	}
}
