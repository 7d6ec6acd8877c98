import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type ChatDevice, startChatApp } from '../../../test/chats.ts';
import { startFakeModels } from '../../../test/fake-models/fake-models.ts';
import type { FakeReply } from '../../../test/fake-models/protocol.ts';
import type { MessageContent } from '../../ports/messaging-network/messaging-network.ts';

const fakes = await startFakeModels();
after(() => fakes.stop());

const contact = '+15550199';
let apps = 0;

/** Starts an app whose bots answer with a model of its own. */
async function startSeeing(MODEL_VISION: 'true' | 'false') {
  apps += 1;
  const model = `eyes-${apps}`;
  const app = await startChatApp({
    environment: {
      ASSISTANT_PROVIDER: 'openai-compatible',
      MODEL_BASE_URL: `${fakes.url}/v1`,
      MODEL_LEVEL_1: model,
      MODEL_VISION,
    },
  });
  return {
    ...app,
    script: (...replies: FakeReply[]) => fakes.script(model, replies),
    /** The images of each of the contact's messages in the last request, as base64. */
    async lastImages(): Promise<string[][]> {
      const { messages } = (await fakes.requests(model)).at(-1)?.body ?? { messages: [] };
      return messages.flatMap(({ role, content }: { role: string; content: string | Part[] }) =>
        role === 'user' ? [typeof content === 'string' ? [] : content.flatMap(toBase64)] : [],
      );
    },
    lastBody: async () => JSON.stringify((await fakes.requests(model)).at(-1)?.body),
  };
}

interface Part {
  image_url?: { url: string };
}

const toBase64 = ({ image_url: image }: Part): string[] =>
  image === undefined ? [] : [image.url.replace(/^data:image\/png;base64,/, '')];

const seeing = await startSeeing('true');

const pngStart = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
/** The models here do not decode images. */
const png = (content: string, padding = 0): Buffer =>
  Buffer.concat([pngStart, Buffer.from(content), Buffer.alloc(padding)]);

const image = (bytes: Buffer, caption = ''): MessageContent => ({
  kind: 'image',
  mimeType: 'image/png',
  bytes,
  caption,
});

/** Returns the replies so far. */
async function reply(desk: ChatDevice, content: string | MessageContent, on = seeing): Promise<string[]> {
  const earlier = (await on.readChat(desk, contact)).filter(({ direction }) => direction === 'out').length;
  await on.write(desk, contact, content);
  const worker = on.startAnswering();
  const replies = await on.untilReplied(desk, contact, earlier + 1);
  await worker.close();
  return replies;
}

test('sends an image without a caption to the model', async () => {
  const desk = await seeing.addDevice();
  await seeing.script({ text: 'A red bicycle.' });
  assert.deepEqual(await reply(desk, image(png('bicycle'))), ['A red bicycle.']);
  assert.deepEqual(await seeing.lastImages(), [[png('bicycle').toString('base64')]]);
  assert.equal(await seeing.readOutcome(desk, contact), 'answered');
});

test('keeps an image in the history, with its caption', async () => {
  const desk = await seeing.addDevice();
  await reply(desk, image(png('without')));
  await reply(desk, image(png('with'), 'Is this yours?'));
  await reply(desk, 'And what does it cost?');
  const [first, second, last] = await seeing.lastImages();
  assert.deepEqual(
    [first, second, last],
    [[png('without').toString('base64')], [png('with').toString('base64')], []],
  );
  assert.ok((await seeing.lastBody()).includes('Is this yours?'));
  assert.ok(!(await seeing.lastBody()).includes('"text":""'));
});

test('sends only the newest images to the model', async () => {
  const desk = await seeing.addDevice();
  for (const number of [1, 2, 3, 4, 5]) await seeing.write(desk, contact, image(png(`photo ${number}`)));
  await reply(desk, 'Which one is yours?');
  const given = (await seeing.lastImages()).flat();
  assert.deepEqual(
    given,
    [2, 3, 4, 5].map((number) => png(`photo ${number}`).toString('base64')),
  );
});

test('keeps the images of a request below a total size', async () => {
  const desk = await seeing.addDevice();
  const large = [1, 2, 3].map((number) => png(`large ${number}`, 3_000_000));
  for (const bytes of large) await seeing.write(desk, contact, image(bytes));
  await reply(desk, 'Which one is yours?');
  assert.deepEqual(
    (await seeing.lastImages()).flat().map((given) => given.length),
    large.slice(1).map((bytes) => bytes.toString('base64').length),
  );
});

test('asks for text instead of an image that is too large or no image', async () => {
  for (const bytes of [png('huge', 3_500_001), Buffer.from('%PDF-1.7')]) {
    const desk = await seeing.addDevice();
    assert.match((await reply(desk, image(bytes)))[0] ?? '', /I could not understand/);
    assert.equal(await seeing.readOutcome(desk, contact), 'unsupported_content');
  }
});

test('the embedded composer says that it does not know an image when the model fails', async () => {
  const failing = await startSeeing('true');
  const desk = await failing.addDevice({
    questions: [{ question: 'When do you open?', answer: 'At nine.' }],
  });
  await failing.script({ error: { status: 401, code: 'invalid_api_key', message: 'Incorrect API key' } });
  assert.match((await reply(desk, image(png('bicycle')), failing))[0] ?? '', /do not know/);
});

test('sends no images to a model without MODEL_VISION', async () => {
  const blind = await startSeeing('false');
  const desk = await blind.addDevice();
  assert.match((await reply(desk, image(png('bicycle')), blind))[0] ?? '', /I can only read text/);
  assert.equal(await blind.readOutcome(desk, contact), 'unsupported_content');
  await blind.script({ text: 'It costs 150 euros.' });
  assert.equal((await reply(desk, image(png('bicycle'), 'Price?'), blind)).at(-1), 'It costs 150 euros.');
  assert.deepEqual((await blind.lastImages()).flat(), []);
});
