import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proto } from 'baileys';
import { readContent } from './inbound-content.ts';
import { findUnknownField } from './unknown-content.ts';

type Kind = keyof proto.IMessage;
/** The text and the details of a message. Null: it has no content for people. */
type Expected = readonly [text: string, details?: object] | null;

const key = { id: 'TARGET', remoteJid: '901@lid', fromMe: false };
const about = 'TARGET';
const file = { mimetype: 'image/png', mediaKey: new Uint8Array(32), directPath: '/x', fileLength: 3 };
const hello: proto.IMessage = { conversation: 'hello' };
const wrapped: Expected = ['hello'];
const unsupported = (contentType: string, words = ''): Expected => [
  `[unsupported message: ${contentType}]${words && ` ${words}`}`,
  { type: 'unsupported', contentType },
];
const option = (optionName: string) => ({ optionName });
const poll = { name: 'Which day?', options: [option('Monday'), option('Tuesday')] };
const readPoll: Expected = [
  '[poll: Which day? (Monday, Tuesday)]',
  { type: 'poll', question: 'Which day?', options: ['Monday', 'Tuesday'] },
];
const reply = (type: string, words: string, choice: string): Expected => [words, { type, choice }];

const table: { readonly [K in Kind]-?: [value: NonNullable<proto.IMessage[K]>, expected: Expected] } = {
  conversation: ['hello', wrapped],
  extendedTextMessage: [{ text: 'a link' }, ['a link']],
  imageMessage: [{ ...file, caption: 'our bicycle' }, ['our bicycle']],
  videoMessage: [file, ['[video]', { type: 'video' }]],
  ptvMessage: [file, ['[video]', { type: 'video' }]],
  stickerMessage: [file, ['[sticker]', { type: 'sticker' }]],
  lottieStickerMessage: [{ message: { stickerMessage: file } }, ['[sticker]', { type: 'sticker' }]],
  stickerPackMessage: [{ name: 'Boats' }, ['[sticker pack: Boats]', { type: 'sticker' }]],
  audioMessage: [{ ...file, ptt: true }, ['[voice note]']],
  documentMessage: [{ ...file, fileName: 'a.pdf' }, ['[document a.pdf]']],
  documentWithCaptionMessage: [{ message: { documentMessage: { ...file, caption: 'prices' } } }, ['prices']],
  albumMessage: [
    { expectedImageCount: 3, expectedVideoCount: 1 },
    ['[album: 3 images, 1 videos]', { type: 'album' }],
  ],
  contactMessage: [
    { displayName: 'Ana', vcard: 'TEL:+15550199' },
    ['[contact: Ana +15550199]', { type: 'contacts', contacts: [{ name: 'Ana', vcard: 'TEL:+15550199' }] }],
  ],
  contactsArrayMessage: [
    { contacts: [{ displayName: 'Ana', vcard: '' }] },
    ['[contact: Ana]', { type: 'contacts', contacts: [{ name: 'Ana', vcard: '' }] }],
  ],
  locationMessage: [
    { degreesLatitude: 1.5, degreesLongitude: 2.5, name: 'Harbour' },
    ['[location: Harbour, 1.5, 2.5]', { type: 'location', latitude: 1.5, longitude: 2.5, name: 'Harbour' }],
  ],
  liveLocationMessage: [
    { degreesLatitude: 1.5, degreesLongitude: 2.5 },
    ['[location: 1.5, 2.5]', { type: 'live_location', latitude: 1.5, longitude: 2.5 }],
  ],
  buttonsResponseMessage: [
    { selectedButtonId: 'b1', selectedDisplayText: 'Yes' },
    reply('button_reply', 'Yes', 'b1'),
  ],
  listResponseMessage: [
    { title: 'Tandem', singleSelectReply: { selectedRowId: 'r1' } },
    reply('list_reply', 'Tandem', 'r1'),
  ],
  templateButtonReplyMessage: [
    { selectedId: 't1', selectedDisplayText: 'Book' },
    reply('template_reply', 'Book', 't1'),
  ],
  interactiveResponseMessage: [
    {
      body: { text: 'Sent' },
      nativeFlowResponseMessage: {
        name: 'flow',
        paramsJson: '{"flow_token":"x","date":"2026-12-01","people":2}',
      },
    },
    [
      'Sent\ndate: 2026-12-01\npeople: 2',
      {
        type: 'flow_reply',
        answers: [
          { name: 'date', value: '2026-12-01' },
          { name: 'people', value: '2' },
        ],
      },
    ],
  ],
  buttonsMessage: [
    { contentText: 'Choose', buttons: [{ buttonText: { displayText: 'Yes' } }] },
    ['Choose', { type: 'business_message', options: ['Yes'] }],
  ],
  listMessage: [
    { title: 'Menu', description: 'of today', sections: [{ rows: [{ title: 'Soup' }] }] },
    ['Menu\nof today', { type: 'business_message', options: ['Soup'] }],
  ],
  templateMessage: [
    {
      hydratedTemplate: {
        hydratedContentText: 'Your parcel',
        hydratedButtons: [{ urlButton: { displayText: 'Track' } }],
      },
    },
    ['Your parcel', { type: 'business_message', options: ['Track'] }],
  ],
  highlyStructuredMessage: [
    { hydratedHsm: { hydratedTemplate: { hydratedContentText: 'Your parcel' } } },
    ['Your parcel', { type: 'business_message' }],
  ],
  interactiveMessage: [
    {
      header: { title: 'Offer' },
      body: { text: 'Ten percent' },
      nativeFlowMessage: { buttons: [{ name: 'cta_url', buttonParamsJson: '{"display_text":"Shop"}' }] },
    },
    ['Offer\nTen percent', { type: 'business_message', options: ['Shop'] }],
  ],
  richResponseMessage: [
    { submessages: [{ messageText: 'An answer' }] },
    ['An answer', { type: 'business_message' }],
  ],
  productMessage: [
    {
      product: { title: 'Tandem', retailerId: 'T1', currencyCode: 'EUR', priceAmount1000: 25_000 },
      body: 'Is it free?',
    },
    [
      '[product: Tandem, 25 EUR]\nIs it free?',
      { type: 'product', items: [{ name: 'Tandem', id: 'T1', amount: 25, currency: 'EUR' }] },
    ],
  ],
  orderMessage: [
    {
      orderId: 'O1',
      token: 'secret',
      itemCount: 3,
      totalAmount1000: 55_500,
      totalCurrencyCode: 'EUR',
      message: 'for Monday',
    },
    [
      '[order: 3 items; total 55.5 EUR]\nfor Monday',
      { type: 'order', orderId: 'O1', itemCount: 3, amount: 55.5, currency: 'EUR' },
    ],
  ],
  sendPaymentMessage: [
    { noteMessage: { conversation: 'deposit' }, requestMessageKey: key },
    ['[payment]\ndeposit', { type: 'payment', about }],
  ],
  requestPaymentMessage: [
    {
      amount1000: 12_500,
      currencyCodeIso4217: 'BRL',
      noteMessage: { extendedTextMessage: { text: 'rest' } },
    },
    ['[payment request: 12.5 BRL]\nrest', { type: 'payment', amount: 12.5, currency: 'BRL' }],
  ],
  declinePaymentRequestMessage: [{ key }, ['[declined a payment request]', { type: 'payment', about }]],
  cancelPaymentRequestMessage: [{ key }, ['[cancelled a payment request]', { type: 'payment', about }]],
  paymentInviteMessage: [{ serviceType: 1 }, ['[payment invitation]', { type: 'payment' }]],
  invoiceMessage: [{ note: 'March' }, ['[invoice]\nMarch', { type: 'payment' }]],
  groupInviteMessage: [
    { groupName: 'Rowers', caption: 'join us' },
    ['[group invitation: Rowers] join us', { type: 'group_invite' }],
  ],
  pollCreationMessage: [poll, readPoll],
  pollCreationMessageV2: [poll, readPoll],
  pollCreationMessageV3: [poll, readPoll],
  pollCreationMessageV4: [{ message: { pollCreationMessageV3: poll } }, readPoll],
  pollCreationMessageV5: [
    { ...poll, pollType: 1, correctAnswer: option('Monday') },
    [
      '[quiz: Which day? (Monday, Tuesday); right: Monday]',
      { type: 'poll', question: 'Which day?', options: ['Monday', 'Tuesday'], correct: 'Monday' },
    ],
  ],
  pollResultSnapshotMessage: [
    { name: 'Which day?', pollVotes: [{ optionName: 'Monday', optionVoteCount: 2 }] },
    [
      '[poll result: Which day? (Monday: 2)]',
      { type: 'poll', question: 'Which day?', options: ['Monday: 2'] },
    ],
  ],
  pollResultSnapshotMessageV3: [
    { name: 'Which day?' },
    ['[poll result: Which day? ()]', { type: 'poll', question: 'Which day?', options: [] }],
  ],
  pollUpdateMessage: [{ pollCreationMessageKey: key }, ['[vote in a poll]', { type: 'poll_vote', about }]],
  pollCreationOptionImageMessage: [{ message: { imageMessage: { ...file, caption: 'Monday' } } }, ['Monday']],
  eventMessage: [
    { name: 'Tour', startTime: 1_764_576_000, description: 'Bring water' },
    [
      '[event: Tour, 2025-12-01T08:00:00.000Z]\nBring water',
      { type: 'event', startsAt: '2025-12-01T08:00:00.000Z' },
    ],
  ],
  encEventResponseMessage: [
    { eventCreationMessageKey: key },
    ['[reply to an event]', { type: 'event_reply', about }],
  ],
  scheduledCallCreationMessage: [
    { title: 'Tour', scheduledTimestampMs: 1_764_576_000_000, callType: 2 },
    [
      '[planned call: Tour, 2025-12-01T08:00:00.000Z]',
      { type: 'event', startsAt: '2025-12-01T08:00:00.000Z', video: true },
    ],
  ],
  scheduledCallEditMessage: [{ key }, ['[cancelled a planned call]', { type: 'event_reply', about }]],
  callLogMesssage: [{ callOutcome: 1, isVideo: true }, ['[missed call]', { type: 'call', video: true }]],
  reactionMessage: [{ key, text: '👍' }, ['[reaction 👍]', { type: 'reaction', emoji: '👍', about }]],
  encReactionMessage: [{ targetMessageKey: key }, ['[reaction]', { type: 'reaction', about }]],
  pinInChatMessage: [{ key, type: 1 }, ['[pinned a message]', { type: 'pin', about }]],
  keepInChatMessage: [{ key, keepType: 1 }, ['[kept a message]', { type: 'pin', about }]],
  protocolMessage: [{ key, type: 0 }, ['[deleted a message]', { type: 'deletion', about }]],
  editedMessage: [
    { message: { protocolMessage: { key, type: 14, editedMessage: hello } } },
    ['[edited] hello', { type: 'edit', about }],
  ],
  secretEncryptedMessage: [
    { targetMessageKey: key, secretEncType: 2 },
    [
      '[unsupported message: secretEncryptedMessage]',
      { type: 'unsupported', contentType: 'secretEncryptedMessage', about },
    ],
  ],
  commentMessage: [{ message: hello, targetMessageKey: key }, ['hello', { replyTo: about }]],
  encCommentMessage: [{ targetMessageKey: key }, unsupported('encCommentMessage')],
  questionResponseMessage: [{ key, text: 'blue' }, ['blue', { replyTo: about }]],
  statusQuestionAnswerMessage: [{ key, text: 'blue' }, ['blue', { replyTo: about }]],
  statusQuotedMessage: [{ text: 'blue' }, ['blue']],
  statusStickerInteractionMessage: [{ key }, unsupported('statusStickerInteractionMessage')],
  statusNotificationMessage: [{}, unsupported('statusNotificationMessage')],
  newsletterAdminInviteMessage: [{ caption: 'join' }, unsupported('newsletterAdminInviteMessage', 'join')],
  newsletterFollowerInviteMessageV2: [
    { caption: 'join' },
    unsupported('newsletterFollowerInviteMessageV2', 'join'),
  ],
  requestPhoneNumberMessage: [{}, unsupported('requestPhoneNumberMessage', 'asks for the phone number')],
  placeholderMessage: [{}, unsupported('placeholderMessage', 'only the phone shows it')],
  bcallMessage: [{ caption: 'live' }, unsupported('bcallMessage', 'live')],
  call: [{ conversionSource: 'ad' }, unsupported('call')],
  chat: [{ displayName: 'Rowers' }, unsupported('chat', 'Rowers')],
  ephemeralMessage: [{ message: hello }, wrapped],
  viewOnceMessage: [{ message: hello }, wrapped],
  viewOnceMessageV2: [{ message: hello }, wrapped],
  viewOnceMessageV2Extension: [{ message: hello }, wrapped],
  groupMentionedMessage: [{ message: hello }, wrapped],
  botInvokeMessage: [{ message: hello }, wrapped],
  eventCoverImage: [{ message: hello }, wrapped],
  statusMentionMessage: [{ message: hello }, wrapped],
  associatedChildMessage: [{ message: hello }, wrapped],
  groupStatusMentionMessage: [{ message: hello }, wrapped],
  statusAddYours: [{ message: hello }, wrapped],
  groupStatusMessage: [{ message: hello }, wrapped],
  groupStatusMessageV2: [{ message: hello }, wrapped],
  limitSharingMessage: [{ message: hello }, wrapped],
  botTaskMessage: [{ message: hello }, wrapped],
  questionMessage: [{ message: hello }, wrapped],
  botForwardedMessage: [{ message: hello }, wrapped],
  questionReplyMessage: [{ message: hello }, wrapped],
  deviceSentMessage: [{ message: hello, destinationJid: '901@lid' }, wrapped],
  senderKeyDistributionMessage: [{ groupId: 'g' }, null],
  fastRatchetKeySenderKeyDistributionMessage: [{ groupId: 'g' }, null],
  messageContextInfo: [{ messageSecret: new Uint8Array(32) }, null],
  stickerSyncRmrMessage: [{ filehash: ['x'] }, null],
  messageHistoryBundle: [{ mimetype: 'x' }, null],
  messageHistoryNotice: [{}, null],
};

