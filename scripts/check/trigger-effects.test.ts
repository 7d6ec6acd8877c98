import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findHiddenEffects } from './trigger-effects.ts';

const functions = `-- Room: chat
-- Effect: an event.
-- Watches: status, failure
create or replace function record() returns trigger language plpgsql as $$ begin return null; end $$;

create or replace trigger a after insert or update on messages
  for each row execute function record();
`;

const effects = (source: string) =>
  findHiddenEffects(
    new Map([
      ['server/schema/functions/record.sql', functions],
      ['server/src/chat/messages/a.queries.ts', source],
    ]),
  ).length;

test('reports a statement whose columns a trigger watches', () => {
  for (const statement of [
    'sql`insert into messages (id) values (1)`',
    "sql`update messages set sent_at = now(), status = 'sent' where id = 1`",
    "sql`with a as (update messages m set (sent_at, x) = (1, 2), failure = coalesce(m.failure, 'x') from b) select 1`",
    'sql`update messages set ' + '$' + '{changes} where id = 1`',
    "db.updateTable('messages').set({ status })",
    "db.insertInto('messages')",
  ]) {
    assert.equal(effects(`export const write = () => ${statement};`), 1, statement);
    assert.equal(
      effects(`/** Watched by record. */\nexport const write = () => ${statement};`),
      0,
      statement,
    );
  }
});

test('accepts statements that no trigger watches', () => {
  for (const statement of [
    'sql`update messages set claimed_until = now() where status = 1`',
    'sql`delete from messages where id = 1`',
    'sql`select from messages for update`',
    'sql`insert into a values (1) on conflict do update set status = 2`',
    'sql`update devices set status = 1`',
  ]) {
    assert.equal(effects(`export const write = () => ${statement};`), 0, statement);
  }
});
