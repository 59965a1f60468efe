// Loads the plugin as opencode does and calls it; see opencode.go.
import { pathToFileURL } from "node:url"

const [, , file, directory, tool, args] = process.argv
let stage = "load"
try {
  const made = []
  for (const plugin of Object.values(await import(pathToFileURL(file).href))) made.push(await plugin({ directory }))
  const before = made.map((hooks) => hooks["tool.execute.before"]).filter(Boolean)
  if (before.length === 0) throw new Error("the plugin has no tool.execute.before")
  stage = "call"
  const output = { args: JSON.parse(args) }
  for (const hook of before) await hook({ tool: tool || undefined, sessionID: "mayi-proof", callID: "proof" }, output)
  console.log(JSON.stringify({ stage, ran: true }))
} catch (e) {
  console.log(JSON.stringify({ stage, ran: false, text: String(e && e.message ? e.message : e) }))
}
