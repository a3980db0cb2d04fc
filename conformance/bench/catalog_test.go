package bench

import (
	"strings"

	"github.com/greenroom-agents/greenroom/core/command"
	"github.com/greenroom-agents/greenroom/core/connector"
)

// commands are what the tool of a large host can do: each is an id and its required inputs. They are 53, with all that the
// packs for connectors, browser and screen ask for.
const commands = `
agent.list
agent.start target-id prompt
agent.wait session-id
agent.summary session-id
agent.get session-id
agent.cancel-turn session-id
agent.cancel session-id
agent.respond session-id answer
issue.get issue-id
issue.list
issue.create title content
issue.create-batch file
issue.update issue-id
app.list
app.get app-id
app.open app-id
reference.list
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
browser.scroll
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
computer.scroll
computer.wait
notes.list
notes.get note-id
notes.create title text
notes.append note-id text
notes.move note-id folder
notes.rename note-id title
notes.search text
notes.delete note-id
`

func catalog() command.Catalog {
	var list []command.Command
	for line := range strings.Lines(strings.TrimSpace(commands)) {
		words := strings.Fields(line)
		id := words[0]
		properties, required := map[string]any{"limit": map[string]any{"type": "integer", "description": "at most so many"}}, []any{}
		for _, name := range words[1:] {
			properties[name] = map[string]any{"type": "string", "description": "the " + name}
			required = append(required, name)
		}
		list = append(list, command.Command{
			ID: id, Path: strings.Split(id, "."), Summary: "Does " + id, Description: "Does " + id + " and says how it went.",
			InputSchema: map[string]any{"type": "object", "properties": properties, "required": required},
			JSON:        true, Wait: strings.HasSuffix(id, ".wait"),
		})
	}
	return command.Fixed(list...)
}

func connectors() *connector.Context {
	return &connector.Context{EnabledConnectors: []string{"crm"}, Hints: []connector.Hint{
		{Key: "crm", DisplayName: "Customers", Aliases: []string{"sales"}}, {Key: "mail", DisplayName: "Mail"},
	}}
}
