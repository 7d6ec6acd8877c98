import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { sql } from 'kysely';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { eventually } from '../../../test/eventually.ts';
import { ExtractionError } from '../../knowledge/documents/extraction/extraction.ts';
import type { MessageContent } from '../../ports/messaging-network/messaging-network.ts';
import { ProviderError } from '../../ports/provider-error.ts';
import type { Speech } from '../../ports/speech/speech.ts';
import type { AnsweringOptions } from './answering.ts';

const app = await startChatApp();
const { context } = app;
const { db } = context;

/** The bytes of its voice notes are their text. An empty voice note cannot be transcribed. */
const speech: Speech = {
  synthesize: async (text) => {
    if (text === 'unspeakable') throw new Error('cannot');
    return { bytes: Buffer.from(text), seconds: 2.4, waveform: new Uint8Array(64) };
  },
  transcribe: async ({ bytes }) => {
    if (bytes.length === 0) throw new ProviderError('refused', 'cannot');
    return Buffer.from(bytes).toString();
  },
};

/** PDFs are plain text here. The extractor has its own tests. */
const extractor = {
  async extract({ bytes }: { bytes: Uint8Array }) {
    if (bytes.length === 0) throw new ExtractionError('unreadable', 'not a PDF');
    const text = Buffer.from(bytes).toString();
    return { sections: [{ page: 1, heading: null, text }], chars: text.length };
  },
};

const contact = '+15550199';
const opening = { questions: [{ question: 'When do you open?', answer: 'We open at nine.' }] };

const voice = (words: string): MessageContent => ({
  kind: 'voice',
  mimeType: 'audio/ogg',
  bytes: Buffer.from(words),
  seconds: 1,
  waveform: new Uint8Array(64),
});
const image = (caption: string): MessageContent => ({
  kind: 'image',
  mimeType: 'image/png',
  bytes: Buffer.from('png'),
  caption,
});
const pdf = (text: string, caption = ''): MessageContent => ({
  kind: 'document',
  mimeType: 'application/pdf',
  bytes: Buffer.from(text),
  fileName: 'receipt.pdf',
  caption,
});

/** Returns the reply to one message, the flag and the credits used. */
async function outcome(bot: object, content: MessageContent, options: Partial<AnsweringOptions> = {}) {
  const desk = await app.addDevice({ ...opening, ...bot });
  await app.write(desk, contact, content);
  const worker = app.startAnswering({ extractor, ...options });
  const [reply] = await app.untilReplied(desk, contact);
  await worker.close();
  const { flag } = await app.readConversation(desk, contact);
  return { desk, reply, flag, credits: await app.creditsUsed(desk) };
}

test('transcribes a voice note when the bot may and speech is configured, and stores the text', async () => {
  const { desk, reply, credits } = await outcome(
    { allow_user_audio_requests: true },
    voice('When do you\0 open?'),
    { speech },
  );
  assert.deepEqual([reply, credits], ['We open at nine.', 1]);
  assert.equal((await app.readChat(desk, contact))[0]?.text, 'When do you open?');
});

test('without transcription the bot asks for text, free of charge', async () => {
  const audio = voice('When do you open?');
  const listens = { allow_user_audio_requests: true };
  const cases = [
    [await outcome(listens, audio), /I can only read text/, 'audio_not_allowed'],
    [await outcome({}, audio, { speech }), /I can only read text/, 'audio_not_allowed'],
    [await outcome(listens, voice(''), { speech }), /I could not understand/, 'unsupported_content'],
    [await outcome({}, image('')), /I can only read text/, 'unsupported_content'],
    [
      await outcome({}, { kind: 'text', text: '[view-once message]' }),
      /I can only read text/,
      'unsupported_content',
    ],
    [
      await outcome({}, { kind: 'text', text: '[unsupported message: call]' }),
      /I can only read text/,
      'unsupported_content',
    ],
    [await outcome({}, pdf('anything')), /I can only read text/, 'unsupported_content'],
  ] as const;
  for (const [{ desk, reply, credits }, words, why] of cases) {
    assert.match(reply ?? '', words);
    assert.equal(credits, 0);
    assert.equal(await app.readOutcome(desk, contact), why);
  }
});

