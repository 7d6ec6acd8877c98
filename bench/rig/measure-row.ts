import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Row } from '../rows/row.ts';
import type { LoadGenerator } from './load.ts';
import { type Effort, measurePairs, mediansOf } from './measure.ts';
import { type ParleyProcess, sharedEnvironment } from './parley-process.ts';
import { startServerProcess } from './server-process.ts';
import type { Stage } from './stage.ts';
import { countStatements } from './statement-count.ts';
import type { Outcome } from './table.ts';

const floors = fileURLToPath(new URL('../floors/', import.meta.url));

/** Starts the row's floor beside Parley and measures the two against one another. */
export async function measureRow(
  row: Row,
  given: {
    stage: Stage;
    parley: ParleyProcess;
    generator: LoadGenerator;
    effort: Effort;
    /** For logs. */
    directory: string;
  },
): Promise<Outcome> {
  const { stage, parley, generator, effort } = given;
  const request = row.request({ deviceIds: stage.deviceIds, key: parley.key, token: parley.token });
  const floor = await startServerProcess({
    program: join(floors, row.floor),
    log: join(given.directory, `${row.name}-floor.log`),
    environment: sharedEnvironment(stage.databaseUrl),
  });
  try {
    const targets = { floor: { server: floor, request }, parley: { server: parley, request } };
    const pairs = await measurePairs(generator, targets, effort);
    const statements = {
      floor: await countStatements(stage.admin, floor.url, request),
      parley: await countStatements(stage.admin, parley.url, request),
    };
    const { name, operation, goal } = row;
    return { name, operation, goal, medians: mediansOf(pairs), statements, pairs };
  } finally {
    await floor.stop();
  }
}
