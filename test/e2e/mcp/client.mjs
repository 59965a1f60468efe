// A client of the TypeScript SDK. Its argument says how to reach the server, as
// JSON: {"command", "args"} or {"url", "token"}; what it found is printed as JSON.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';

const how = JSON.parse(process.argv[2]);
const client = new Client({ name: 'typescript', version: '1' }, { capabilities: { elicitation: {} } });
const asked = [];
let answer = how.answer ?? 'no';
client.setRequestHandler(ElicitRequestSchema, async (req) => {
  asked.push(req.params.message);
  return { action: 'accept', content: { answer } };
});
let changes = 0;
client.setNotificationHandler(ToolListChangedNotificationSchema, () => { changes++; });

const transport = how.command
  ? new StdioClientTransport({ command: how.command, args: how.args, env: process.env, cwd: how.cwd, stderr: 'inherit' })
  : new StreamableHTTPClientTransport(new URL(how.url), { requestInit: { headers: { Authorization: `Bearer ${how.token}` } } });
await client.connect(transport);

const call = async (name, args = {}, options) => {
  const r = await client.callTool({ name, arguments: args }, undefined, { timeout: 60_000, ...options });
  return (r.isError ? 'error: ' : '') + (r.content.map((c) => c.text).join('') || JSON.stringify(r.structuredContent));
};
const found = { tools: (await client.listTools()).tools.map((t) => t.name).sort() };

if (how.own) {
  found.read = await call('read', { file_path: 'notes.txt' });
  found.exec = await call('exec', { command: 'touch made.txt' });
  found.outside = await call('read', { file_path: '/etc/passwd' });
  found.approve = await call('approve', { tool_name: 'Bash', input: { command: 'rm -rf /' }, tool_use_id: 'toolu_1' });
} else {
  found.echo = await call('echo', { text: '<é>' });
  found.denied = await call('denied');
  found.asked = await call('asked');
  answer = 'once';
  found.once = await call('asked', { again: 1 });
  found.large = (await call('large', { size: 9 << 20 })).length; // the SDK takes lines up to 10 MiB
  found.structured = await call('structured');
  found.steps = [];
  await call('steps', {}, { onprogress: (p) => found.steps.push(p.progress) });
  found.resource = (await client.readResource({ uri: 'test://r' })).contents[0].text;
  const abort = new AbortController();
  const waiting = call('wait', {}, { signal: abort.signal }).catch(() => 'given up');
  setTimeout(() => abort.abort(), 200);
  found.wait = await waiting;
  for (let i = 0; i < 1000 && found.cancelled !== 'true'; i++) {
    found.cancelled = await call('cancelled');
  }
  const all = await Promise.all(Array.from({ length: 1000 }, (_, i) => call('echo', { text: `call ${i}` })));
  found.many = all.filter((t, i) => t === `call ${i}`).length;
  await call('change');
  for (let i = 0; i < 1000 && changes === 0; i++) {
    await new Promise((r) => setTimeout(r, 10));
  }
  found.shown = (await client.listTools()).tools.find((t) => t.name === 'echo').description;
  answer = 'no';
  found.changed = await call('echo', { text: 'after the change' });
}
found.questions = asked;
await client.close();
console.log(JSON.stringify(found));
process.exit(0);
