import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { recordMedia } from '../../../server/src/chat/messages/media.ts';
import { createMediaFiles } from '../../../server/src/chat/messages/media-files.ts';
import { enqueueReplies } from '../../../server/src/chat/messages/outbox.ts';
import { addTeamWithBot, newPhone } from '../../../server/test/devices.ts';
import { eventually } from '../../../server/test/eventually.ts';
import { startRig } from './rig.ts';

const contact = '+15550199';
const media = [
  { kind: 'image', mimeType: 'image/png', text: 'a caption' },
  { kind: 'voice', mimeType: 'audio/ogg; codecs=opus', text: null },
  { kind: 'document', mimeType: 'application/pdf', text: 'a caption' },
] as const;

describe('media that a pool sends', { timeout: 120_000 }, async () => {
  const rig = await startRig();
  const { fake, context } = rig;
  await rig.startPool();
  const owner = await addTeamWithBot(context.db);
  const phone = newPhone();
  const device = await rig.link(phone, owner);
  const files = createMediaFiles(context);

  for (const { kind, mimeType, text } of media)
    for (const size of [10_000, 100_000])
      test(`reach the contact: ${size} bytes as ${kind}`, async () => {
        const before = (await fake.received(contact, phone)).length;
        const bytes = await files.stage(owner.teamId, randomBytes(size));
        const id = await context.db.transaction().execute(async (tx) => {
          const [messageId = ''] = await enqueueReplies(tx, {
            teamId: owner.teamId,
            deviceId: device,
            contactNumber: contact,
            origin: 'person',
            answerId: null,
            requestId: null,
            parts: [{ text: 'a caption' }],
          });
          await sql`update messages set kind = ${kind} where id = ${messageId}`.execute(tx);
          const row = { messageId, position: 0, kind, mimeType, seconds: 3, waveform: new Uint8Array(64) };
          await recordMedia(tx, { ...row, bytes });
          return messageId;
        });
        const received = await eventually(async () => {
          const all = await fake.received(contact, phone);
          assert.equal(all.length, before + 1);
          return all.at(-1);
        });
        const networkId = id.replaceAll('-', '').toUpperCase();
        assert.deepEqual(received, { id: networkId, kind, text, bytes: size });
        await eventually(async () => {
          const { body } = await rig.api('GET', `/messages/${id}`);
          assert.equal(body.data.status, 'delivered');
        });
      });
});
