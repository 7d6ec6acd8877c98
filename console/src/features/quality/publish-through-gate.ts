import { isParleyError } from '@parley/sdk';
import { api } from '../../api/client.ts';
import { hasEnded } from './quality.queries.ts';

const pollMs = 500;

/** Publishes a bot when the run that its gate starts has ended. Throws `gate_failed` if the gate stays closed. */
export async function publishThroughGate(id: string): Promise<void> {
  try {
    await api.publishBot({ id });
  } catch (error) {
    if (!isParleyError(error, 'gate_running')) throw error;
    const run = await untilEnded(error.details.run_id);
    if (run.state === 'failed') throw new Error(run.error ?? error.message);
    await publishThroughGate(id);
  }
}

async function untilEnded(id: string) {
  for (;;) {
    const run = await api.getRun({ id });
    if (hasEnded(run)) return run;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}
