import '../test/unref-long-timers.ts';
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { eventually } from '../../../server/test/eventually.ts';
import { setUpDevices } from '../test/linked-devices.ts';

const contact = '+15550199';
const maxMediaBytes = 100_000;

describe('media', { timeout: 120_000 }, () => {
  const under = setUpDevices({ maxMediaBytes });
  const bytes = randomBytes(70_000);

  const kinds = [
    {
      media: { kind: 'image', mimetype: 'image/png', caption: 'a receipt' },
      kind: 'image',
      caption: 'a receipt',
    },
    {
      media: { kind: 'document', mimetype: 'application/pdf', fileName: 'a.pdf' },
      kind: 'document',
      fileName: 'a.pdf',
    },
    { media: { kind: 'audio', mimetype: 'audio/ogg', ptt: true, seconds: 7 }, kind: 'voice', seconds: 7 },
    { media: { kind: 'audio', mimetype: 'audio/mpeg', seconds: 7 }, kind: 'document', type: 'audio' },
    {
      media: { kind: 'video', mimetype: 'video/mp4', caption: 'look' },
      kind: 'document',
      type: 'video',
      caption: 'look',
    },
    { media: { kind: 'sticker', mimetype: 'image/webp' }, kind: 'image', type: 'sticker' },
  ];
  for (const [index, { media, type, ...expected }] of kinds.entries()) {
    it(`receives ${type ?? expected.kind}`, async () => {
      const { device, phone } = await under.link(`+1555800${index}`);
      await under.fake.writeMedia({ from: contact, to: phone }, media, bytes);
      const { content, details } = (await device.waitFor('inbound')).message;
      assert.ok(content.kind !== 'text' && bytes.equals(content.bytes));
      assert.deepEqual({ ...content, ...expected, mimeType: media.mimetype }, content);
      assert.equal(details?.type, type);
    });
  }

  it('delivers the caption of an image that is too large', async () => {
    const { device, phone } = await under.link('+15558010');
    const media = { kind: 'image', mimetype: 'image/png', caption: 'huge' };
    await under.fake.writeMedia({ from: contact, to: phone }, media, randomBytes(maxMediaBytes + 1));
    const { content, details } = (await device.waitFor('inbound')).message;
    assert.deepEqual(content, { kind: 'text', text: 'huge' });
    assert.equal(details?.missingMedia, 'too_large');
  });

  it('delivers later messages when media cannot be downloaded', async () => {
    const { device, phone } = await under.link('+15558011');
    await under.fake.injectFault(phone, 'media_down');
    await under.fake.writeMedia({ from: contact, to: phone }, { kind: 'document' }, bytes);
    await under.fake.write({ from: contact, to: phone, text: 'later' });
    await device.waitFor('inbound', 1);
    await under.fake.injectFault(phone, 'media_up');
    assert.deepEqual(device.texts(), ['[document file]', 'later']);
    assert.equal(device.all('inbound')[0]?.message.details?.missingMedia, 'unavailable');
  });

  it('downloads media again when the session ended before the message was stored', async () => {
    const { device, phone } = await under.link('+15558012');
    device.handlers.inbound = () => Promise.reject(new Error('not stored'));
    await under.fake.writeMedia({ from: contact, to: phone }, { kind: 'image' }, bytes);
    await device.waitFor('down');
    device.handlers = {};
    device.open(under.network);
    const { content } = (await device.waitFor('inbound', 1)).message;
    assert.ok(content.kind === 'image' && bytes.equals(content.bytes));
  });

  it('sends media again when the contact requests them, also after a restart', async () => {
    const { phone, send, restart } = await under.link('+15558013');
    const content = { kind: 'image', mimeType: 'image/png', bytes, caption: 'a picture' } as const;
    await send('picture', contact, content);
    await restart();
    await under.fake.injectFault(phone, 'forget_sessions');
    await under.fake.receipt(phone, contact, 'picture', 'retry');
    await eventually(async () => assert.equal((await under.entries('sent', 'picture')).length, 2));
    const [received] = await under.fake.received(contact, phone);
    assert.deepEqual(received, { id: 'picture', kind: 'image', text: 'a picture', bytes: bytes.length });
  });

  it('does not send a message whose media cannot be uploaded', async () => {
    const { phone, send } = await under.link('+15558014');
    await under.fake.injectFault(phone, 'media_down');
    const content = {
      kind: 'document',
      mimeType: 'application/pdf',
      bytes,
      fileName: 'a.pdf',
      caption: '',
    } as const;
    await assert.rejects(send('not uploaded', contact, content));
    await under.fake.injectFault(phone, 'media_up');
    await send('not uploaded', contact, content);
    assert.equal((await under.fake.received(contact, phone)).length, 1);
  });
});

