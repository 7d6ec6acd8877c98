import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RawBuilder, sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { toMonth } from '../../platform/shared/clock.ts';
import { type Claim, claimDue } from '../conversations/claims.sql.ts';
import { createMediaFiles } from '../messages/media-files.ts';
import { answerConversation } from './answer-conversation.ts';
import { selectConversationContexts } from './conversation-context.queries.ts';
import { createAnswerWriter } from './write-answers.ts';

const app = await startChatApp();
const { context } = app;
const { db } = context;
const contact = '+15550199';

async function claim(): Promise<Claim> {
  // Due times are rounded to milliseconds, sometimes into the future.
  return eventually(
    async () => (await claimDue(db, { limit: 1, leaseSeconds: 15 })).claims[0] ?? assert.fail('not due yet'),
  );
}

/** Answers like a worker that runs `meanwhile` after it has loaded the context. Returns the published notifications. */
async function answerSlowly(claimed: Claim, meanwhile: () => Promise<void>): Promise<string[]> {
  const published: string[] = [];
  await answerConversation(
    {
      ...context,
      callAction: app.callAction,
      modelDeadlineMs: 45_000,
      extractor: { extract: async () => ({ sections: [], chars: 0 }) },
      mediaFiles: createMediaFiles(context),
      writer: createAnswerWriter({ ...context, prices: context.config.MODEL_PRICES }),
      notifications: { publish: (topic, id) => published.push(`${topic} ${id}`) },
      async loadContext(of) {
        const [loaded] = await selectConversationContexts(db, [of], {
          month: toMonth(context.clock.now()),
          images: false,
        });
        if (loaded === undefined || loaded.paused || loaded.banned) await meanwhile();
        return loaded;
      },
      bots: {
        async load(botId) {
          const bot = await app.bots.load(botId);
          await meanwhile();
          return bot;
        },
        loadDraft: app.bots.loadDraft,
      },
    },
    claimed,
    new AbortController().signal,
  );
  return published;
}

const silences: {
  what: string;
  begin(desk: ChatDevice): RawBuilder<unknown>;
  end(desk: ChatDevice): RawBuilder<unknown>;
}[] = [
  {
    what: 'a pause',
    // Like a message that waited for the row lock while the pause began.
    begin: ({ deviceId }) => sql`update conversations set state = 'paused' where device_id = ${deviceId}`,
    end: ({ deviceId }) => sql`update conversations set state = 'bot' where device_id = ${deviceId}`,
  },
  {
    what: 'a ban',
    begin: ({ teamId }) => sql`update teams set banned = true where id = ${teamId}`,
    end: ({ teamId }) => sql`update teams set banned = false where id = ${teamId}`,
  },
  {
    what: 'the lack of a published version',
    begin: ({ botId }) => sql`update bots set live_version = null where id = ${botId}`,
    end: ({ botId }) => sql`update bots set live_version = 1 where id = ${botId}`,
  },
];

for (const { what, begin, end } of silences) {
  test(`answers a message written after ${what} ended, though the worker saw ${what}`, async () => {
    const desk = await app.addDevice({ questions: [{ question: 'Two?', answer: 'Three.' }] });
    await app.write(desk, contact, 'One?');
    await begin(desk).execute(db);
    const claimed = await claim();
    assert.equal(claimed.deviceId, desk.deviceId);
    const published = await answerSlowly(claimed, async () => {
      await end(desk).execute(db);
      await app.write(desk, contact, 'Two?');
    });
    const { answer_due_at, claimed_until } = await app.readConversation(desk, contact);
    assert.notEqual(answer_due_at, null);
    assert.equal(claimed_until, null);
    assert.deepEqual(published, [`conversation-due ${claimed.conversationId}`]);
    const worker = app.startAnswering();
    await app.untilReplied(desk, contact);
    await worker.close();
    assert.equal((await app.readChat(desk, contact))[1]?.status, 'answered');
  });

  test(`ignores waiting messages during ${what} and makes nothing due`, async () => {
    const desk = await app.addDevice();
    await app.write(desk, contact, 'One?');
    await begin(desk).execute(db);
    assert.deepEqual(await answerSlowly(await claim(), async () => undefined), []);
    const { answer_due_at, claimed_until } = await app.readConversation(desk, contact);
    assert.deepEqual([answer_due_at, claimed_until], [null, null]);
    assert.deepEqual(
      (await app.readChat(desk, contact)).map(({ status }) => status),
      ['ignored'],
    );
  });
}
