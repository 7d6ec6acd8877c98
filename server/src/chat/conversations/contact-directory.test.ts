import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { eventually } from '../../../test/eventually.ts';
import { startTestContext } from '../../../test/harness.ts';
import { keyedHash } from '../../../test/keyed-hash.ts';
import { createOwnedDevice, transferOwnership } from '../../../test/owned-device.ts';
import type { Ownership } from '../../devices/session-state.sql.ts';
import { createGroupedRetries } from '../../platform/shared/grouped-retries.ts';
import { newId } from '../../platform/shared/ids.ts';
import { NotOwner } from '../../ports/messaging-network/messaging-network.ts';
import { claimDue, lockClaim } from './claims.sql.ts';
import { createContacts } from './contact-directory.ts';
import { selectConversations } from './conversations.queries.ts';
import { presentConversation } from './conversations.ts';
import { recordInbound } from './inbound.ts';
import { insertToolCalls } from './tool-calls.sql.ts';

const { db } = await startTestContext();
const deps = { db, retries: createGroupedRetries() };

const receive = (owner: Ownership, contactNumber: string, networkId = newId()) =>
  db.transaction().execute((tx) =>
    recordInbound(
      tx,
      owner,
      {
        networkId,
        contactNumber,
        fromMe: false,
        sentAt: new Date(),
        content: { kind: 'text', text: networkId },
      },
      keyedHash,
    ),
  );

async function conversations({ deviceId }: Ownership) {
  const { rows } = await sql<{ contact: string; messages: number; due: boolean }>`
    select contact_number as contact, answer_due_at is not null as due,
      (select count(*)::int from messages m where m.device_id = c.device_id and m.contact_number = c.contact_number)
        as messages
    from conversations c where device_id = ${deviceId} order by contact_number`.execute(db);
  return rows;
}

test('keeps the contact of an address that appears again with others', async () => {
  const contacts = createContacts(deps, await createOwnedDevice(db));
  const dialled = '+5511987650001';
  assert.equal(await contacts.identify({ number: dialled, addresses: ['551187650001@net'] }), dialled);
  const seen = { number: '+551187650001', addresses: ['77@lid', '551187650001@net'] };
  assert.equal(await contacts.identify(seen), dialled);
  assert.equal(await contacts.identify({ number: null, addresses: ['77@lid'] }), dialled);
  assert.notEqual(await contacts.findAddress(dialled), null);
  assert.equal(await contacts.findAddress('+15550000'), null);
});

test('moves messages to another form of a number to the contact who wrote under the first form', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  const [account, dialled] = ['+551187650002', '+5511987650002'];
  await contacts.identify({ number: account, addresses: ['551187650002@net'] });
  await receive(owner, account);
  await receive(owner, dialled);
  assert.equal(await contacts.identify({ number: dialled, addresses: ['551187650002@net'] }), account);
  assert.deepEqual(await conversations(owner), [{ contact: account, messages: 2, due: true }]);
  assert.equal(await contacts.findAddress(dialled), '551187650002@net');
});

test('does not merge a number that has another owner now', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  await contacts.identify({ number: '+15550161', addresses: ['61@lid', '15550161@net'] });
  await contacts.identify({ number: '+15550162', addresses: ['62@lid', '15550162@net'] });
  await receive(owner, '+15550161');
  await receive(owner, '+15550162');
  await contacts.identify({ number: '+15550162', addresses: ['61@lid'] });
  assert.equal((await conversations(owner)).length, 2);
  assert.equal(await contacts.identify({ number: null, addresses: ['62@lid'] }), '+15550162');
});

test('names a contact without a number by its id, and moves the chat when the number becomes known', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  assert.equal(await contacts.identify({ number: null, addresses: ['88@lid'] }), 'lid:88');
  await receive(owner, 'lid:88');
  const known = { number: '+15550188', addresses: ['88@lid', '15550188@net'] };
  assert.equal(await contacts.identify(known), '+15550188');
  assert.deepEqual(await conversations(owner), [{ contact: '+15550188', messages: 1, due: true }]);
  assert.equal(await contacts.identify({ number: null, addresses: ['88@lid'] }), '+15550188');
});

test('merges both chats of a contact, even when they hold the same message', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  await contacts.identify({ number: null, addresses: ['99@lid'] });
  await receive(owner, 'lid:99', 'same-id');
  await receive(owner, '+15550199', 'same-id');
  await receive(owner, '+15550199');
  await contacts.identify({ number: '+15550199', addresses: ['99@lid'] });
  assert.deepEqual(await conversations(owner), [{ contact: '+15550199', messages: 3, due: true }]);
  const { rows } = await sql<{ merged: string }>`
    select merged_contact as merged from contact_merges where device_id = ${owner.deviceId}`.execute(db);
  assert.deepEqual(rows, [{ merged: 'lid:99' }]);
});

