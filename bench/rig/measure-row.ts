import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FloorRow } from '../rows/row.ts';
import { computeMedians, defaultConnections, measurePairs } from './measure.ts';
import type { FloorOutcome } from './outcome.ts';
import { sharedEnvironment, startParley } from './parley-process.ts';
import type { Rig } from './rig.ts';
import { startServerProcess } from './server-process.ts';
import { countStatements } from './statement-count.ts';

const floors = fileURLToPath(new URL('../floors/', import.meta.url));

/** Starts Parley and the row's floor, and measures them in turn. */
export async function measureRow(row: FloorRow, rig: Rig): Promise<Omit<FloorOutcome, 'machine'>> {
  const { environment, generator, effort, directory } = rig;
  const { databaseUrl } = environment;
  await using ends = new AsyncDisposableStack();
  const parley = await startParley({
    ...rig,
    deployment: environment,
    log: row.name,
    roles: row.roles ?? 'api',
  });
  ends.defer(() => parley.stop());
  const floor = await startServerProcess({
    program: join(floors, row.floor),
    log: join(directory, `${row.name}-floor.log`),
    environment: sharedEnvironment(databaseUrl),
  });
  ends.defer(() => floor.stop());
  const request = await row.request({ ...parley, databaseUrl, deviceIds: environment.deviceIds });
  const connections = row.connections ?? defaultConnections;
  const targets = {
    floor: { server: floor, request, connections },
    parley: { server: parley, request, connections },
  };
  const pairs = await measurePairs(generator, targets, effort);
  const statements = {
    floor: await countStatements(environment.admin, floor.url, request),
    parley: await countStatements(environment.admin, parley.url, request),
  };
  const { name, operation, goal } = row;
  const load = { generator, connections, ...effort };
  return { name, operation, goal, load, medians: computeMedians(pairs), statements, pairs };
}
