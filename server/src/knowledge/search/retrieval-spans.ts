import { currentRequest } from '../../platform/telemetry/current-request.ts';
import type { RecordSpan } from '../../platform/telemetry/spans.ts';

/** Called when a search of the passages of a bot ends. */
export type OnRetrieval = (retrieval: { startedAt: number; failed: boolean }) => void;

/** Records a search as part of the request or answer that makes it. */
export const recordRetrievalSpan =
  (recordSpan: RecordSpan): OnRetrieval =>
  ({ startedAt, failed }) => {
    const requestId = currentRequest.getStore();
    if (requestId === undefined) return;
    const attributes = { 'gen_ai.operation.name': 'retrieval' };
    recordSpan({ name: 'retrieval', requestId, kind: 'internal', startedAt, failed, attributes });
  };
