import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import {
  addLinkedDevice,
  addTeamWithBot,
  assertAccessible,
  type Rig,
  startRig,
  takePicture,
  write,
} from './rig.ts';

const [device, ines] = ['+15550165', '+15550166'];
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);
interface Received {
  direction: string;
  kind: string;
  text: string | null;
  mime_type: string;
  bytes: number;
}

const photo = { name: 'tandem.png', mimeType: 'image/png', buffer: png };
const prices = {
  name: 'Prices 2027.pdf',
  mimeType: 'application/pdf',
  buffer: Buffer.from('%PDF-1.7 prices'),
};

// These run in the page. The tests have no types of a browser.
const createTransfer = (name: string, content: string) => `{
  const transfer = new DataTransfer();
  transfer.items.add(new File([${JSON.stringify(content)}], ${JSON.stringify(name)}, { type: 'text/plain' }));
  transfer;
}`;
const paste = new Function(
  'element',
  'clipboardData',
  "element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))",
) as (element: unknown, clipboardData: unknown) => void;
const recordTone = `navigator.mediaDevices.getUserMedia = async () => {
  const context = new AudioContext();
  const tone = context.createOscillator();
  const destination = context.createMediaStreamDestination();
  tone.connect(destination);
  tone.start();
  return destination.stream;
}; 0`;
const refuseMicrophone = `navigator.mediaDevices.getUserMedia = () =>
  Promise.reject(new DOMException('Permission denied', 'NotAllowedError')); 0`;

