import { isLasting, type LastingFailure, ProviderError } from '../provider-error.ts';

export interface ModelBreaker {
  /** Rejects at once with the last failure while the breaker is open. */
  run<Result>(model: string, call: () => Promise<Result>): Promise<Result>;
  lastingFailures(): LastingFailure[];
}

const trialIntervalMs = 30_000;

interface OpenBreaker extends LastingFailure {
  error: ProviderError;
  nextTrial: number;
}

/**
 * Stops calls that only the operator can mend: a refused key, a used-up budget, an unknown model. One call every 30 seconds
 * tries again, so that the model recovers by itself.
 */
export function createModelBreaker({ elapsed = () => performance.now() } = {}): ModelBreaker {
  const open = new Map<string | null, OpenBreaker>();

  const findOpen = (model: string) => open.get(null) ?? open.get(model);

  const record = (model: string, error: ProviderError): void => {
    const scope = error.kind === 'invalid_config' ? model : null;
    const since = open.get(scope)?.since ?? new Date();
    const { kind, message } = error;
    open.set(scope, { kind, model: scope, message, since, error, nextTrial: elapsed() + trialIntervalMs });
  };

  return {
    async run(model, call) {
      const breaker = findOpen(model);
      if (breaker !== undefined) {
        if (elapsed() < breaker.nextTrial) throw breaker.error;
        breaker.nextTrial = elapsed() + trialIntervalMs;
      }
      try {
        const result = await call();
        open.delete(null);
        open.delete(model);
        return result;
      } catch (error) {
        if (error instanceof ProviderError && isLasting(error)) record(model, error);
        throw error;
      }
    },
    lastingFailures: () =>
      [...open.values()].map(({ kind, model, message, since }) => ({ kind, model, message, since })),
  };
}
