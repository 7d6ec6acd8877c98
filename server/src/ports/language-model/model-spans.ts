import { currentRequest } from '../../platform/telemetry/current-request.ts';
import type { RecordSpan } from '../../platform/telemetry/spans.ts';
import type { OnModelCall } from './guarded-model.ts';

/** Names of the semantic conventions that differ from those of `ASSISTANT_PROVIDER`. */
const conventional: Readonly<Record<string, string>> = {
  'openai-hosted': 'openai',
  google: 'gcp.gemini',
  mistral: 'mistral_ai',
};

/**
 * Records a call of a language model as part of the request or answer that makes it, in the words of the semantic conventions for
 * generative AI, version 1.41.
 */
export const recordModelSpan =
  (recordSpan: RecordSpan, provider: string): OnModelCall =>
  ({ model, outcome, usage, startedAt }) => {
    const requestId = currentRequest.getStore();
    if (requestId === undefined) return;
    recordSpan({
      name: `chat ${model}`,
      requestId,
      kind: 'client',
      startedAt,
      failed: outcome !== 'ok',
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': conventional[provider] ?? provider,
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': usage?.input,
        'gen_ai.usage.output_tokens': usage?.output,
        'error.type': outcome === 'ok' ? null : outcome,
        'parley.outcome': outcome,
      },
    });
  };
