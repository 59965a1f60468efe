#!/usr/bin/env node
// A client of mayi's JSON-RPC: opens a session, and executes commands in it.
// usage: client.mjs 'COMMAND'...
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

class Mayi {
  #waiting = new Map();
  #last = 0;

  constructor(...flags) {
    this.process = spawn("mayi", ["rpc", ...flags], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.process.stdout }).on("line", (line) => {
      const answer = JSON.parse(line);
      if (answer.method === "output") return this.#waiting.get(answer.params.id)?.onOutput?.(answer.params);
      const call = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if (answer.error) call?.reject(new Error(answer.error.message));
      else call?.resolve(answer.result);
    });
  }

  call(method, params = {}, onOutput) {
    const id = ++this.#last;
    this.process.stdin.write(JSON.stringify({ jsonrpc: "2.0", id, method, params }) + "\n");
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject, onOutput }));
  }

  close() {
    this.process.stdin.end();
  }
}

const mayi = new Mayi();
const { session, mode, dropped } = await mayi.call("session.open", { agent: { executionMode: "accept-edits" } });
console.error("mode:", mode, "left out:", dropped);
for (const command of process.argv.slice(2)) {
  const result = await mayi.call("execute", { session, tool: "bash", input: { command } }, (o) => process.stdout.write(o.text ?? ""));
  if (!result.ran) console.log("not run:", result.decision.reason);
}
mayi.close();
