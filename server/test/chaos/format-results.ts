import { percentile } from '../../../bench/rig/percentile.ts';
import { faultPoints } from '../../src/platform/shared/fault-points.ts';
import type { Outcome } from './run-seed.ts';

/** Returns Markdown: one row per seed, and the number of hits of each fault point. */
export function formatResults(outcomes: readonly Outcome[]): string {
  const seeds = outcomes.map((outcome) =>
    row(
      outcome.plan.seed,
      outcome.violations.length === 0 ? 'green' : 'red',
      formatFaults(outcome),
      listHits(outcome).join(', '),
      outcome.inbound,
      outcome.steps,
      seconds(outcome.recoveryMs),
      seconds(outcome.elapsedMs),
    ),
  );
  const hits = faultPoints.map((point) => row(`\`${point}\``, countHits(outcomes, point)));
  return [
    row('seed', '', 'faults', 'fault points hit', 'inbound', 'steps', 'recovery', 'total'),
    row(...Array.from({ length: 8 }, () => '---')),
    ...seeds,
    '',
    `Recovery from the end of the last fault until the system was idle: ${spread(outcomes.map(({ recoveryMs }) => recoveryMs))}.`,
    '',
    row('fault point', 'hits'),
    row('---', '---'),
    ...hits,
    '',
  ].join('\n');
}

/** Returns the fault points at which processes ended. */
export const listHits = ({ exits }: Pick<Outcome, 'exits'>): string[] =>
  exits.flatMap(({ point }) => point ?? []);

const countHits = (outcomes: readonly Outcome[], point: string): number =>
  outcomes.flatMap(listHits).filter((hit) => hit === point).length;

function formatFaults({ plan: { faults } }: Outcome): string {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  return [...kinds].map(([kind, of]) => (of.length === 1 ? kind : `${of.length} ${kind}`)).join(', ');
}

function spread(ms: readonly number[]): string {
  const at = (share: number) => seconds(percentile(ms, share));
  return `median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
