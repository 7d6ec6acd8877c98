import assert from 'node:assert/strict';
import { addTeamWithBot, waitForDevice } from './devices.ts';
import type { TestApp } from './harness.ts';

export const shop = 'https://shop.example';

export interface StreamedMessage {
  id: string;
  own: boolean;
  person: boolean;
  kind: string;
  text: string;
  client_id: string | null;
}

export interface StreamedState {
  waits_for_person: boolean;
  nobody_there: boolean;
  person: { id: string; name: string; has_picture: boolean } | null;
  read_at: string | null;
}

interface Visit {
  visitor: string;
  title: string;
  color: string;
  greeting: string;
  has_logo: boolean;
  open: boolean | null;
}

/** Calls the chat of a website as its script does. */
export const createVisitor = (url: () => string, key: string, origin = shop) => {
  let siteKey = key;
  let token = '';
  const call = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
    const response = await fetch(`${url()}/networks/web/${siteKey}/${path}`, {
      method,
      headers: {
        origin,
        ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response;
  };
  return {
    call,
    /** As on a page with another line. */
    useKey(other: string): void {
      siteKey = other;
    },
    contact: () => `web:${token.split('.')[0]}`,
    async visit(body: object = {}): Promise<Visit> {
      const response = await call('POST', 'visits', body);
      // The envelope of the API.
      const { data } = (await response.json()) as { data: Visit };
      assert.equal(response.status, 200, JSON.stringify(data));
      token = data.visitor;
      return data;
    },
    write: (id: string, text: string) => call('POST', 'messages', { id, text }),
    /** Reads the stream until `isEnough`, at most 20 s. */
    async read(
      isEnough: (messages: StreamedMessage[], states: StreamedState[]) => boolean,
    ): Promise<StreamedMessage[]> {
      const ended = new AbortController();
      const timer = setTimeout(() => ended.abort(new Error('the stream shows too little')), 20_000);
      const response = await fetch(`${url()}/networks/web/${siteKey}/stream`, {
        headers: { origin, authorization: `Bearer ${token}` },
        signal: ended.signal,
      });
      assert.equal(response.status, 200);
      const messages: StreamedMessage[] = [];
      const states: StreamedState[] = [];
      let buffered = '';
      const decoder = new TextDecoder();
      for await (const chunk of response.body ?? []) {
        buffered += decoder.decode(chunk, { stream: true });
        const events = buffered.split('\n\n');
        buffered = events.pop() ?? '';
        for (const event of events) {
          const data = /^data: (.*)$/m.exec(event)?.[1];
          if (data === undefined) continue;
          if (event.includes('event: message')) messages.push(JSON.parse(data));
          else states.push(JSON.parse(data));
        }
        if (isEnough(messages, states)) break;
      }
      clearTimeout(timer);
      ended.abort();
      return messages;
    },
  };
};

/** Creates a started device of the network `web` for the shop. */
export async function addWebsite(
  app: Pick<TestApp, 'api' | 'context'>,
  ids?: { teamId: string; botId: string },
): Promise<{ teamId: string; deviceId: string }> {
  const { teamId, botId } = ids ?? (await addTeamWithBot(app.context.db));
  const { body } = await app.api('POST', '/devices', {
    body: { team_id: teamId, bot_id: botId, name: 'Harbour shop', network: 'web' },
  });
  const deviceId: string = body.data.id;
  const { status } = await app.api('PATCH', `/devices/${deviceId}`, {
    body: { web_chat: { allowed_origins: [shop] } },
  });
  assert.equal(status, 200);
  assert.equal((await app.api('POST', `/devices/${deviceId}/connect`)).status, 200);
  await waitForDevice(app, deviceId, ({ connected }) => connected === true);
  return { teamId, deviceId };
}