/** A message as it arrives: encoded and decoded. */
const transmit = (message: proto.IMessage): proto.Message =>
  proto.Message.decode(proto.Message.encode(proto.Message.fromObject(message)).finish());

test('covers every kind of the library', () => {
  const defaults = Object.entries(proto.Message.prototype).filter(([, value]) => typeof value !== 'function');
  assert.deepEqual(Object.keys(table).toSorted(), defaults.map(([kind]) => kind).toSorted());
});

for (const [kind, [value, expected]] of Object.entries(table)) {
  test(`${expected === null ? 'skips' : 'reads'} ${kind}`, () => {
    const read = readContent(transmit({ [kind]: value }));
    const shown = read && [read.content.text, ...(read.details ? [read.details] : [])];
    assert.deepEqual(shown, expected);
    // Real messages have this part, too.
    const messageContextInfo = { messageSecret: new Uint8Array(32) };
    const inContext = readContent(transmit({ messageContextInfo, [kind]: value }));
    assert.equal(inContext?.content.text, read?.content.text);
  });
}

test('names the field of content that the library does not know', () => {
  const known = proto.Message.encode({ messageContextInfo: { messageSecret: new Uint8Array(32) } }).finish();
  // Field 999 with two bytes.
  const encoded = Buffer.concat([known, Buffer.from([0xba, 0x3e, 2, 1, 2])]);
  const decoded = proto.Message.decode(encoded);
  assert.equal(readContent(decoded), null);
  assert.equal(findUnknownField(encoded, decoded), 999);
  assert.equal(findUnknownField(known, proto.Message.decode(known)), null);
});

