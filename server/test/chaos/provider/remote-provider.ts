import { createHash } from 'node:crypto';
import {
  type AssistantProvider,
  ProviderError,
} from '../../../src/adapters/assistant-provider/assistant-provider.ts';
import type { CallName, Calls } from './calls.ts';

/** The fake provider at `url`, through the port that every provider is used by. */
export function createRemoteProvider(url: string): AssistantProvider {
  const call = async <Name extends CallName>(
    name: Name,
    taken: Calls[Name]['takes'],
    signal: AbortSignal,
  ): Promise<Calls[Name]['gives']> => {
    const response = await reach(`${url}/calls/${name}`, taken, signal);
    if (!response.ok) throw refusal(response.status, name);
    // The provider is of the same rig and keeps to the shapes of `Calls`.
    return (await response.json()) as Calls[Name]['gives'];
  };
  return {
    name: 'remote',
    generates: false,
    putKnowledge: (tag, signal) => call('putKnowledge', { tag }, signal),
    deleteKnowledge: async (ref, signal) => void (await call('deleteKnowledge', { ref }, signal)),
    putDocument: (tag, { bytes }, signal) =>
      call('putDocument', { tag, digest: createHash('sha256').update(bytes).digest('hex') }, signal),
    documentStatus: async (ref, signal) => (await call('documentStatus', { ref }, signal)).status,
    deleteDocument: async (ref, signal) => void (await call('deleteDocument', { ref }, signal)),
    putAssistant: (tag, ref, spec, signal) => call('putAssistant', { tag, ref, spec }, signal),
    deleteAssistant: async (ref, signal) => void (await call('deleteAssistant', { ref }, signal)),
    step: (turn, signal) => call('step', turn, signal),
    async *listOwned(signal) {
      const { objects } = await call('listOwned', {}, signal);
      for (const { createdAt, ...object } of objects) yield { ...object, createdAt: new Date(createdAt) };
    },
  };
}

async function reach(url: string, body: object, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, { method: 'POST', body: JSON.stringify(body), signal });
  } catch (cause) {
    signal.throwIfAborted();
    throw new ProviderError('transient', 'the provider did not answer', { cause });
  }
}

function refusal(status: number, call: CallName): ProviderError {
  const message = `the provider answered ${call} with ${status}`;
  if (status === 429) return new ProviderError('rate_limited', message, { retryAfter: 1 });
  return new ProviderError(status === 404 ? 'not_found' : 'transient', message);
}
