import { currentRequest } from '../../platform/telemetry/current-request.ts';
import type { RecordSpan } from '../../platform/telemetry/spans.ts';
import type { OnModelCall } from './guarded-model.ts';

/** Records a call of a language model as part of the request or answer that makes it. */
export const recordModelSpan =
  (recordSpan: RecordSpan): OnModelCall =>
  ({ model, outcome, usage, startedAt }) => {
    const requestId = currentRequest.getStore();
    if (requestId === undefined) return;
    recordSpan({
      name: 'call language model',
      requestId,
      kind: 'client',
      startedAt,
      failed: outcome !== 'ok',
      attributes: {
        'gen_ai.request.model': model,
        'gen_ai.usage.input_tokens': usage?.input,
        'gen_ai.usage.output_tokens': usage?.output,
        'parley.outcome': outcome,
      },
    });
  };
