import type { BotAction } from '../../knowledge/bots/bot-actions.ts';
import { OutboundError } from '../../platform/outbound/outbound-error.ts';
import { createBoundedMap } from '../../platform/shared/bounded-map.ts';
import { createSemaphore, type Semaphore } from '../../platform/shared/semaphore.ts';

/** The action was not called. The model and the trace have the message. */
export class ActionNotCalled extends Error {
  override readonly name = 'ActionNotCalled';
}

export interface EndpointLimits {
  /** Rejects with `ActionNotCalled` if the action's circuit breaker is open or its host has too many calls. */
  run<Result>(
    action: BotAction,
    target: { teamId: string; url: string },
    call: () => Promise<Result>,
  ): Promise<Result>;
}

interface Breaker {
  timeouts: number;
  openUntil: number;
}

const maxTimeouts = 5;
const openMs = 30_000;
const maxCallsPerHost = 32;
/** Teams can have actions on one host, such as the partner's own, and one team's may hang. */
const perTeam = { maxRunning: 16, maxWaiting: 32 };
const maxWaitingPerHost = 64;
const maxWaitMs = 5000;
const maxHosts = 1000;

/**
 * Limits this process's calls per host. One team may take half of them. An action that timed out several times in a row is not
 * called for a while; then one call tries it again. Each action has a breaker of its own, so that no team can open the breaker of
 * another one.
 */
export function createEndpointLimits({ elapsed = () => performance.now() } = {}): EndpointLimits {
  const breakers = new WeakMap<BotAction, Breaker>();
  const hosts = createBoundedMap<string, Semaphore>(maxHosts);

  const readTimeouts = (action: BotAction): number => {
    const { timeouts = 0, openUntil = 0 } = breakers.get(action) ?? {};
    if (elapsed() < openUntil) throw timedOutRepeatedly();
    return timeouts;
  };
  const setTimeouts = (action: BotAction, timeouts: number) =>
    breakers.set(action, { timeouts, openUntil: timeouts < maxTimeouts ? 0 : elapsed() + openMs });

  const callThroughBreaker = async <Result>(
    action: BotAction,
    call: () => Promise<Result>,
  ): Promise<Result> => {
    // If the breaker was open, this call tries the endpoint and refuses the others until it ends.
    setTimeouts(action, readTimeouts(action));
    try {
      const result = await call();
      breakers.delete(action);
      return result;
    } catch (error) {
      const timedOut = error instanceof OutboundError && error.timedOut;
      if (timedOut) setTimeouts(action, (breakers.get(action)?.timeouts ?? 0) + 1);
      throw error;
    }
  };

  return {
    async run(action, { teamId, url }, call) {
      readTimeouts(action);
      const { host } = new URL(url);
      const slots = hosts.get(host) ?? createHostSlots();
      hosts.set(host, slots);
      return slots.run(() => callThroughBreaker(action, call), { group: teamId });
    },
  };
}

const timedOutRepeatedly = () =>
  new ActionNotCalled(`not called: the endpoint timed out ${maxTimeouts} times in a row`);

const hostIsBusy = () => new ActionNotCalled('not called: too many calls to this host are in progress');

const createHostSlots = () =>
  createSemaphore({
    maxRunning: maxCallsPerHost,
    perGroup: perTeam,
    maxWaiting: maxWaitingPerHost,
    maxWaitMs,
    errors: { full: hostIsBusy, timedOut: hostIsBusy, closed: hostIsBusy },
  });
