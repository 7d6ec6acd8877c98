import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { startTestContext } from '../../../test/harness.ts';
import { describeKnowledgeMove, needsBothPlaces } from './knowledge-place.ts';

const { db } = await startTestContext();
const noKey = { OPENAI_HOSTED_API_KEY: null, OPENAI_HOSTED_MODEL: null };
const hosted = { ...noKey, ASSISTANT_PROVIDER: 'openai-hosted' as const };
const local = { ...noKey, ASSISTANT_PROVIDER: 'embedded' as const };
const withKey = { ...local, OPENAI_HOSTED_API_KEY: 'sk-test', OPENAI_HOSTED_MODEL: 'gpt-5' };

test('lets an installation without bots and documents change where its knowledge is', async () => {
  assert.equal(await needsBothPlaces(db, hosted), false);
  assert.equal(await describeKnowledgeMove(db, hosted), null);
  assert.equal(await needsBothPlaces(db, local), false);
});

test('requires the key of OpenAI until nothing is there', async () => {
  // A deletion that is not confirmed yet concerns the provider that holds the object.
  await sql`insert into tombstones (id, team_id, kind, ref)
    values (gen_random_uuid(), gen_random_uuid(), 'document', 'file-a')`.execute(db);
  await sql`update installation set knowledge_place = 'openai'`.execute(db);
  await assert.rejects(needsBothPlaces(db, local), {
    name: 'KnowledgeElsewhere',
    message: /set OPENAI_HOSTED_API_KEY and OPENAI_HOSTED_MODEL until all are moved/,
  });
  assert.equal(await needsBothPlaces(db, withKey), true);
  assert.equal(await needsBothPlaces(db, { ...local, ASSISTANT_PROVIDER: 'openai' }), true);
  await sql`update installation set knowledge_place = 'database'`.execute(db);
  assert.equal(await needsBothPlaces(db, local), false);
  await sql`insert into openai_objects (installation_id, kind, operation, content_hash, ref)
    values ('test', 'knowledge', 'create', '-', 'vs_a')`.execute(db);
  assert.equal(await needsBothPlaces(db, withKey), true);
  assert.deepEqual(await describeKnowledgeMove(db, withKey), {
    to: 'database',
    begun: true,
    teams: 0,
    teams_left: 0,
    objects_left_at_openai: 1,
    failure: null,
  });
});