describe('several media that the bot cannot read', () => {
  /** Answers each message before the next one arrives. */
  async function answerEach(...contents: (string | MessageContent)[]) {
    const desk = await app.addDevice(opening);
    const worker = app.startAnswering({ extractor });
    const sentAt = new Date();
    for (const content of contents) {
      await app.write(desk, contact, content, { sentAt });
      await eventually(async () => {
        const chat = await app.readChat(desk, contact);
        assert.ok(chat.every(({ status }) => status !== 'received'));
      });
    }
    await worker.close();
    return desk;
  }

  const readReplies = async (desk: ChatDevice) =>
    (await app.readChat(desk, contact))
      .filter(({ direction }) => direction === 'out')
      .map(({ text }) => text);

  test('get one reply', async () => {
    const desk = await answerEach(image(''), image(''), image(''));
    const replies = await readReplies(desk);
    assert.equal(replies.length, 1);
    assert.match(replies[0] ?? '', /I can only read text/);
    const { body } = await app.api('GET', `/messages?device_id=${desk.deviceId}&direction=in`);
    assert.deepEqual(
      body.data.map(({ outcome }: { outcome: string }) => outcome),
      ['unsupported_content', 'unsupported_content', 'unsupported_content'],
    );
    assert.equal(await app.creditsUsed(desk), 0);
  });

  test('get none beside the answer to a question', async () => {
    const desk = await answerEach('When do you open?', image(''), voice('hello'));
    assert.deepEqual(await readReplies(desk), ['We open at nine.']);
  });

  test('get another one when the contact sends more of them later', async () => {
    const desk = await answerEach(image(''), 'When do you open?');
    await sql`
      update answers set created_at = created_at - interval '2 minutes' where device_id = ${desk.deviceId}`.execute(
      db,
    );
    await sql`
      update messages set sent_at = sent_at - interval '2 minutes' where device_id = ${desk.deviceId}`.execute(
      db,
    );
    await app.write(desk, contact, image(''));
    app.startAnswering({ extractor });
    await app.untilReplied(desk, contact, 3);
  });
});

test('asks for text, and says that it does not know, in the language of the conversation', async () => {
  const chats = [
    ['Olá, quando vocês abrem amanhã?', /^Só consigo ler texto/, 'Qual a capital da Austrália?', /^Desculpe/],
    [
      '¿Cuándo abren mañana por la mañana?',
      /^Solo puedo leer/,
      '¿Cuál es la capital de Australia?',
      /^Lo siento/,
    ],
    ['Bonjour, vous ouvrez quand demain ?', /^Je ne peux lire/, 'Quelle est la capitale ?', /^Désolé/],
    ['متى تفتحون غدا؟', /^يمكنني قراءة/, 'ما هي عاصمة أستراليا؟', /^عذرًا/],
    ['Когда вы завтра открываетесь?', /^Я умею читать/, 'Какая столица Австралии?', /^К сожалению/],
    ['你们明天几点开门？', /^我只能阅读文字/, '澳大利亚的首都是哪里？', /^抱歉/],
  ] as const;
  app.startAnswering({ extractor });
  await Promise.all(
    chats.map(async ([question, asksForText, other, isUnknown]) => {
      const desk = await app.addDevice({}, { locale: 'en' });
      await app.write(desk, contact, question);
      await app.untilReplied(desk, contact);
      await app.write(desk, contact, image(''), { sentAt: new Date(Date.now() + 60_000) });
      assert.match((await app.untilReplied(desk, contact, 2)).at(-1) ?? '', asksForText);
      await app.write(desk, contact, other);
      assert.match((await app.untilReplied(desk, contact, 3)).at(-1) ?? '', isUnknown);
    }),
  );
});

test('answers a caption as a question', async () => {
  const { desk, reply } = await outcome({}, image('When do you open?'));
  assert.equal(reply, 'We open at nine.');
  assert.equal(await app.readOutcome(desk, contact), 'answered');
});

test('sends answers as voice notes when the bot speaks, and as text when synthesis fails', async () => {
  const spoken = await outcome(
    { use_audio_responses: true },
    { kind: 'text', text: 'When do you open?' },
    { speech },
  );
  const [, voiceNote] = await app.readChat(spoken.desk, contact);
  assert.deepEqual([voiceNote?.kind, voiceNote?.text], ['voice', 'We open at nine.']);
  const media = await db
    .selectFrom('message_media')
    .innerJoin('messages', 'messages.id', 'message_media.message_id')
    .select(['bytes', 'seconds'])
    .where('device_id', '=', spoken.desk.deviceId)
    .executeTakeFirstOrThrow();
  assert.deepEqual([media.bytes?.toString(), media.seconds], ['We open at nine.', 2]);
  const unspeakable = {
    questions: [{ question: 'When?', answer: 'unspeakable' }],
    use_audio_responses: true,
  };
  const written = await outcome(unspeakable, { kind: 'text', text: 'When?' }, { speech });
  assert.equal((await app.readChat(written.desk, contact))[1]?.kind, 'text');
  const without = await outcome({ use_audio_responses: true }, { kind: 'text', text: 'When do you open?' });
  assert.equal((await app.readChat(without.desk, contact))[1]?.kind, 'text');
});

