import type { Draw } from './draw.ts';
import type { ApiOperation } from './operations.ts';
import { drawRequest, type SampleFiles } from './requests.ts';
import type { References } from './sample-values.ts';
import { encodeRequest, type Wire, type WireResponse } from './wire.ts';

/** Creates an object with a generated request and returns its id. */
export type CreateObject = (collection: string, references: References) => Promise<string>;

export function createObjectFactory(options: {
  operations: readonly ApiOperation[];
  wire: Pick<Wire, 'send'>;
  token: string;
  draw: Draw;
  files: SampleFiles;
}): CreateObject {
  const { operations, wire, token, draw, files } = options;
  return async (collection, references) => {
    const operation = operations.find(
      ({ method, path }) =>
        method === 'POST' &&
        ['', '/teams/{id}', '/bots/{id}'].some((owner) => path === `/api/openapi/v1${owner}/${collection}`),
    );
    if (operation === undefined) throw new Error(`no operation creates objects in ${collection}`);
    const request = { ...drawRequest(operation, references, draw, files), headers: {} };
    const response = await wire.send(encodeRequest(request, token));
    const id = readCreatedId(response);
    if (id === null) throw new Error(`POST to ${collection} failed: ${response.status} ${response.text}`);
    return id;
  };
}

interface Created {
  data?: { id?: string; key_id?: string; name?: string; team?: { id?: string } };
}

/** Returns the id of the created object, or null. A plan's id is its name. */
export function readCreatedId({ status, json }: WireResponse): string | null {
  const { data } = (json ?? {}) as Created;
  if (status !== 200 || data === undefined || Array.isArray(data)) return null;
  return data.id ?? data.team?.id ?? data.key_id ?? data.name ?? null;
}
