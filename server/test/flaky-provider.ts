import type { AssistantProvider, OwnerTag } from '../src/adapters/assistant-provider/assistant-provider.ts';

/** How a call fails. In the last two kinds the real provider does the work. All ignore the caller's signal. */
export const providerFaultKinds = [
  'fails',
  'hangs',
  'does it and loses the reply',
  'does it after the deadline',
] as const;
export type ProviderFault = (typeof providerFaultKinds)[number];

/** The calls that create or delete objects. */
export type Method =
  | 'putKnowledge'
  | 'putDocument'
  | 'putAssistant'
  | 'deleteKnowledge'
  | 'deleteDocument'
  | 'deleteAssistant';

/** The real provider with faults for chosen teams, and its own list of objects. */
export interface FlakyProvider extends AssistantProvider {
  /** Makes this method fail for this team. */
  disturb(teamId: string, method: Method, fault: ProviderFault): void;
  /** Stops all faults for this team. Delayed calls still complete. */
  heal(teamId: string): void;
  /** References of objects that were created and not deleted. */
  held(): string[];
  /** Resolves when no call is delayed. */
  quiet(): Promise<void>;
}

export function createFlakyProvider(real: AssistantProvider): FlakyProvider {
  const troubles = new Map<string, { method: Method; fault: ProviderFault }>();
  const holding = new Map<string, OwnerTag>();
  const late = new Set<Promise<unknown>>();

  const call = async <Result>(
    { teamId, method, signal }: { teamId: string; method: Method; signal: AbortSignal },
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const trouble = troubles.get(teamId);
    const patient = new AbortController().signal;
    switch (trouble?.method === method ? trouble.fault : null) {
      case 'fails':
        throw new Error('the provider is down');
      case 'hangs':
        return never();
      case 'does it and loses the reply':
        await work(patient);
        return never();
      case 'does it after the deadline': {
        const coming = aborted(signal).then(() => work(patient));
        late.add(coming);
        return coming.finally(() => late.delete(coming));
      }
      default:
        return work(signal);
    }
  };

  const put =
    <Rest extends unknown[], Made extends { ref: string }>(
      method: Method,
      make: (tag: OwnerTag, ...rest: [...Rest, AbortSignal]) => Promise<Made>,
    ) =>
    (tag: OwnerTag, ...given: [...Rest, AbortSignal]): Promise<Made> => {
      // The last argument is the signal.
      const signal = given.at(-1) as AbortSignal;
      const rest = given.slice(0, -1) as Rest;
      return call({ teamId: tag.teamId, method, signal }, async (until) => {
        const made = await make(tag, ...rest, until);
        holding.set(made.ref, tag);
        return made;
      });
    };

  const remove =
    (method: Method, really: (ref: string, signal: AbortSignal) => Promise<void>) =>
    (ref: string, signal: AbortSignal): Promise<void> =>
      call({ teamId: holding.get(ref)?.teamId ?? '', method, signal }, async (until) => {
        await really(ref, until);
        holding.delete(ref);
      });

  return {
    ...real,
    putKnowledge: put('putKnowledge', real.putKnowledge),
    putDocument: put('putDocument', real.putDocument),
    putAssistant: put('putAssistant', real.putAssistant),
    deleteKnowledge: remove('deleteKnowledge', real.deleteKnowledge),
    deleteDocument: remove('deleteDocument', real.deleteDocument),
    deleteAssistant: remove('deleteAssistant', real.deleteAssistant),
    disturb: (teamId, method, fault) => void troubles.set(teamId, { method, fault }),
    heal: (teamId) => void troubles.delete(teamId),
    held: () => [...holding.keys()].sort(),
    async quiet() {
      while (late.size > 0) await Promise.allSettled(late);
    },
  };
}

const never = (): Promise<never> => new Promise(() => undefined);

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
