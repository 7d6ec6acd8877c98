import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findLastRelease } from './last-release.ts';
import type { FigureOutcome } from './outcome.ts';
import { formatResults } from './table.ts';

const measuredOn = (date: string): FigureOutcome => ({
  name: date,
  work: `work of ${date}`,
  figures: [{ figure: 'time', value: 1, unit: ' s' }],
  machine: {
    cpu: 'a',
    cores: 2,
    memoryGiB: 8,
    platform: 'linux x64',
    node: 'v24',
    postgres: '18',
    commit: 'abc1234',
    date,
  },
  load: { generator: 'wrk', connections: 1, pairs: 1, secondsEach: 1, warmUpSeconds: 1 },
});

test('marks figures that were measured before the last release', () => {
  const changelog = '## [Unreleased]\n\n## [0.2.0] - 2026-11-24\n\n## [0.1.0] - 2026-11-22\n';
  const release = findLastRelease(changelog);
  assert.deepEqual(release, { version: '0.2.0', date: '2026-11-24' });
  const table = formatResults([measuredOn('2026-11-23'), measuredOn('2026-11-25')], release);
  assert.match(table, /work of 2026-11-23 .* abc1234, 2026-11-23, OLDER than 0\.2\.0 \|/);
  assert.match(table, /work of 2026-11-25 .* abc1234, 2026-11-25 \|/);
});

test('marks nothing before the first release', () => {
  assert.equal(findLastRelease('## [Unreleased]\n'), null);
  assert.doesNotMatch(formatResults([measuredOn('2026-11-23')], null), /OLDER/);
});