test('shows an envelope whose content the library does not know, and one that is nested too deeply', () => {
  assert.deepEqual(readContent(transmit({ viewOnceMessage: { message: {} } }))?.details, {
    type: 'unsupported',
    contentType: 'viewOnceMessage',
  });
  let nested = hello;
  for (let depth = 0; depth < 20; depth += 1) nested = { ephemeralMessage: { message: nested } };
  assert.equal(readContent(transmit(nested))?.details?.contentType, 'nested');
});

test('reads the choice of a button, and a reply with invalid fields', () => {
  const read = (name: string, paramsJson: string) => {
    const nativeFlowResponseMessage = { name, paramsJson };
    const reply = readContent(
      transmit({ interactiveResponseMessage: { body: { text: 'Yes' }, nativeFlowResponseMessage } }),
    );
    return [reply?.content.text, reply?.details];
  };
  assert.deepEqual(read('quick_reply', '{"id":"b1"}'), ['Yes', { type: 'button_reply', choice: 'b1' }]);
  assert.deepEqual(read('single_select', '{"id":"r1"}'), ['Yes', { type: 'list_reply', choice: 'r1' }]);
  for (const invalid of ['', '{', '[]', 'null', '7'])
    assert.deepEqual(read('flow', invalid), ['Yes', { type: 'flow_reply' }]);
});
