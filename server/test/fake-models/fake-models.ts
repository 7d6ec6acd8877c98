import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { FakeReply, FileFault, Json } from './protocol.ts';
import type { FakeRefusal } from './strict-servers.ts';

export interface FakeModels {
  url: string;
  /** Sets the next replies of a model. Without one it replies "Fine.". */
  script(model: string, replies: readonly FakeReply[]): Promise<void>;
  /** Sets the reply of a model to all requests without a script. */
  setUsualReply(model: string, usual: FakeReply): Promise<void>;
  /** Sets what the server of a model refuses, before its replies. */
  setRefusals(model: string, refused: readonly FakeRefusal[]): Promise<void>;
  /** Sets what happens to the next call of a route of OpenAI's files, such as `DELETE /v1/files/*`. */
  failFiles(route: string, fault: FileFault): Promise<void>;
  /** Returns the requests for a model or of a route, oldest first. Those about a reply are of `<model>/answered`. */
  requests(model: string): Promise<{ path: string; headers: Record<string, string>; body: Json }[]>;
  /** Resolves once a model has received a request. */
  untilRequested(model: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the fake services in a process of their own. */
export async function startFakeModels(): Promise<FakeModels> {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'program.ts')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const requests: FakeModels['requests'] = async (model) => {
    const response = await fetch(`${url}/requests?model=${encodeURIComponent(model)}`);
    return (await response.json()) as Awaited<ReturnType<FakeModels['requests']>>;
  };
  return {
    url,
    async script(model, replies) {
      await fetch(`${url}/script`, { method: 'POST', body: JSON.stringify({ model, replies }) });
    },
    async setUsualReply(model, usual) {
      await fetch(`${url}/script`, { method: 'POST', body: JSON.stringify({ model, usual }) });
    },
    async setRefusals(model, refused) {
      await fetch(`${url}/script`, { method: 'POST', body: JSON.stringify({ model, refused }) });
    },
    async failFiles(route, fault) {
      await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify({ route, ...fault }) });
    },
    requests,
    async untilRequested(model) {
      while ((await requests(model)).length === 0);
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}
