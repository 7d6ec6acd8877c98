import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { type Envelope, SignalParty } from '../test/fake-network/signal-party.ts';
import { silenceSignalConsole } from './silence-signal-console.ts';

silenceSignalConsole(console);

const rounds = 10;
const messagesPerRound = 5;

interface End {
  party: SignalParty;
  /** As the other end knows it. */
  address: string;
}

const encrypt = (from: End, to: End, text: string): Promise<Envelope> =>
  from.party.encrypt(to.address, { conversation: text }, () => to.party.bundle());

/** Returns the text, or the error of a message that cannot be decrypted. */
const decrypt = async (to: End, from: End, envelope: Envelope): Promise<string> =>
  to.party.decrypt(from.address, envelope).then(({ conversation }) => conversation ?? '', String);

const createEnd = (user: number): End => ({ party: new SignalParty(), address: `${user}@lid` });

async function encryptAll(from: End, to: End, texts: readonly string[]): Promise<Envelope[]> {
  const envelopes: Envelope[] = [];
  for (const text of texts) {
    await setImmediate();
    envelopes.push(await encrypt(from, to, text));
  }
  return envelopes;
}

async function decryptAll(to: End, from: End, envelopes: readonly Envelope[]): Promise<string[]> {
  const texts: string[] = [];
  for (const envelope of envelopes) {
    await setImmediate();
    texts.push(await decrypt(to, from, envelope));
  }
  return texts;
}

/** In each round, both ends send before they receive. */
async function exchange(one: End, other: End): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const texts = Array.from({ length: messagesPerRound }, (_, n) => `${round} ${n}`);
    const toOther = await encryptAll(one, other, texts);
    // The other end sends and receives at once.
    const [toOne, readByOther] = await Promise.all([
      encryptAll(other, one, texts),
      decryptAll(other, one, toOther),
    ]);
    assert.deepEqual([readByOther, await decryptAll(one, other, toOne)], [texts, texts]);
  }
}

describe('messages that cross each other', () => {
  test('are readable when several devices of a process write to one contact', async () => {
    await Promise.all(
      [952, 953, 954].map(async (user) => {
        // The contact has a party for each device, because its own operations are not the subject.
        const [device, ofContact] = [createEnd(user), createEnd(951)];
        await decrypt(ofContact, device, await encrypt(device, ofContact, 'greeting'));
        await decrypt(device, ofContact, await encrypt(ofContact, device, 'greeting'));
        await exchange(ofContact, device);
      }),
    );
  });

  test('are readable when a new session reaches a contact whose message with the older one is under way', async () => {
    const [device, contact] = [createEnd(971), createEnd(972)];
    await decrypt(device, contact, await encrypt(contact, device, 'greeting'));
    await decrypt(contact, device, await encrypt(device, contact, 'greeting'));
    for (let round = 0; round < rounds; round += 1) {
      const older = await encrypt(contact, device, `older ${round}`);
      await device.party.begin(contact.address, contact.party.bundle());
      const first = await encrypt(device, contact, `first ${round}`);
      assert.equal(first.type, 'pkmsg');
      assert.equal(await decrypt(device, contact, older), `older ${round}`);
      const second = await encrypt(device, contact, `second ${round}`);
      assert.deepEqual(await decryptAll(contact, device, [first, second]), [
        `first ${round}`,
        `second ${round}`,
      ]);
    }
    await exchange(device, contact);
  });

  test('are readable when both sides begin a session at once', async () => {
    const [one, other] = [createEnd(961), createEnd(962)];
    const [first, second] = await Promise.all([encrypt(one, other, 'first'), encrypt(other, one, 'second')]);
    assert.equal(await decrypt(other, one, first), 'first');
    assert.equal(await decrypt(one, other, second), 'second');
    await exchange(one, other);
  });
});
