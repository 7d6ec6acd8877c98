import fc from 'fast-check';
import { chance, type Draw, oneOf } from './draw.ts';
import { type ApiOperation, collectionOf } from './operations.ts';
import { applyBodyRules, createSampleValues, type References } from './sample-values.ts';
import { drawValue } from './values.ts';

/** A request before encoding. */
export interface ApiRequest {
  operation: ApiOperation;
  path: Readonly<Record<string, string>>;
  query: readonly (readonly [name: string, value: string])[];
  /** The JSON body; undefined for none. */
  body: unknown;
  upload: Upload | null;
  headers: Readonly<Record<string, string>>;
}

export interface Upload {
  fields: readonly (readonly [name: string, value: string])[];
  files: readonly UploadFile[];
}

interface UploadFile {
  part: string;
  name: string;
  bytes: Uint8Array;
}

/** Accepted documents of each type. */
export type SampleFiles = readonly { name: string; bytes: Uint8Array }[];

/** Returns a request that is valid according to the schemas. Its ids come from `references`. */
export function drawRequest(
  operation: ApiOperation,
  references: References,
  draw: Draw,
  files: SampleFiles,
): ApiRequest {
  const samples = createSampleValues(references);
  const query = operation.query
    .filter(() => chance(draw, 40))
    .map(({ name, schema }) => [name, String(drawValue(schema, draw, samples, name))] as const);
  const body =
    operation.body === null
      ? undefined
      : applyBodyRules(operation, drawValue(operation.body, draw, samples), references, draw);
  return {
    operation,
    path: Object.fromEntries(
      operation.pathParameters.map((name) => [name, references[collectionOf(operation, name)] ?? 'none']),
    ),
    query,
    body,
    upload: operation.multipart === null ? null : drawUpload(operation, references, draw, files),
    headers: operation.idempotent && chance(draw, 20) ? { 'idempotency-key': draw(fc.uuid()) } : {},
  };
}

function drawUpload(
  { multipart }: ApiOperation,
  references: References,
  draw: Draw,
  files: SampleFiles,
): Upload {
  const file = oneOf(draw, files);
  if (multipart?.properties?.['team_id'] === undefined)
    return { fields: [['text', 'The prices']], files: [{ part: 'file', ...file }] };
  return {
    fields: [
      ['team_id', references['teams'] ?? ''],
      ...(chance(draw, 30) ? [['chars', String(draw(fc.nat(10_000)))] as const] : []),
    ],
    files: [{ part: 'file', ...file }],
  };
}
