import { execFile } from "node:child_process"

// What the program may take, in milliseconds. A command that it does not answer for runs as it is.
const limit = 2000

// The patterns of rules that do not simply allow a command, or null as long as they are not known. The client matches
// the command that it gets from here with them: one that a person denied, or wants to be asked about, stays as it is.
let guarded = null

// Whether the name of a tool in a rule, which may be a pattern, stands for a tool.
function names(pattern, tool) {
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")
  return new RegExp(`^${escaped}$`, "s").test(tool)
}

function patterns(permission) {
  if (permission === undefined || permission === "allow") return []
  if (typeof permission === "string") return ["*"]
  const rules = []
  for (const [tool, rule] of Object.entries(permission)) {
    if (!names(tool, "bash")) continue
    if (typeof rule === "string") rules.push(["*", rule])
    else rules.push(...Object.entries(rule ?? {}))
  }
  return rules.filter(([, action]) => action !== "allow").map(([pattern]) => pattern)
}

// A pattern may speak of a command when all that it spells out occurs in it.
function speaks(pattern, command) {
  return pattern.split(/[*?]/).every((part) => command.includes(part.trim()))
}

// The programs whose paths the client looks at, to ask a person for a folder outside of the project. It knows them by their
// names, and not behind the name of another program.
const looked = new RegExp(
  "(?<![\\w./-])(?:cd|chdir|popd|pushd|(?:push|pop|set)-location|rm|cp|mv|mkdir|touch|chmod|chown|cat" +
    "|(?:get|set|add)-content|(?:copy|move|remove|new|rename)-item)(?![\\w./-])",
  "gi",
)

function shown(command) {
  return (command.replace(/\brtk\s[^;&|\n]*/g, "rtk").match(looked) ?? []).join()
}

function rewritten(command, missing) {
  return new Promise((resolve) => {
    const options = { timeout: limit, killSignal: "SIGKILL", windowsHide: true, maxBuffer: 1 << 20 }
    const child = execFile(program, ["rewrite", command], options, (error, stdout) => {
      const code = error ? error.code : 0
      const text = String(stdout).trim()
      // 0 and 3 come with a command: 3 says that nobody allowed it beforehand, which the client decides itself.
      if ((code === 0 || code === 3) && text !== "") return resolve(shown(text) === shown(command) ? text : command)
      if (code !== 0 && code !== 1 && code !== 2 && code !== 3) missing(error)
      resolve(command)
    })
    // Nothing is said there, and nobody waits for it.
    child.stdin?.end()
  }).catch((error) => {
    // It was not even begun: a command that is longer than an argument may be, for one.
    missing(error)
    return command
  })
}

export const ShortOutput = async ({ client }) => {
  let reported = false
  const missing = (error) => {
    if (reported) return
    reported = true
    const message = error.killed ? "no answer in time" : "cannot be run"
    client?.app?.log?.({ body: { service: "rtk", level: "warn", message } })?.catch?.(() => {})
  }
  return {
    config: async (config) => {
      const own = Object.values(config.agent ?? {}).flatMap((agent) => patterns(agent?.permission))
      guarded = [...patterns(config.permission), ...own]
    },
    "tool.execute.before": async (input, output) => {
      const command = output.args?.command
      if (input.tool !== "bash" || typeof command !== "string" || guarded === null) return
      if (guarded.some((pattern) => speaks(pattern, command))) return
      output.args.command = await rewritten(command, missing)
    },
    "shell.env": async (_, output) => {
      output.env.npm_config_offline = "false"
    },
  }
}
