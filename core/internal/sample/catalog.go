package sample

import (
	"fmt"
	"strings"

	"github.com/greenroom-agents/greenroom/core/command"
)

// commands are id, required inputs, and optional ones behind a bar.
const commands = `
agent.list
agent.start target-id prompt | cwd title model reasoning-effort
agent.wait session-id
agent.summary session-id
agent.get session-id | view
agent.cancel-turn session-id
agent.cancel session-id
agent.respond session-id answer
issue.get issue-id
issue.list | status
issue.create title content
issue.create-batch file
issue.update issue-id | status
app.list
app.get app-id
app.open app-id
reference.list | source
reference.get reference-id source
connector.available
connector.capabilities connector-key
connector.skills connector-key
connector.skill.read connector-key path
connector.invoke connector-key capability
browser.open url
browser.tabs
browser.snapshot
browser.screenshot
browser.click ref
browser.type ref text
browser.press key
browser.scroll | direction
browser.back
browser.wait
browser.close
computer.apps
computer.focus app
computer.screenshot
computer.click x y
computer.double-click x y
computer.move x y
computer.drag x y to-x to-y
computer.type text
computer.press key
computer.scroll | direction
computer.wait
`

// Catalog lists the commands, each time anew.
func Catalog() []command.Command {
	var list []command.Command
	for line := range strings.Lines(strings.TrimSpace(commands)) {
		must, may, _ := strings.Cut(strings.TrimSpace(line), "|")
		words := strings.Fields(must)
		list = append(list, made(words[0], words[1:], strings.Fields(may)))
	}
	for i := len(list); i < 60; i++ {
		c := made(fmt.Sprintf("notes.item-%d", i), []string{"text"}, []string{"limit"})
		c.AppID, c.AppName = "notes", "Notes"
		list = append(list, c)
	}
	return list
}

func made(id string, required, optional []string) command.Command {
	c := command.Command{
		ID: id, Path: strings.Split(id, "."), Summary: "Does " + id, Description: "Does " + id + " and says how it went", JSON: true,
		Wait: strings.HasSuffix(id, ".wait"),
	}
	properties := map[string]any{}
	for _, name := range append(append([]string{}, required...), optional...) {
		p := map[string]any{"type": "string", "description": "the " + name}
		switch name {
		case "status":
			p["enum"] = []any{"open", "doing", "done"}
		case "view":
			p["enum"] = []any{"summary", "turns"}
		case "x", "y", "to-x", "to-y", "limit":
			p["type"] = "integer"
		}
		properties[name] = p
	}
	must := make([]any, len(required))
	for i, name := range required {
		must[i] = name
	}
	c.InputSchema = map[string]any{"type": "object", "properties": properties, "required": must}
	return c
}

// Without lists the commands but for some.
func Without(ids ...string) []command.Command {
	var list []command.Command
next:
	for _, c := range Catalog() {
		for _, id := range ids {
			if c.ID == id || strings.HasSuffix(id, ".*") && strings.HasPrefix(c.ID, strings.TrimSuffix(id, "*")) {
				continue next
			}
		}
		list = append(list, c)
	}
	return list
}
