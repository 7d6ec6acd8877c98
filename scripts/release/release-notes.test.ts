import assert from 'node:assert/strict';
import { test } from 'node:test';
import { releaseNotes } from './release-notes.ts';

const changelog = `# Changelog

## [Unreleased]

### Added

- One thing.

## [0.1.0] - 2026-01-01

- The first version.
`;

test('moves the unreleased changes under the version and leaves the section empty', () => {
  const { text, notes } = releaseNotes(changelog, '0.2.0', '2026-12-01');
  assert.equal(notes, '### Added\n\n- One thing.\n');
  assert.equal(text, changelog.replace('## [Unreleased]\n', '## [Unreleased]\n\n## [0.2.0] - 2026-12-01\n'));
  assert.throws(() => releaseNotes(text, '0.3.0', '2026-12-02'), /lists no unreleased changes/);
});