describe('files from the composer', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let conversation: string;

  before(async () => {
    rig = await startRig();
    const { teamId: team, botId } = await addTeamWithBot(rig);
    teamId = team;
    await rig.api.publishBot({ id: botId });
    await addLinkedDevice(rig, { team_id: teamId, bot_id: botId, name: 'Pier' }, device);
    await write(rig, { from: ines, to: device, text: 'May I see the tandem?' });
    conversation = await eventually(async () => {
      const [first] = (await rig.api.listConversations({ team_id: teamId })).data;
      assert.ok(first);
      return first.id;
    });
  });
  after(() => rig.close());

  /** Waits until the contact has this many messages from people, and returns the newest. */
  const received = (kind: string, text: string) =>
    eventually(async () => {
      const query = `contact=${encodeURIComponent(ines)}&device=${encodeURIComponent(device)}`;
      const response = await fetch(`${rig.base}/simulator/messages?${query}`);
      const { data } = (await response.json()) as { data: Received[] };
      const found = data.find((message) => {
        return message.direction === 'out' && message.kind === kind && (message.text ?? '') === text;
      });
      assert.ok(found, JSON.stringify(data));
      return found;
    });

  for (const width of [1280, 360])
    it(`sends chosen, pasted and dropped files and a voice note at ${width} pixels`, async () => {
      const opened = await rig.open(`/conversations/${conversation}`, { width });
      const { page, problems, close } = opened;
      const composer = page.getByLabel('Answer as a person');
      const files = page.getByRole('list', { name: 'Files to send' });
      const send = page.getByRole('button', { name: 'Send', exact: true });
      const thread = page.getByRole('region', { name: /^Messages with/ });
      const choose = page.locator('input[type=file]');
      const caption = `The blue one (${width})`;
      await composer.fill(caption);
      await choose.setInputFiles([photo, prices]);
      await files.getByText('Prices 2027.pdf').waitFor();
      await files.locator('img').waitFor();
      await assertAccessible(opened, 'a composer with files');
      await takePicture(opened, `composer-files-${width}`);
      await send.click();
      await files.waitFor({ state: 'detached' });
      assert.equal(await composer.inputValue(), '');
      assert.deepEqual(await received('image', caption).then((image) => image.mime_type), 'image/png');
      assert.deepEqual(await received('document', '').then((file) => file.bytes), prices.buffer.length);
      await thread.getByRole('img', { name: 'Image' }).first().waitFor();

      const pasted = await page.evaluateHandle(createTransfer('pasted.txt', 'a note'));
      await composer.evaluate(paste, pasted);
      await files.getByText('pasted.txt').waitFor();
      await page.getByRole('button', { name: 'Remove pasted.txt' }).click();
      const dropped = await page.evaluateHandle(createTransfer('dropped.txt', `dropped at ${width}`));
      await thread.dispatchEvent('dragover', { dataTransfer: dropped });
      await page.getByText('Drop files to send them').waitFor();
      await thread.dispatchEvent('drop', { dataTransfer: dropped });
      await files.getByText('dropped.txt').waitFor();
      await composer.fill(`Dropped (${width})`);
      await composer.press('Enter');
      await received('document', `Dropped (${width})`);

      // Real speech is not needed: the browser records a tone.
      await page.evaluate(recordTone);
      await page.getByRole('button', { name: 'Record a voice note' }).click();
      await page.getByText('Recording 0:02').waitFor();
      await assertAccessible(opened, 'a composer that records');
      await page.getByRole('button', { name: 'Finish the recording' }).click();
      await files.getByLabel('Voice note', { exact: true }).waitFor();
      await takePicture(opened, `composer-voice-${width}`);
      await send.click();
      await files.waitFor({ state: 'detached' });
      const voice = await received('voice', '');
      assert.match(voice.mime_type, /^audio\/ogg/);
      await thread.getByLabel('Voice note').last().waitFor();
      assert.deepEqual(problems, []);
      await close();
    });

  it('names the problem of a file, and keeps files and text until they are sent', async () => {
    const opened = await rig.open(`/conversations/${conversation}`);
    const { page, problems, close } = opened;
    const composer = page.getByLabel('Answer as a person');
    const files = page.getByRole('list', { name: 'Files to send' });
    const send = page.getByRole('button', { name: 'Send', exact: true });
    await page.locator('input[type=file]').setInputFiles([
      { name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) },
      { name: 'film.bin', mimeType: 'video/mp4', buffer: Buffer.alloc(16 * 1024 * 1024 + 1) },
    ]);
    await files.getByText('The file is empty.').waitFor();
    await files.getByText('Larger than 16 MB').waitFor();
    assert.ok(await send.isDisabled());
    await page.getByRole('button', { name: 'Remove empty.txt' }).click();
    await page.getByRole('button', { name: 'Remove film.bin' }).click();

    await page.locator('input[type=file]').setInputFiles(photo);
    await composer.fill('Look');
    await page.route('**/files', (route) => route.abort());
    await send.click();
    await files.getByRole('alert').waitFor();
    await assertAccessible(opened, 'a file that could not be sent');
    assert.equal(await composer.inputValue(), 'Look');
    await page.getByRole('link', { name: 'Contacts' }).first().click();
    await page.getByRole('heading', { name: 'Contacts', level: 1 }).waitFor();
    await page.goBack();
    await files.getByText('tandem.png').waitFor();
    assert.equal(await composer.inputValue(), 'Look');
    await page.unroute('**/files');
    await send.click();
    await files.waitFor({ state: 'detached' });
    await received('image', 'Look');

    await page.evaluate(refuseMicrophone);
    await page.getByRole('button', { name: 'Record a voice note' }).click();
    await page.getByText('The browser may not use a microphone').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('offers files in a portal to agents, not to viewers', async () => {
    for (const role of ['agent', 'viewer'] as const) {
      const { url } = await rig.api.createPortalLink({ team_id: teamId, role, pages: ['conversations'] });
      const { pathname, hash } = new URL(url);
      const { page, problems, close } = await rig.open(`${pathname.slice('/console'.length)}${hash}`, {
        token: null,
      });
      await page.getByRole('link', { name: ines }).click();
      await page.getByText('May I see the tandem?').last().waitFor();
      const attach = page.getByRole('button', { name: 'Attach files' });
      if (role === 'viewer') assert.equal(await attach.count(), 0);
      else {
        await page.locator('input[type=file]').setInputFiles({ ...photo, name: 'portal.png' });
        await page.getByLabel('Answer as a person').fill('From the portal');
        await page.getByRole('button', { name: 'Send', exact: true }).click();
        await received('image', 'From the portal');
      }
      assert.deepEqual(problems, []);
      await close();
    }
  });
});