const image = { kind: 'image', mimetype: 'image/png', caption: 'a receipt' };

describe('media of a host that does not respond in time', { timeout: 120_000 }, () => {
  const under = setUpDevices({ mediaDeadlineMs: 8000 });
  const bytes = randomBytes(20_000);
  const other = '+15550198';

  for (const [index, fault] of (['media_hang', 'media_trickle'] as const).entries())
    it(`hold their own chat until the deadline, and confirm and deliver others at once: ${fault}`, async () => {
      const { device, phone } = await under.link(`+1555820${index}`);
      await under.fake.injectFault(phone, fault);
      const file = await under.fake.writeMedia({ from: contact, to: phone }, image, bytes);
      await under.fake.injectFault(phone, 'media_up');
      await under.fake.write({ from: contact, to: phone, text: 'behind the file' });
      const texts = Array.from({ length: 5 }, (_, each) => `text ${each}`);
      for (const text of texts) await under.fake.write({ from: other, to: phone, text });
      await under.fake.writeMedia({ from: other, to: phone }, { ...image, caption: 'good' }, bytes);
      await device.waitFor('inbound', texts.length);
      assert.deepEqual(device.texts().slice(0, texts.length), texts);
      assert.deepEqual((await under.entries('delivered', file)).length, 1);
      await device.waitFor('inbound', texts.length + 2);
      const ofChat = device
        .all('inbound')
        .flatMap(({ message }) => (message.contactNumber === contact ? [message] : []));
      assert.deepEqual(
        ofChat.map(({ content, details }) => [content, details?.missingMedia]),
        [
          [{ kind: 'text', text: 'a receipt' }, 'unavailable'],
          [{ kind: 'text', text: 'behind the file' }, undefined],
        ],
      );
      const good = device.all('inbound').find(({ message }) => message.content.kind === 'image');
      assert.ok(good?.message.content.kind === 'image' && bytes.equals(good.message.content.bytes));
    });
});

describe('media that cannot be downloaded', { timeout: 120_000 }, () => {
  const under = setUpDevices({ mediaDeadlineMs: 2000 });
  const bytes = randomBytes(20_000);

  it('hold their chat for about one deadline, however many wait', async () => {
    const { device, phone } = await under.link('+15558210');
    await under.fake.injectFault(phone, 'media_hang');
    for (let count = 0; count < 10; count += 1)
      await under.fake.writeMedia({ from: contact, to: phone }, image, bytes);
    await under.fake.injectFault(phone, 'media_up');
    const since = performance.now();
    await device.waitFor('inbound', 9);
    assert.ok(performance.now() - since < 15_000, 'each file waited for a deadline of its own');
    const missing = device.all('inbound').map(({ message }) => message.details?.missingMedia);
    assert.deepEqual(new Set(missing), new Set(['unavailable']));
  });

  it('are not fetched from the target of a redirect', async () => {
    const { device, phone } = await under.link('+15558211');
    await under.fake.injectFault(phone, 'media_redirect');
    await under.fake.writeMedia({ from: contact, to: phone }, image, bytes);
    assert.equal((await device.waitFor('inbound')).message.details?.missingMedia, 'unavailable');
    await under.fake.injectFault(phone, 'media_up');
    assert.equal(await under.fake.redirected(), 0);
  });

  it('are uploaded again by the phone when they have expired', async () => {
    const { device, phone } = await under.link('+15558212');
    await under.fake.injectFault(phone, 'media_expire');
    const id = await under.fake.writeMedia({ from: contact, to: phone }, image, bytes);
    const { content } = (await device.waitFor('inbound')).message;
    await under.fake.injectFault(phone, 'media_up');
    assert.ok(content.kind === 'image' && bytes.equals(content.bytes));
    assert.equal((await under.entries('upload_request', id)).length, 1);
  });

  it('are missing when they have expired and the phone is offline', async () => {
    const { device, phone } = await under.link('+15558213');
    await under.fake.injectFault(phone, 'media_expire');
    await under.fake.injectFault(phone, 'phone_offline');
    await under.fake.writeMedia({ from: contact, to: phone }, image, bytes);
    assert.equal((await device.waitFor('inbound')).message.details?.missingMedia, 'unavailable');
    await under.fake.injectFault(phone, 'media_up');
  });

  it('are missing in messages that wait while the phone unlinks the device', async () => {
    const { device, phone } = await under.link('+15558214');
    await under.fake.injectFault(phone, 'media_hang');
    const id = await under.fake.writeMedia({ from: contact, to: phone }, image, bytes);
    await under.fake.injectFault(phone, 'media_up');
    await under.fake.write({ from: contact, to: phone, text: 'behind the file' });
    await eventually(async () => assert.equal((await under.entries('delivered', id)).length, 1));
    await under.fake.injectFault(phone, 'unlink');
    assert.equal((await device.waitFor('down')).reason, 'logged_out');
    assert.deepEqual(device.texts(), ['a receipt', 'behind the file']);
  });
});

