import { Type } from 'typebox';
import { because } from './because.ts';

const Limit = () => Type.Integer({ minimum: 0 });
const run = { run_id: Type.String({ format: 'uuid' }) };

/** Why a case or a run is refused, or a draft is not published. */
export const qualityReasons = {
  too_many_cases: because(400, 'The bot has `details.limit` cases.', 'Delete a case first.', {
    limit: Limit(),
  }),
  too_many_runs: because(
    400,
    '`details.limit` runs of the bot have not ended.',
    'Wait until one has ended.',
    { limit: Limit() },
  ),
  gate_running: because(
    400,
    'The run that decides whether the draft may be published has not ended.',
    'Publish again when the run `details.run_id` has ended. The event `run.finished` reports it.',
    run,
  ),
  gate_failed: because(
    400,
    'The draft did not pass the gate of the bot.',
    'Read the results of the run `details.run_id` and mend the draft. An owner may publish with an `override_reason`.',
    run,
  ),
  override_forbidden: because(
    400,
    'Only an owner may publish although the gate is closed.',
    'Ask an owner, or mend the draft.',
  ),
};