/** Claims the due conversation of the device. */
async function claim({ deviceId }: Ownership) {
  await sql`
    update conversations set answer_due_at = now() - interval '1 second' where device_id = ${deviceId}`.execute(
    db,
  );
  const { claims } = await claimDue(db, { limit: 100, leaseSeconds: 60 });
  const found = claims.find((claimed) => claimed.deviceId === deviceId);
  assert.ok(found);
  return found;
}

test('takes the claim of a worker that answers the contact under its old id', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  await contacts.identify({ number: null, addresses: ['90@lid'] });
  await receive(owner, 'lid:90');
  const claimed = await claim(owner);
  await contacts.identify({ number: '+15550190', addresses: ['90@lid'] });
  assert.equal(await db.transaction().execute((tx) => lockClaim(tx, claimed)), false);
  const again = await claim(owner);
  assert.deepEqual([again.conversationId, again.contactNumber], [claimed.conversationId, '+15550190']);
});

test('keeps the tool calls of a chat that is merged into another one', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  await contacts.identify({ number: null, addresses: ['91@lid'] });
  await receive(owner, 'lid:91');
  const claimed = await claim(owner);
  const calls = { firstMessageId: newId(), position: 0, calls: [{}] };
  assert.equal(await insertToolCalls(db, claimed, calls), true);
  await receive(owner, '+15550191');
  await contacts.identify({ number: '+15550191', addresses: ['91@lid'] });
  const { rows } = await sql<{ contact: string }>`
    select c.contact_number as contact from tool_calls t join conversations c on c.id = t.conversation_id
    where t.first_message_id = ${calls.firstMessageId}`.execute(db);
  assert.deepEqual(rows, [{ contact: '+15550191' }]);
});

test('waits for an answer that holds the chat that it moves', async () => {
  const owner = await createOwnedDevice(db);
  let attempts = 0;
  const retries: typeof deps.retries = {
    ...deps.retries,
    run: (group, attempt) =>
      deps.retries.run(group, () => {
        attempts += 1;
        return attempt();
      }),
  };
  const contacts = createContacts({ db, retries }, owner);
  await contacts.identify({ number: null, addresses: ['92@lid'] });
  await receive(owner, 'lid:92');
  const claimed = await claim(owner);
  let identified: Promise<string> | undefined;
  await db.transaction().execute(async (tx) => {
    assert.ok(await lockClaim(tx, claimed));
    identified = contacts.identify({ number: '+15550192', addresses: ['92@lid'] });
    identified.catch(() => undefined);
    await eventually(async () => assert.ok(attempts > 2));
    // Answers lock their messages after the conversation.
    await sql`update messages set status = 'answered' where device_id = ${owner.deviceId}`.execute(tx);
  });
  assert.equal(await identified, '+15550192');
  assert.deepEqual(await conversations(owner), [{ contact: '+15550192', messages: 1, due: true }]);
});

test('shows the addresses of a contact and the contacts that were merged into it', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  await contacts.identify({ number: null, addresses: ['77@lid'] });
  await receive(owner, 'lid:77');
  const list = async () =>
    (
      await selectConversations(db, { kind: 'all' }, { device_id: owner.deviceId, page: 1, limit: 10 })
    ).rows.map((row) => presentConversation(row).contact);
  assert.deepEqual(await list(), [
    { name: null, labels: [], blocked: false, number: null, addresses: ['77@lid'], merged: [] },
  ]);
  await contacts.identify({ number: '+15550177', addresses: ['77@lid', '15550177@net'] });
  const [contact] = await list();
  assert.deepEqual(
    [contact?.number, contact?.addresses],
    ['+15550177', ['77@lid', '+15550177', '15550177@net']],
  );
  assert.deepEqual(
    contact?.merged.map(({ contact_number: number }) => number),
    ['lid:77'],
  );
});

test('records nothing for a pool that lost the device', async () => {
  const owner = await createOwnedDevice(db);
  const contacts = createContacts(deps, owner);
  await transferOwnership(db, owner);
  await assert.rejects(contacts.identify({ number: '+15550166', addresses: ['66@lid'] }), NotOwner);
  assert.equal(await contacts.findAddress('+15550166'), null);
});
