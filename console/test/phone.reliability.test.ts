import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { addLinkedDevice, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

const photo = await readFile(new URL('../../docs/images/console-home.png', import.meta.url));

describe('the simulated phone and the media of conversations', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Lumen Bikes' }, user });
    await rig.api.updateTeam({ id: team.id, settings: { reply_delay_seconds: 0 } });
    const questions = [{ question: 'Do you lend helmets?', answer: 'Yes, with every bike.' }];
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Lumen', questions });
    await rig.api.publishBot({ id: bot.id });
    for (const [name, phone] of [
      ['Front desk', '+15550100'],
      ['Workshop', '+15550101'],
    ] as const)
      await addLinkedDevice(rig, { team_id: team.id, bot_id: bot.id, name }, phone);
  });
  after(() => rig.close());

  it('chooses a phone by the name of its device, shows ticks, and sends pictures and documents', async () => {
    const opened = await rig.open('/phone');
    const { page, problems, close } = opened;
    await page.getByRole('link', { name: 'Workshop' }).click();
    await page.waitForURL(/device=/);
    await page.getByLabel('Message', { exact: true }).fill('Do you lend helmets?');
    await page.getByRole('button', { name: 'Send' }).click();
    const chat = page.getByRole('region', { name: 'Messages' });
    await chat.getByText('Yes, with every bike.').waitFor();
    await chat.getByText('Read', { exact: true }).waitFor();
    await page
      .getByLabel('Attach a file')
      .setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: photo });
    await chat.getByRole('img', { name: 'Image' }).waitFor();
    const text = Buffer.from('A day costs 20 euros.');
    await page
      .getByLabel('Attach a file')
      .setInputFiles({ name: 'prices.txt', mimeType: 'text/plain', buffer: text });
    await chat.getByRole('link', { name: 'Document' }).waitFor();
    await assertAccessible(opened, 'the phone');
    await takePicture(opened, 'phone');
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows the files in the conversation', async () => {
    const opened = await rig.open('/conversations');
    const { page, problems, close } = opened;
    await page.getByRole('link', { name: /^\+1555/ }).click();
    const thread = page.getByRole('region', { name: /^Messages with/ });
    const image = thread.getByRole('img', { name: 'Image' });
    await image.waitFor();
    // Evaluating a text in the page would violate its Content-Security-Policy.
    await page
      .locator('[aria-posinset] img')
      .first()
      .evaluate((image) => Reflect.get(image, 'decode').call(image));
    const downloading = page.waitForEvent('download');
    await thread.getByRole('button', { name: 'Download' }).click();
    const saved = await (await downloading).path();
    assert.equal(await readFile(saved, 'utf8'), 'A day costs 20 euros.');
    await assertAccessible(opened, 'a conversation with files');
    await takePicture(opened, 'conversation-media');
    assert.deepEqual(problems, []);
    await close();
  });

  it('has no accessibility problem, in both themes, wide and narrow', async () => {
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 360],
    ] as const) {
      const opened = await rig.open('/phone', { theme, width });
      await opened.page.getByRole('link', { name: 'Workshop' }).waitFor();
      await takePicture(opened, `phone-${theme}-${width}`);
      await assertAccessible(opened, `phone ${theme} ${width}`);
      assert.deepEqual(opened.problems, []);
      await opened.close();
    }
  });
});
