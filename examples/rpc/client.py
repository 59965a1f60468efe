#!/usr/bin/env python3
"""A client of mayi's JSON-RPC: opens a session, and executes commands in it.

usage: client.py 'COMMAND'...
"""
import json
import subprocess
import sys


class Mayi:
    def __init__(self, *flags):
        self.process = subprocess.Popen(["mayi", "rpc", *flags], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0

    def call(self, method, on_output=None, **params):
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("method") == "output" and on_output:
                on_output(answer["params"])
            elif answer.get("id") == self.last:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
        raise RuntimeError("mayi has ended")


def main(commands):
    mayi = Mayi()
    session = mayi.call("session.open", agent={"executionMode": "accept-edits"})
    print("mode:", session["mode"], "left out:", session["dropped"], file=sys.stderr)
    for command in commands:
        result = mayi.call("execute", lambda o: print(o.get("text", ""), end=""),
                           session=session["session"], tool="bash", input={"command": command})
        if not result["ran"]:
            print("not run:", result["decision"]["reason"])


if __name__ == "__main__":
    main(sys.argv[1:])
