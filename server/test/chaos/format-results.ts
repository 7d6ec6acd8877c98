import { percentile } from '../../../bench/rig/percentile.ts';
import { faultPoints } from '../../src/shared/fault-points.ts';
import type { Outcome } from './run-seed.ts';

/** The outcomes as a page: a line a seed, and how often each fault point was hit. */
export function formatResults(outcomes: readonly Outcome[]): string {
  const seeds = outcomes.map((outcome) =>
    row(
      outcome.plan.seed,
      outcome.wrong.length === 0 ? 'green' : 'red',
      faultsIn(outcome),
      listHits(outcome).join(', '),
      outcome.inbound,
      outcome.steps,
      seconds(outcome.recoveryMs),
      seconds(outcome.elapsedMs),
    ),
  );
  const hits = faultPoints.map((point) => row(`\`${point}\``, timesHit(outcomes, point)));
  return [
    row('seed', '', 'faults', 'fault points hit', 'inbound', 'deeds', 'recovery', 'in all'),
    row(...Array.from({ length: 8 }, () => '---')),
    ...seeds,
    '',
    `Recovery, from the end of the last fault until all was at rest: ${spread(outcomes.map(({ recoveryMs }) => recoveryMs))}.`,
    '',
    row('fault point', 'hits'),
    row('---', '---'),
    ...hits,
    '',
  ].join('\n');
}

/** Of the processes that ended at a fault point, where. */
export const listHits = ({ ends }: Pick<Outcome, 'ends'>): string[] =>
  ends.flatMap(({ point }) => point ?? []);

const timesHit = (outcomes: readonly Outcome[], point: string): number =>
  outcomes.flatMap(listHits).filter((hit) => hit === point).length;

function faultsIn({ plan: { faults } }: Outcome): string {
  const kinds = Map.groupBy(faults, ({ kind }) => kind);
  return [...kinds].map(([kind, of]) => (of.length === 1 ? kind : `${of.length} ${kind}`)).join(', ');
}

function spread(ms: readonly number[]): string {
  const at = (share: number) => seconds(percentile(ms, share));
  return `median ${at(0.5)}, p95 ${at(0.95)}, longest ${at(1)}`;
}

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`;
