import { createObjectFactory } from '../../server/test/openapi/create-object.ts';
import { chance, createDraw, type Draw, oneOf } from '../../server/test/openapi/draw.ts';
import { fetchOpenapi, readOperations } from '../../server/test/openapi/operations.ts';
import { drawRequest } from '../../server/test/openapi/requests.ts';
import { encodeRequest, openWire } from '../../server/test/openapi/wire.ts';
import { createResponseCheck } from '../../server/test/response-check.ts';
import { faultsOf, show } from './exchange.ts';
import { sampleFiles } from './sample-files.ts';
import type { FuzzedService } from './service.ts';
import { createStormPlaces } from './storm-targets.ts';
import { connectUpkeep } from './upkeep.ts';

/** They would end the key of the run. */
const apart = new Set(['deleteApiKey', 'updateApiKey']);

/**
 * Sends good requests from many lanes at once, all about the same few objects, which are created, changed and deleted
 * under one another's feet. Answers every 5xx, undeclared status and body that its schema refuses.
 */
export async function runStorm(
  service: FuzzedService,
  { seed, requests, lanes }: { seed: number; requests: number; lanes: number },
): Promise<string[]> {
  const document = await fetchOpenapi(service.baseUrl);
  const check = createResponseCheck(document);
  const operations = readOperations(document).filter(({ open, id }) => !open && !apart.has(id));
  const wire = openWire(service.baseUrl, lanes);
  const files = (await sampleFiles()).slice(0, 2);
  const { token, upkeep } = await connectUpkeep(wire, service.key);
  const make = createObjectFactory({
    operations,
    wire,
    token,
    draw: createDraw(seed),
    files: files.slice(0, 1),
  });
  const places = await createStormPlaces(make, upkeep);
  const faults: string[] = [];

  const sendOne = async (requestId: string, draw: Draw): Promise<void> => {
    const operation = oneOf(draw, operations);
    const about = places.about(draw);
    const repeats = operation.idempotent && chance(draw, 20);
    const headers: Record<string, string> = repeats ? { 'idempotency-key': oneOf(draw, ['a', 'b']) } : {};
    const { target, ...written } = encodeRequest(
      { ...drawRequest(operation, about, draw, files), headers },
      token,
    );
    const sent = { target, ...written, headers: ['x-request-id', requestId, ...written.headers] };
    const response = await wire.send(sent);
    const { status, json } = response;
    const wrong = faultsOf(() => check({ method: operation.method, path: target, status, body: json }));
    if (status >= 500) wrong.push(`answered ${status}`, ...(await service.logOf(requestId)));
    if (wrong.length > 0) faults.push(`${show(sent)}\n  ${wrong.join('\n  ')}`);
    await places.learn(operation, about, response);
  };
  let index = 0;
  const lane = async (): Promise<void> => {
    for (let own = index++; own < requests; own = index++) {
      await sendOne(`storm-${seed}-${own}`, createDraw((seed * 1_000_003 + own) | 0));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  wire.close();
  return faults;
}
