import { createDraw, type Draw } from '../../server/test/openapi/draw.ts';
import { type ApiOperation, fetchOpenapi, readOperations } from '../../server/test/openapi/operations.ts';
import { drawRequest, type SampleFiles } from '../../server/test/openapi/requests.ts';
import { encodeRequest, openWire, type Wire, type WireRequest } from '../../server/test/openapi/wire.ts';
import { show } from './exchange.ts';
import { type Deed, type Mischief, outcomesOf } from './mutators/mischief.ts';
import { createJudge } from './oracle.ts';
import { createPlan } from './plan.ts';
import { createWorld, type World } from './resources.ts';
import { createRestraint } from './restraint.ts';
import { sampleFiles } from './sample-files.ts';
import type { FuzzedService } from './service.ts';
import { createTally } from './tally.ts';

export interface FuzzReport {
  table: string;
  faults: Fault[];
  /** Of the run as a whole: operations that hardly succeed, statuses that never came. */
  gaps: string[];
  /** Valid requests that were refused, for whoever tends the generator. */
  refused: string[];
}

interface Fault {
  /** Where in the run it was. */
  index: number;
  what: string;
  mischief: string;
  request: string;
  answer: string;
  log: string[];
}

/** Sends generated requests, one after another, most of them hostile. The same seed generates the same. */
export async function runFuzz(
  service: FuzzedService,
  { seed, requests }: { seed: number; requests: (operations: number) => number },
): Promise<FuzzReport> {
  const document = await fetchOpenapi(service.baseUrl);
  const operations = readOperations(document);
  const wire = openWire(service.baseUrl);
  const files = await sampleFiles();
  const world = await createWorld({ operations, wire, key: service.key, draw: createDraw(seed), files });
  const judge = createJudge(document);
  const [plan, restraint, tally] = [createPlan(operations), createRestraint(), createTally(operations)];
  const [faults, refused]: [Fault[], string[]] = [[], []];
  for (let index = 0; index < requests(operations.length); index++) {
    const draw = createDraw((seed * 1_000_003 + index) | 0);
    const { operation, mischief } = plan(draw);
    if (!restraint.allows(operation)) continue;
    const about = await world.prepare(operation);
    const deed = devise({ operation, mischief, world, draw, about, files });
    const requestId = `fuzz-${seed}-${index}`;
    const sent = { ...deed.wire, headers: ['x-request-id', requestId, ...deed.wire.headers] };
    const response = await send(wire, sent);
    world.learn(operation, about, response);
    restraint.note(operation, response.status);
    if (deed.astray !== true) tally.note(operation, response.status);
    const answer = `${response.status} ${response.text.slice(0, 1000)}`;
    const request = show(sent);
    if (mischief === null && response.status !== 200) refused.push(`${request} → ${answer}`);
    const wrong = judge({ operation, request: sent, requestId, response, ...deed });
    if (wrong.length === 0) continue;
    const log = await service.logOf(requestId);
    faults.push({ index, what: wrong.join('; '), mischief: mischief?.name ?? 'none', request, answer, log });
  }
  wire.close();
  return { table: tally.table(), faults, gaps: tally.faults(), refused };
}

function devise(options: {
  operation: ApiOperation;
  mischief: Mischief | null;
  world: World;
  draw: Draw;
  about: Record<string, string | undefined>;
  files: SampleFiles;
}): Deed {
  const { operation, mischief, world, draw, about, files } = options;
  const request = drawRequest(operation, about, draw, files);
  if (mischief !== null) return mischief.commit({ request, draw, world });
  const wire = encodeRequest(request, operation.open ? null : world.tokens.global);
  return { wire, expect: outcomesOf(operation) };
}

async function send(wire: Wire, request: WireRequest) {
  try {
    return await wire.send(request);
  } catch (error) {
    throw new Error(`no answer to ${show(request)}`, { cause: error });
  }
}
