export interface ChatMessage {
  id: string;
  seq: number;
  own: boolean;
  person: boolean;
  kind: 'text' | 'image' | 'voice' | 'document';
  text: string;
  client_id: string | null;
  at: string;
}

export interface Person {
  id: string;
  name: string;
  has_picture: boolean;
}

export interface ChatState {
  typing: boolean;
  waits_for_person: boolean;
  /** The chat waits, and nobody could answer now. */
  nobody_there: boolean;
  person: Person | null;
  /** A person has read the messages until then. */
  read_at: string | null;
}

export interface Visit {
  visitor: string;
  title: string;
  color: string;
  greeting: string;
  has_logo: boolean;
  /** Null for a team without opening hours. */
  open: boolean | null;
}

export interface Chat {
  /** The visitor comes back to this chat. */
  remember(): void;
  isKnown(): boolean;
  write(message: object): Promise<void>;
  report(ids: readonly string[], state: 'delivered' | 'read'): Promise<void>;
  load(path: string): Promise<Blob>;
  /** Follows the chat until the page is left. */
  follow(listener: Listener): Promise<void>;
}

interface Listener {
  message(message: ChatMessage): void;
  state(state: ChatState): void;
  online(online: boolean): void;
}

export interface Identity {
  id: string;
  signature: string;
}

/** Failures of the network are retried, and refusals are not. */
export class Refused extends Error {
  readonly status: number;
  constructor(status: number) {
    super(`refused with ${status}`);
    this.status = status;
  }
}

const maxDelayMs = 30_000;

/** Calls the chat of one website. Keeps the token of the visitor on this page's origin, unless the website signed the visitor. */
export function connectChat(
  address: string,
  site: string,
  identity: Identity | null,
): Chat & { visit(): Promise<Visit> } {
  const base = `${address}/networks/web/${site}/`;
  const key = `parley-chat-${site}`;
  let token = '';

  const request = async (path: string, body?: object, signal?: AbortSignal): Promise<Response> => {
    const response = await fetch(base + path, {
      method: body === undefined ? 'GET' : 'POST',
      credentials: 'omit',
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal }),
    });
    if (!response.ok) throw new Refused(response.status);
    return response;
  };

  return {
    async visit() {
      const known = identity === null ? load(key) : null;
      const response = await request('visits', {
        ...(known !== null && { visitor: known }),
        ...(identity !== null && { identity }),
      });
      // The envelope of the API.
      const { data } = (await response.json()) as { data: Visit };
      token = data.visitor;
      return data;
    },
    remember() {
      if (identity === null) save(key, token);
    },
    isKnown: () => identity !== null || load(key) !== null,
    write: (message) => request('messages', message).then(() => undefined),
    report: (ids, state) =>
      request('receipts', { ids, state }).then(
        () => undefined,
        () => undefined,
      ),
    load: (path) => request(path).then((response) => response.blob()),
    async follow(listener) {
      let after: string | null = null;
      for (let delayMs = 1000; ; delayMs = Math.min(maxDelayMs, delayMs * 2)) {
        try {
          const response = await request(`stream${after === null ? '' : `?after=${after}`}`);
          listener.online(true);
          for await (const event of readEvents(response)) {
            delayMs = 1000;
            if (event.id !== '') after = event.id;
            if (event.name === 'message') listener.message(JSON.parse(event.data));
            if (event.name === 'state') listener.state(JSON.parse(event.data));
          }
        } catch (error) {
          if (error instanceof Refused && error.status < 500 && error.status !== 429) return;
          listener.online(false);
        }
        await new Promise((resolve) => setTimeout(resolve, delayMs * (0.5 + Math.random() / 2)));
      }
    },
  };
}

async function* readEvents(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let buffered = '';
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done || value === undefined) return;
    buffered += value;
    const blocks = buffered.split('\n\n');
    buffered = blocks.pop() ?? '';
    for (const block of blocks) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
      yield { id: field('id'), name: field('event'), data: field('data') };
    }
  }
}

/** Pages may forbid storage. The chat then lasts until the reload. */
function load(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function save(key: string, value: string): void {
  try {
    localStorage.setItem(key, value);
  } catch {
    // See `load`.
  }
}
