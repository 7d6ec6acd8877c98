import { createHash } from 'node:crypto';
import type { AssistantProvider } from '../../../src/knowledge/assistant-provider/assistant-provider.ts';
import { ProviderError } from '../../../src/ports/provider-error.ts';
import type { CallName, Calls } from './calls.ts';

/** An AssistantProvider that calls the fake provider at `url`. */
export function createRemoteProvider(url: string): AssistantProvider {
  const call = async <Name extends CallName>(
    name: Name,
    request: Calls[Name]['request'],
    signal: AbortSignal,
  ): Promise<Calls[Name]['response']> => {
    const response = await post(`${url}/calls/${name}`, request, signal);
    if (!response.ok) throw refusal(response.status, name);
    return (await response.json()) as Calls[Name]['response'];
  };
  return {
    name: 'remote',
    generatesText: false,
    seesImages: false,
    documentsIn: 'openai',
    putKnowledge: (tag, signal) => call('putKnowledge', { tag }, signal),
    deleteKnowledge: async (ref, signal) => void (await call('deleteKnowledge', { ref }, signal)),
    putDocument: (tag, { bytes }, signal) =>
      call('putDocument', { tag, digest: createHash('sha256').update(bytes).digest('hex') }, signal),
    documentStatus: async (ref, signal) => (await call('documentStatus', { ref }, signal)).status,
    findSimilarDocuments: async () => [],
    deleteDocument: async (ref, signal) => void (await call('deleteDocument', { ref }, signal)),
    putAssistant: (tag, ref, spec, signal) => call('putAssistant', { tag, ref, spec }, signal),
    deleteAssistant: async (ref, signal) => void (await call('deleteAssistant', { ref }, signal)),
    step: (turn, signal) => call('step', turn, signal),
    rewrite: () => Promise.reject(new ProviderError('invalid_config', 'the fake generates no text')),
    judge: () => Promise.reject(new ProviderError('invalid_config', 'the fake generates no text')),
    checkModel: async () => [],
    lastingFailures: () => [],
    async *listOwned(signal) {
      const { objects } = await call('listOwned', {}, signal);
      for (const { createdAt, ...object } of objects) yield { ...object, createdAt: new Date(createdAt) };
    },
  };
}

async function post(url: string, body: object, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { method: 'POST', body: JSON.stringify(body), signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new ProviderError('transient', 'the provider did not respond', { cause });
  }
}

function refusal(status: number, call: CallName): ProviderError {
  const message = `the provider returned ${status} for ${call}`;
  if (status === 429) return new ProviderError('rate_limited', message, { retryAfter: 1 });
  return new ProviderError(status === 404 ? 'not_found' : 'transient', message);
}
