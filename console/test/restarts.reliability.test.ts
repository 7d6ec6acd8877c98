import assert from 'node:assert/strict';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createWorkingCopy } from '../../scripts/sabotage/working-copy.ts';
import { noChromium } from '../../server/test/chromium.ts';
import { addTeamWithBot, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

describe('a console whose service restarts', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let botId: string;
  before(async () => {
    rig = await startRig();
    ({ botId } = await addTeamWithBot(rig));
  });
  after(() => rig.close());

  it('opens a page when the service is back, and keeps what was typed', async () => {
    const opened = await rig.open(`/bots/${botId}`);
    const { page, problems, close } = opened;
    const loads = countLoads(page);
    await page.getByRole('textbox', { name: 'Instructions' }).fill('Half a sentence');
    await page.getByText('You have unsaved changes').waitFor();
    await rig.stop();
    await page.getByRole('link', { name: 'Plans' }).click();
    await page.getByRole('heading', { name: 'The service cannot be reached' }).waitFor();
    await assertAccessible(opened, 'the page that waits');
    await takePicture(opened, 'service-away');
    await rig.start();
    await page.getByRole('heading', { name: 'Plans', level: 1 }).waitFor();
    await page.goBack();
    const instructions = page.getByRole('textbox', { name: 'Instructions' });
    await instructions.waitFor();
    assert.equal(await instructions.inputValue(), 'Half a sentence');
    assert.equal(loads(), 0);
    assert.deepEqual(problems, []);
    await close();
  });

  it('leaves a half-filled dialog alone when a link under the pointer cannot load its page', async () => {
    const { page, problems, close } = await rig.open('/webhooks');
    await page.getByRole('button', { name: 'New webhook' }).first().click();
    await page.getByRole('dialog').getByRole('textbox').first().fill('https://shop.example.com/hook');
    await rig.stop();
    const failed = page.waitForEvent('requestfailed', (request) => /pools-page/.test(request.url()));
    // The dialog hides the menu from roles.
    await page.locator('a[href$="/pools"]').first().dispatchEvent('mouseover');
    await failed;
    await rig.start();
    const typed = page.getByRole('dialog').getByRole('textbox').first();
    assert.equal(await typed.inputValue(), 'https://shop.example.com/hook');
    assert.deepEqual(problems, []);
    await close();
  });

  it('reloads once after an upgrade, at the page that was asked for', async () => {
    const copy = await createWorkingCopy(process.cwd());
    try {
      // The page gets another content, and so another name.
      const newer = 'console/src/features/plans/plans.messages.ts';
      await appendFile(join(copy.root, newer), "\nplansMessages.en.title = 'Plans of the new version';\n");
      const opened = await rig.open(`/bots/${botId}`);
      const { page, problems, close } = opened;
      const loads = countLoads(page);
      await page.getByRole('textbox', { name: 'Instructions' }).fill('Before the upgrade');
      await page.getByText('You have unsaved changes').waitFor();
      await rig.stop();
      await rig.start({ command: [process.execPath, join(copy.root, 'server/src/main.ts')] });
      await page.getByRole('link', { name: 'Plans' }).click();
      await page.getByRole('heading', { name: 'Plans of the new version' }).waitFor();
      assert.equal(loads(), 1);
      await page.goto(`${rig.base}/console/bots/${botId}`);
      const instructions = page.getByRole('textbox', { name: 'Instructions' });
      await instructions.waitFor();
      assert.equal(await instructions.inputValue(), 'Before the upgrade');
      assert.deepEqual(problems, []);
      await close();
    } finally {
      await copy.remove();
    }
  });

  it('says so, after one reload, if the service is there but a part is not', async () => {
    const { page, close } = await rig.open('');
    const loads = countLoads(page);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.route(/pools-page/, (route) => route.fulfill({ status: 404, body: '' }));
    await page.getByRole('link', { name: 'Pools' }).click();
    await page.getByRole('alert').getByRole('button', { name: 'Try again' }).waitFor({ timeout: 60_000 });
    assert.equal(loads(), 1);
    await page.unroute(/pools-page/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Pools', level: 1 }).waitFor();
    await close();
  });
});

/** Counts the documents that the page loads from now on. */
function countLoads(page: { on(event: 'domcontentloaded', listener: () => void): unknown }): () => number {
  let loads = 0;
  page.on('domcontentloaded', () => {
    loads += 1;
  });
  return () => loads;
}
