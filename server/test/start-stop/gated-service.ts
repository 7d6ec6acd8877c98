import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import { after } from 'node:test';
import { getPort } from '../../src/platform/shared/listening.ts';
import { eventually } from '../eventually.ts';
import { timeoutMs } from './linked-bot.ts';

/** A partner's service that delays its responses until the test calls `open`. */
export interface GatedService {
  host: string;
  /** Resolves after this number of requests in total. */
  waitForRequests(times: number): Promise<void>;
  /** Sends the delayed responses. Later responses are not delayed. */
  open(): void;
}

export async function startGatedService(): Promise<GatedService> {
  let requestCount = 0;
  let isOpen = false;
  const waiting: ServerResponse[] = [];
  const answer = (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ status: 'active' }));
  };
  const server = createServer((_request, response) => {
    requestCount += 1;
    if (isOpen) answer(response);
    else waiting.push(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(() => {
    server.close();
    server.closeAllConnections();
  });
  const host = `127.0.0.1:${getPort(server)}`;
  return {
    host,
    waitForRequests: (times) => eventually(async () => assert.equal(requestCount, times), timeoutMs),
    open() {
      isOpen = true;
      for (const response of waiting.splice(0)) answer(response);
    },
  };
}
