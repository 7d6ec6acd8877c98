import type { IncomingMessage } from 'node:http';
import type { Json } from './protocol.ts';

/**
 * OpenAI's files and vector stores. A text with `[never indexed]` is indexed forever, one with `[unreadable]` fails, and every
 * other file is ready after a few reads of its status.
 */
interface StoredFile {
  id: string;
  name: string;
  text: string;
  purpose: string;
  createdAt: number;
}

interface Store {
  id: string;
  metadata: object;
  createdAt: number;
  files: Map<string, AttachedFile>;
}

/** It stays searchable after the deletion of the file itself. */
interface AttachedFile {
  file: StoredFile;
  attributes: Record<string, unknown>;
  /** Of its status. */
  reads: number;
  createdAt: number;
}

export interface FakeResponse {
  status: number;
  body: object;
}

const readsUntilIndexed = 3;
const files = new Map<string, StoredFile>();
const stores = new Map<string, Store>();
let made = 0;

const newId = (prefix: string): string => {
  made += 1;
  return `${prefix}${process.pid}x${made}`;
};
const now = (): number => Math.floor(Date.now() / 1000);
const ok = (body: object): FakeResponse => ({ status: 200, body });
const refuse = (message: string): FakeResponse => ({
  status: 400,
  body: { error: { message, type: 'invalid_request_error', code: null, param: null } },
});
const missing = (id: string | undefined): FakeResponse => ({
  status: 404,
  body: {
    error: { message: `No such object: ${id}`, type: 'invalid_request_error', code: null, param: null },
  },
});

/** Returns null for a path of another service. */
export function serveFiles(
  { method = 'GET', headers }: IncomingMessage,
  url: URL,
  body: Json,
): FakeResponse | null {
  const [, kind, id, part, fileId] =
    /^\/v1\/(files|vector_stores)(?:\/([^/]+)(?:\/([^/]+)(?:\/([^/]+))?)?)?$/.exec(url.pathname) ?? [];
  if (kind === undefined) return null;
  if (!headers.authorization?.startsWith('Bearer sk-')) {
    return {
      status: 401,
      body: { error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } },
    };
  }
  if (kind === 'files') return serveFile(method, id, url, body);
  if (part === undefined) return serveStore(method, id, url, body);
  const store = stores.get(id ?? '');
  return store === undefined ? missing(id) : serveStoreFile(method, store, fileId, url, body);
}

function serveFile(method: string, id: string | undefined, url: URL, body: Json): FakeResponse {
  if (id === undefined) {
    if (method === 'GET') return ok(page([...files.values()].map(showFile), url));
    if (body.purpose !== 'assistants' || body.file === undefined)
      return refuse('file and purpose are required');
    const file = { id: newId('file-'), ...body.file, purpose: body.purpose, createdAt: now() };
    files.set(file.id, file);
    return ok(showFile(file));
  }
  return serveOne(method, id, files, showFile, 'file');
}

function serveStore(method: string, id: string | undefined, url: URL, body: Json): FakeResponse {
  if (id === undefined) {
    if (method === 'GET') return ok(page([...stores.values()].map(showStore), url));
    for (const value of Object.values(body.metadata ?? {})) {
      if (typeof value !== 'string' || value.length > 512) return refuse('Invalid metadata');
    }
    const store: Store = {
      id: newId('vs_'),
      metadata: body.metadata ?? {},
      createdAt: now(),
      files: new Map(),
    };
    for (const file of body.file_ids ?? []) {
      if (!attachFile(store, file, {})) return missing(file);
    }
    stores.set(store.id, store);
    return ok(showStore(store));
  }
  return serveOne(method, id, stores, showStore, 'vector_store.deleted');
}

function serveStoreFile(
  method: string,
  store: Store,
  fileId: string | undefined,
  url: URL,
  body: Json,
): FakeResponse {
  if (fileId === undefined) {
    if (method === 'GET')
      return ok(
        page(
          [...store.files.keys()].map((id) => showStoreFile(store, id)),
          url,
        ),
      );
    if (!attachFile(store, body.file_id, body.attributes ?? {})) return missing(body.file_id);
    return ok(showStoreFile(store, body.file_id));
  }
  return serveOne(
    method,
    fileId,
    store.files,
    () => showStoreFile(store, fileId),
    'vector_store.file.deleted',
  );
}

/** Shows or deletes an object. */
function serveOne<Item>(
  method: string,
  id: string,
  items: Map<string, Item>,
  show: (item: Item) => object,
  deletedAs: string,
): FakeResponse {
  const item = items.get(id);
  if (item === undefined) return missing(id);
  if (method !== 'DELETE') return ok(show(item));
  items.delete(id);
  return ok({ id, object: deletedAs, deleted: true });
}

function attachFile(store: Store, id: string, attributes: Record<string, unknown>): boolean {
  const file = files.get(id);
  if (file === undefined) return false;
  store.files.set(id, { file, attributes, reads: 0, createdAt: now() });
  return true;
}

const showFile = ({ id, name, text, purpose, createdAt }: StoredFile) => ({
  id,
  object: 'file',
  bytes: text.length,
  created_at: createdAt,
  filename: name,
  purpose,
  status: 'processed',
});

const showStore = ({ id, metadata, createdAt }: Store) => ({
  id,
  object: 'vector_store',
  created_at: createdAt,
  metadata,
  name: '',
  status: 'completed',
});

function showStoreFile(store: Store, id: string) {
  const stored = store.files.get(id);
  if (stored === undefined) throw new Error(`${id} is not attached`);
  stored.reads += 1;
  return {
    id,
    object: 'vector_store.file',
    created_at: stored.createdAt,
    vector_store_id: store.id,
    attributes: stored.attributes,
    status: readStatus(stored.file.text, stored.reads),
    last_error: null,
  };
}

function readStatus(text: string, reads: number): string {
  if (text.includes('[never indexed]')) return 'in_progress';
  if (reads < readsUntilIndexed) return 'in_progress';
  return text.includes('[unreadable]') ? 'failed' : 'completed';
}

/** Pages of two items, so that clients must turn pages. */
function page(items: { id: string }[], { searchParams }: URL) {
  const ordered = searchParams.get('order') === 'asc' ? items : [...items].reverse();
  const after = searchParams.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(start, start + Math.min(2, Number(searchParams.get('limit') ?? 2)));
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: start + data.length < ordered.length,
  };
}

export const wordsOf = (text: string): string[] => text.toLowerCase().match(/\p{L}{4,}/gu) ?? [];

/** Returns why the service refuses the tool, or the indexed files that share words with the question. */
export function searchStores(tool: Json, question: string): string | object[] {
  const [storeId, ...others] = tool.vector_store_ids ?? [];
  const store = stores.get(storeId);
  if (store === undefined || others.length > 0) return `Vector store ${storeId} not found`;
  const { type, key, value } = tool.filters ?? {};
  if (type !== 'in' || !Array.isArray(value)) return 'The fake knows only the filter `in`';
  const asked = new Set(wordsOf(question));
  return [...store.files.values()].flatMap(({ file, attributes, reads }) => {
    if (!value.includes(attributes[key]) || readStatus(file.text, reads) !== 'completed') return [];
    const score = wordsOf(file.text).filter((word) => asked.has(word)).length / Math.max(1, asked.size);
    return score === 0 ? [] : [{ file_id: file.id, filename: file.name, text: file.text, score, attributes }];
  });
}
