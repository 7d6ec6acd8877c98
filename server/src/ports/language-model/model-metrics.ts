import { Counter, type Registry } from 'prom-client';
import type { ModelUsage } from './language-model.ts';

export interface ModelMeters {
  /** Counts a call of a configured model. `usage` is null if the call failed or the provider reports nothing. */
  count(call: { provider: string; model: string; outcome: string; usage: ModelUsage | null }): void;
}

const kinds = ['input', 'cached', 'output', 'reasoning'] as const;

export function createModelMeters(registry: Registry): ModelMeters {
  const calls = new Counter({
    name: 'parley_model_calls_total',
    help: 'Calls of language models by outcome: ok, or the kind of failure.',
    labelNames: ['provider', 'model', 'outcome'],
    registers: [registry],
  });
  const tokens = new Counter({
    name: 'parley_model_tokens_total',
    help: 'Tokens that providers reported. cached is a part of input, reasoning a part of output.',
    labelNames: ['provider', 'model', 'kind'],
    registers: [registry],
  });
  return {
    count({ provider, model, outcome, usage }) {
      calls.inc({ provider, model, outcome });
      for (const kind of kinds) {
        const count = usage?.[kind] ?? 0;
        // A counter throws on other values.
        if (Number.isFinite(count) && count > 0) tokens.inc({ provider, model, kind }, count);
      }
    },
  };
}
