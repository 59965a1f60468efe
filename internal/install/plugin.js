// mayi's plugin for opencode, written by `mayi install opencode` and taken out
// by `mayi uninstall opencode`. It asks mayi about every tool call. Whatever
// goes wrong on the way is an error, and an error keeps the call from running.
import { spawn } from "node:child_process"

const program = "@PROGRAM@"
const patience = @PATIENCE@ // milliseconds; mayi answers before

function decide(call) {
  return new Promise((resolve, reject) => {
    const fail = (why) => reject(new Error("mayi: this call is not run: " + why))
    let child
    try {
      child = spawn(program, ["hook", "opencode"], { stdio: ["pipe", "pipe", "pipe"], shell: false })
    } catch (e) {
      return fail(e.message)
    }
    const timer = setTimeout(() => {
      fail("mayi took too long")
      child.kill("SIGKILL")
    }, patience)
    let out = ""
    let err = ""
    child.stdout.setEncoding("utf8")
    child.stderr.setEncoding("utf8")
    child.stdout.on("data", (d) => (out += d))
    child.stderr.on("data", (d) => (err += d))
    child.stdin.on("error", () => {}) // it ended early; its exit says how
    child.on("error", (e) => {
      clearTimeout(timer)
      fail("mayi could not be run: " + e.message)
    })
    child.on("close", (code, signal) => {
      clearTimeout(timer)
      if (code !== 0) return fail("mayi ended with " + (signal || code) + (err ? ": " + err.trim() : ""))
      try {
        resolve(JSON.parse(out))
      } catch {
        fail("mayi's answer cannot be read")
      }
    })
    child.stdin.end(JSON.stringify(call))
  })
}

export const Mayi = async (context) => ({
  "tool.execute.before": async (input, output) => {
    const answer = await decide({
      tool: input.tool,
      sessionID: input.sessionID,
      callID: input.callID,
      args: output.args,
      cwd: context.directory,
    })
    if (answer === null || typeof answer !== "object" || answer.decision !== "allow") {
      throw new Error((answer && answer.reason) || "mayi: this call is not allowed")
    }
    // Field by field: a new object in place of args would be ignored.
    for (const [name, value] of Object.entries(answer.args || {})) output.args[name] = value
  },
})
