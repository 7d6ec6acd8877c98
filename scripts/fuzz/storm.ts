import { createObjectFactory } from '../../server/test/openapi/create-object.ts';
import { chance, createDraw, type Draw, oneOf } from '../../server/test/openapi/draw.ts';
import { fetchOpenapi, readOperations } from '../../server/test/openapi/operations.ts';
import { drawRequest } from '../../server/test/openapi/requests.ts';
import { encodeRequest, openWire } from '../../server/test/openapi/wire.ts';
import { createResponseCheck } from '../../server/test/response-check.ts';
import { collectErrors, formatRequest } from './oracle.ts';
import { sampleFiles } from './sample-files.ts';
import type { FuzzedService } from './service.ts';
import { connectSetupClient } from './setup-client.ts';
import { createStormTargets } from './storm-targets.ts';

/** These operations would revoke the key of the run. */
const excluded = new Set(['deleteApiKey', 'updateApiKey']);

/**
 * Sends valid requests from many workers concurrently. They create, change and delete the same few objects. Returns every
 * 5xx, every undeclared status and every body that does not match its schema.
 */
export async function runStorm(
  service: FuzzedService,
  { seed, requests, workers }: { seed: number; requests: number; workers: number },
): Promise<string[]> {
  const document = await fetchOpenapi(service.baseUrl);
  const check = createResponseCheck(document);
  const operations = readOperations(document).filter(({ open, id }) => !open && !excluded.has(id));
  const wire = openWire(service.baseUrl, workers);
  const files = (await sampleFiles()).slice(0, 2);
  const { token, setup } = await connectSetupClient(wire, service.key);
  const createObject = createObjectFactory({
    operations,
    wire,
    token,
    draw: createDraw(seed),
    files: files.slice(0, 1),
  });
  const targets = await createStormTargets(createObject, setup);
  const failures: string[] = [];

  const sendOne = async (requestId: string, draw: Draw): Promise<void> => {
    const operation = oneOf(draw, operations);
    const references = targets.choose(draw);
    const repeats = operation.idempotent && chance(draw, 20);
    const headers: Record<string, string> = repeats ? { 'idempotency-key': oneOf(draw, ['a', 'b']) } : {};
    const { target, ...written } = encodeRequest(
      { ...drawRequest(operation, references, draw, files), headers },
      token,
    );
    const sent = { target, ...written, headers: ['x-request-id', requestId, ...written.headers] };
    const response = await wire.send(sent);
    const { status, json } = response;
    const problems = collectErrors(() =>
      check({ method: operation.method, path: target, status, body: json }),
    );
    if (status >= 500) problems.push(`returned ${status}`, ...(await service.logOf(requestId)));
    if (problems.length > 0) failures.push(`${formatRequest(sent)}\n  ${problems.join('\n  ')}`);
    await targets.record(operation, references, response);
  };
  let index = 0;
  const worker = async (): Promise<void> => {
    for (let current = index++; current < requests; current = index++) {
      await sendOne(`storm-${seed}-${current}`, createDraw((seed * 1_000_003 + current) | 0));
    }
  };
  await Promise.all(Array.from({ length: workers }, worker));
  wire.close();
  return failures;
}