describe('structured messages', { timeout: 120_000 }, () => {
  const under = setUpDevices();
  const key = { remoteJid: '15558100@s.whatsapp.net', fromMe: true, id: 'OURS' };
  const messages: [name: string, message: object, text: string, details: object][] = [
    [
      'a location',
      { locationMessage: { degreesLatitude: 52.5, degreesLongitude: 13.25, name: 'Gate' } },
      '[location: Gate, 52.5, 13.25]',
      { type: 'location', latitude: 52.5, longitude: 13.25, name: 'Gate' },
    ],
    [
      'a contact',
      { contactMessage: { displayName: 'Ann', vcard: 'BEGIN:VCARD\nTEL;waid=49:+49 170\nEND:VCARD' } },
      '[contact: Ann +49 170]',
      { type: 'contacts', contacts: [{ name: 'Ann', vcard: 'BEGIN:VCARD\nTEL;waid=49:+49 170\nEND:VCARD' }] },
    ],
    [
      'a poll',
      { pollCreationMessage: { name: 'When?', options: [{ optionName: 'Mon' }, { optionName: 'Tue' }] } },
      '[poll: When? (Mon, Tue)]',
      { type: 'poll', question: 'When?', options: ['Mon', 'Tue'] },
    ],
    [
      'a reaction',
      { reactionMessage: { key, text: '👍' } },
      '[reaction 👍]',
      { type: 'reaction', emoji: '👍', about: 'OURS' },
    ],
    [
      'an edit',
      { protocolMessage: { key, type: 14, editedMessage: { conversation: 'at nine' } } },
      '[edited] at nine',
      { type: 'edit', about: 'OURS' },
    ],
    [
      'a deletion',
      { protocolMessage: { key, type: 0 } },
      '[deleted a message]',
      { type: 'deletion', about: 'OURS' },
    ],
    [
      'a button reply',
      { buttonsResponseMessage: { selectedButtonId: 'b1', selectedDisplayText: 'Yes', type: 1 } },
      'Yes',
      { type: 'button_reply', choice: 'b1' },
    ],
    [
      'a list reply',
      { listResponseMessage: { title: 'Row', singleSelectReply: { selectedRowId: 'r1' } } },
      'Row',
      { type: 'list_reply', choice: 'r1' },
    ],
    [
      'a template reply',
      { templateButtonReplyMessage: { selectedId: 't1', selectedDisplayText: 'Book' } },
      'Book',
      { type: 'template_reply', choice: 't1' },
    ],
    [
      'a reply to a message',
      { extendedTextMessage: { text: 'this one', contextInfo: { stanzaId: 'OURS' } } },
      'this one',
      { replyTo: 'OURS' },
    ],
    [
      'a reply to a photo, with what the app of the contact says about it',
      {
        extendedTextMessage: {
          text: 'and this',
          contextInfo: { stanzaId: 'THEIRS', quotedMessage: { imageMessage: { caption: 'our bicycle' } } },
        },
      },
      'and this',
      { replyTo: 'THEIRS', quoted: { kind: 'image', text: 'our bicycle' } },
    ],
  ];

  it('arrive as text and as structure', async () => {
    const { device, phone } = await under.link('+15558100');
    for (const [index, [name, message, text, details]] of messages.entries()) {
      await under.fake.writeContent({ from: contact, to: phone }, message);
      const received = (await device.waitFor('inbound', index)).message;
      assert.deepEqual(received.content, { kind: 'text', text }, name);
      assert.deepEqual(received.details, details, name);
    }
  });
});
