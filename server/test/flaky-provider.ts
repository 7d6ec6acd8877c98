import type { AssistantProvider, OwnerTag } from '../src/knowledge/assistant-provider/assistant-provider.ts';

/** In the last two kinds the real provider does the work. All ignore the caller's signal. */
export const providerFaultKinds = [
  'fails',
  'hangs',
  'loses the reply',
  'completes after the deadline',
] as const;
export type ProviderFault = (typeof providerFaultKinds)[number];

export type Method =
  | 'putKnowledge'
  | 'putDocument'
  | 'putAssistant'
  | 'deleteKnowledge'
  | 'deleteDocument'
  | 'deleteAssistant';

/** The real provider with faults for chosen teams and a list of its objects. */
export interface FlakyProvider extends AssistantProvider {
  injectFault(teamId: string, method: Method, fault: ProviderFault): void;
  /** Delayed calls still complete. */
  clearFault(teamId: string): void;
  /** References of objects that were created and not deleted. */
  listObjects(): string[];
  waitForDelayedCalls(): Promise<void>;
}

export function createFlakyProvider(real: AssistantProvider): FlakyProvider {
  const faults = new Map<string, { method: Method; fault: ProviderFault }>();
  const objects = new Map<string, OwnerTag>();
  const delayed = new Set<Promise<unknown>>();

  const call = async <Result>(
    { teamId, method, signal }: { teamId: string; method: Method; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const planned = faults.get(teamId);
    const neverAborted = new AbortController().signal;
    switch (planned?.method === method ? planned.fault : null) {
      case 'fails':
        throw new Error('the provider is down');
      case 'hangs':
        return never();
      case 'loses the reply':
        await work(neverAborted);
        return never();
      case 'completes after the deadline': {
        const result = waitForAbort(signal).then(() => work(neverAborted));
        delayed.add(result);
        return result.finally(() => delayed.delete(result));
      }
      default:
        return work(signal);
    }
  };

  const put =
    <Rest extends unknown[], Created extends { ref: string }>(
      method: Method,
      create: (tag: OwnerTag, ...rest: [...Rest, AbortSignal]) => Promise<Created>,
    ) =>
    (tag: OwnerTag, ...args: [...Rest, AbortSignal]): Promise<Created> => {
      // The last argument is the signal.
      const signal = args.at(-1) as AbortSignal;
      const rest = args.slice(0, -1) as Rest;
      return call({ teamId: tag.teamId, method, signal }, async (workSignal) => {
        const created = await create(tag, ...rest, workSignal);
        objects.set(created.ref, tag);
        return created;
      });
    };

  const remove =
    (method: Method, deleteObject: (ref: string, signal: AbortSignal) => Promise<void>) =>
    (ref: string, signal: AbortSignal): Promise<void> =>
      call({ teamId: objects.get(ref)?.teamId ?? '', method, signal }, async (workSignal) => {
        await deleteObject(ref, workSignal);
        objects.delete(ref);
      });

  return {
    ...real,
    documentsIn: 'openai',
    putKnowledge: put('putKnowledge', real.putKnowledge),
    putDocument: put('putDocument', real.putDocument),
    putAssistant: put('putAssistant', real.putAssistant),
    deleteKnowledge: remove('deleteKnowledge', real.deleteKnowledge),
    deleteDocument: remove('deleteDocument', real.deleteDocument),
    deleteAssistant: remove('deleteAssistant', real.deleteAssistant),
    injectFault: (teamId, method, fault) => void faults.set(teamId, { method, fault }),
    clearFault: (teamId) => void faults.delete(teamId),
    listObjects: () => [...objects.keys()].sort(),
    async waitForDelayedCalls() {
      while (delayed.size > 0) await Promise.allSettled(delayed);
    },
  };
}

const never = (): Promise<never> => new Promise(() => undefined);

const waitForAbort = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
