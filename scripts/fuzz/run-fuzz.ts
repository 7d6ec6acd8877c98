import { createDraw, type Draw } from '../../server/test/openapi/draw.ts';
import { type ApiOperation, fetchOpenapi, readOperations } from '../../server/test/openapi/operations.ts';
import { drawRequest, type SampleFiles } from '../../server/test/openapi/requests.ts';
import { encodeRequest, openWire } from '../../server/test/openapi/wire.ts';
import { createCoverage } from './coverage.ts';
import { allowedStatuses, type MutatedRequest, type Mutator } from './mutators/mutator.ts';
import { createOracle, formatRequest } from './oracle.ts';
import { createPlan } from './plan.ts';
import { createResources, type Resources } from './resources.ts';
import { sampleFiles } from './sample-files.ts';
import type { FuzzedService } from './service.ts';

export interface FuzzReport {
  table: string;
  failures: Failure[];
  /** Operations that rarely succeed, and declared statuses that never occurred. */
  gaps: string[];
  /** Valid requests that were rejected. They help to improve the generator. */
  rejected: string[];
}

interface Failure {
  /** Position in the run. */
  index: number;
  problems: string[];
  mutator: string;
  request: string;
  response: string;
  log: string[];
}

/** The service locks an address after 60 failed key exchanges within a minute. */
const maxFailedExchanges = 50;

/** Sends generated requests one after another, most of them mutated. The same seed generates the same requests. */
export async function runFuzz(
  service: FuzzedService,
  { seed, requests }: { seed: number; requests: (operations: number) => number },
): Promise<FuzzReport> {
  const document = await fetchOpenapi(service.baseUrl);
  // Those of sessions take a cookie and the proof of a page.
  const operations = readOperations(document).filter(({ path }) => !path.startsWith('/api/openapi/session'));
  const wire = openWire(service.baseUrl);
  const files = await sampleFiles();
  const resources = await createResources({
    operations,
    wire,
    key: service.key,
    draw: createDraw(seed),
    files,
  });
  const check = createOracle(document);
  const plan = createPlan(operations);
  const coverage = createCoverage(operations);
  const [failures, rejected]: [Failure[], string[]] = [[], []];
  let failedExchanges: number[] = [];
  for (let index = 0; index < requests(operations.length); index++) {
    const draw = createDraw((seed * 1_000_003 + index) | 0);
    const { operation, mutator } = plan(draw);
    failedExchanges = failedExchanges.filter((time) => time > performance.now() - 60_000);
    if (operation.open && failedExchanges.length >= maxFailedExchanges) continue;
    const references = await resources.referencesFor(operation);
    const mutated = createRequest({ operation, mutator, resources, draw, references, files });
    const requestId = `fuzz-${seed}-${index}`;
    const sent = { ...mutated.wire, headers: ['x-request-id', requestId, ...mutated.wire.headers] };
    const request = formatRequest(sent);
    const response = await wire.send(sent).catch((error: unknown) => {
      throw new Error(`no response to ${request}`, { cause: error });
    });
    resources.record(operation, references, response);
    if (operation.open && response.status === 401) failedExchanges.push(performance.now());
    if (mutated.missesRoute !== true) coverage.count(operation, response.status);
    const shown = `${response.status} ${response.text.slice(0, 1000)}`;
    if (mutator === null && response.status !== 200) rejected.push(`${request} → ${shown}`);
    const problems = check({ operation, request: sent, requestId, response, ...mutated });
    if (problems.length === 0) continue;
    const log = await service.logOf(requestId);
    failures.push({ index, problems, mutator: mutator?.name ?? 'none', request, response: shown, log });
  }
  wire.close();
  return { table: coverage.table(), failures, gaps: coverage.gaps(), rejected };
}

function createRequest(options: {
  operation: ApiOperation;
  mutator: Mutator | null;
  resources: Resources;
  draw: Draw;
  references: Record<string, string | undefined>;
  files: SampleFiles;
}): MutatedRequest {
  const { operation, mutator, resources, draw, references, files } = options;
  const request = drawRequest(operation, references, draw, files);
  if (mutator !== null) return mutator.mutate({ request, draw, resources });
  const wire = encodeRequest(request, operation.open ? null : resources.tokens.global);
  return { wire, expect: allowedStatuses(operation) };
}