test('flags a conversation with a payment receipt when the bot captures payments', async () => {
  const receipt = 'Payment receipt\nFrom: Ana\nAmount: €40.00\nDate: 2026-11-12';
  const capturing = { capture_payments: true };
  for (const content of [pdf(receipt), image('Payment of €40.00 made'), pdf('', 'Payment of €40.00 made')]) {
    const { reply, flag, credits } = await outcome(capturing, content);
    assert.match(reply ?? '', /kept your payment receipt/);
    assert.deepEqual([flag, credits], ['payment_captured', 0]);
  }
  const { desk } = await outcome(capturing, pdf(receipt));
  const answer = await db
    .selectFrom('answers')
    .select('trace')
    .where('device_id', '=', desk.deviceId)
    .executeTakeFirstOrThrow();
  assert.deepEqual(answer.trace, {
    line: 'receipt_kept',
    payments: [{ amount: '€40.00', date: '2026-11-12', payer: 'Ana' }],
  });
});

test('records an event for each answer to a receipt', async () => {
  const { desk } = await outcome(
    { capture_payments: true, allow_human: true },
    image('Payment of €40.00 made'),
  );
  const answer = async (replies: number) => {
    const worker = app.startAnswering({ extractor });
    await app.untilReplied(desk, contact, replies);
    await worker.close();
  };
  await app.write(desk, contact, image('Payment of €50.00 made'));
  await answer(2);
  await app.write(desk, contact, image('Payment of €60.00 made'));
  await app.write(desk, contact, 'I want to talk to a person');
  await answer(3);
  const { rows } = await sql<{ ids: string }>`
    select data ->> 'conversation_id' as ids from events
    where type = 'payment.captured' and device_id = ${desk.deviceId}`.execute(db);
  const { id } = await app.readConversation(desk, contact);
  assert.deepEqual(
    rows.map(({ ids }) => ids),
    [id, id, id],
  );
});

test('reads a receipt later when no document reader was free', async () => {
  let attempts = 0;
  const busyAtFirst = {
    async extract(document: { bytes: Uint8Array }) {
      attempts += 1;
      if (attempts === 1) throw new ExtractionError('overloaded', 'too many wait');
      return extractor.extract(document);
    },
  };
  const { reply, flag } = await outcome({ capture_payments: true }, pdf('Payment receipt €40.00'), {
    extractor: busyAtFirst,
  });
  assert.match(reply ?? '', /kept your payment receipt/);
  assert.deepEqual([flag, attempts], ['payment_captured', 2]);
});

test('answers the contact although the document reader always crashes', async () => {
  const desk = await app.addDevice({ ...opening, capture_payments: true });
  await app.write(desk, contact, pdf('Payment receipt €40.00'));
  let attempts = 0;
  const worker = app.startAnswering({
    extractor: {
      async extract() {
        attempts += 1;
        // Skips the delays between attempts.
        await sql`update conversations set attempts = 4 where device_id = ${desk.deviceId}`.execute(db);
        throw new ExtractionError('interrupted', 'killed');
      },
    },
  });
  const [reply] = await app.untilReplied(desk, contact);
  await worker.close();
  assert.match(reply ?? '', /I can only read text/);
  assert.deepEqual([(await app.readConversation(desk, contact)).flag, attempts], [null, 2]);
});

test('finds no receipt when the bot captures none or there is none', async () => {
  assert.equal((await outcome({}, pdf('Payment receipt €40.00'))).flag, null);
  const capturing = { capture_payments: true };
  for (const content of [pdf('A manual'), pdf(''), image('')]) {
    const { reply, flag } = await outcome(capturing, content);
    assert.match(reply ?? '', /I can only read text/);
    assert.equal(flag, null);
  }
});

test('answers a question beside a receipt and keeps the receipt', async () => {
  const desk = await app.addDevice({ ...opening, capture_payments: true });
  await app.write(desk, contact, image('Payment of €40.00 made'));
  await app.write(desk, contact, 'When do you open?');
  const worker = app.startAnswering({ extractor });
  assert.deepEqual(await app.untilReplied(desk, contact), ['We open at nine.']);
  await worker.close();
  assert.equal((await app.readConversation(desk, contact)).flag, 'payment_captured');
});
