import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { actionIssues } from '../../knowledge/bots/action-rules.ts';
import { resolveActions } from '../../knowledge/bots/bot-actions.ts';
import { actionRequest } from './action-request.ts';

const withNumber = (value: string) => ({
  name: 'Order',
  endpoint: 'https://example.com/',
  method: 'POST' as const,
  body: [{ key: 'n', value, type: 'number' as const }],
});

function isJsonNumber(text: string): boolean {
  try {
    return text.trim() === text && typeof JSON.parse(text) === 'number';
  } catch {
    return false;
  }
}

test('accepts number literals by the syntax of JSON only', () => {
  const digits = fc.string({ unit: fc.constantFrom(...'0123456789+-.eExN '), minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.oneof(digits, fc.constantFrom('1e400', '-0', '12345678901234567890')), (value) => {
      const input = withNumber(value);
      const accepted = [...actionIssues([input])].length === 0;
      assert.equal(accepted, isJsonNumber(value));
      if (!accepted) return;
      for (const action of resolveActions([input], [])) {
        assert.equal(actionRequest(action, {}).body, `{"n":${value}}`);
      }
    }),
    { numRuns: 1000 },
  );
});
