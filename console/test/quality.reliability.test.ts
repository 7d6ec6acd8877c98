import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import { addAnsweringBot, ask, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

const device = '+15550180';
const pair = { question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' };

describe('cases, runs and the gate in the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let botId: string;

  before(async () => {
    rig = await startRig({ DISCLOSURE_DEFAULT: 'off', DISCLOSURE_OFF_REASON: 'tests' });
    ({ teamId, botId } = await addAnsweringBot(rig, { questions: [pair] }, device));
  });
  after(() => rig.close());

  const askForPrice = (from: string) => ask(rig, { from, to: device, text: 'what does a tandem cost?' });

  it('leads from a wrong answer to a case, a refused draft, a mended draft and a publish', async () => {
    const { id, reply } = await askForPrice('+15550181');
    assert.equal(reply, pair.answer);
    const opened = await rig.open(`/conversations/${id}`);
    const { page, problems, close } = opened;

    // The inbox: one click makes the case.
    const thread = page.getByRole('region', { name: /^Messages with/ });
    await thread.getByRole('button', { name: 'Make a case' }).click();

    // The page of the bot, which the user does not leave any more.
    const dialog = page.getByRole('dialog', { name: 'Case' });
    await dialog.getByRole('combobox', { name: 'Check 1' }).filter({ hasText: 'is from the pair' }).waitFor();
    await dialog.getByRole('button', { name: 'Add a check' }).click();
    await dialog.getByLabel('Value of check 2').fill('50 euros');
    await assertAccessible(opened, 'the dialog of a case');
    await takePicture(opened, 'quality-case');
    await dialog.getByRole('button', { name: 'Save the case' }).click();
    await dialog.waitFor({ state: 'detached' });

    await page.getByRole('switch', { name: 'Check drafts before they are published' }).click();
    await page.getByRole('button', { name: 'Save the gate' }).click();
    await page.getByText('Gate saved').first().waitFor();
    assert.equal((await rig.api.getGate({ id: botId })).gate?.min_pass, 1);

    await page.getByRole('button', { name: 'Run on the draft' }).click();
    const results = page.getByRole('region', { name: 'Results' });
    await results.getByText('the answer does not contain “50 euros”').waitFor({ timeout: 60_000 });
    await results.getByText(pair.answer).first().waitFor();

    const changeAnswer = async (answer: string) => {
      await page.getByRole('tab', { name: /^Questions/ }).click();
      await page.getByLabel('Answer 1').fill(answer);
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
    };
    await changeAnswer('A tandem costs 45 euros a day.');
    const refusal = page.getByRole('dialog', { name: 'The gate is closed' });
    await refusal.waitFor({ timeout: 60_000 });
    await assertAccessible(opened, 'a closed gate');
    await takePicture(opened, 'quality-gate-closed');
    assert.equal((await rig.api.getBot({ id: botId })).published, false);
    await refusal.getByRole('button', { name: 'Show results' }).click();
    await results.getByText('A tandem costs 45 euros a day.').waitFor();
    await assertAccessible(opened, 'the results of a run');
    await takePicture(opened, 'quality-results');
    const download = page.waitForEvent('download');
    await results.getByRole('button', { name: 'Export' }).click();
    const table = await readFile(await (await download).path(), 'utf8');
    assert.match(table, /^\uFEFFname,outcome,before,now,reasons\r\n/);
    assert.match(table, /Failed,.*40 euros.*45 euros.*does not contain “50 euros”/);

    await changeAnswer('A tandem costs 50 euros a day.');
    await page
      .getByText('Published. Contacts get this version from now on.')
      .first()
      .waitFor({ timeout: 60_000 });
    assert.equal((await askForPrice('+15550182')).reply, 'A tandem costs 50 euros a day.');
    assert.deepEqual(problems, []);
    await close();
  });

  it('lets an owner publish although the gate is closed, on a phone', async () => {
    await rig.api.putGate({ id: botId, min_pass: 1, max_worse: 0, sources: ['cases'] });
    await rig.api.createCase({
      id: botId,
      messages: [{ role: 'contact', text: 'Who are you?' }],
      checks: [{ kind: 'contains', text: 'a text that no answer has' }],
    });
    await rig.api.updateBot({ id: botId, description: 'Changed' });
    const opened = await rig.open(`/bots/${botId}?tab=quality`, { width: 360, theme: 'dark' });
    const { page, problems, close } = opened;
    await page.getByRole('button', { name: 'Who are you?' }).waitFor();
    await assertAccessible(opened, 'the quality of a bot, on a phone');
    await takePicture(opened, 'quality-phone');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    const refusal = page.getByRole('dialog', { name: 'The gate is closed' });
    await refusal.waitFor({ timeout: 60_000 });
    await refusal.getByLabel('Reason to publish anyway').fill('The shop opens tomorrow');
    await refusal.getByRole('button', { name: 'Publish anyway' }).click();
    await refusal.waitFor({ state: 'detached' });
    assert.equal((await rig.api.getBot({ id: botId })).published, true);
    assert.deepEqual(problems, []);
    await close();
  });

  it('names the contacts who get the draft', async () => {
    await rig.api.updateBot({ id: botId, questions: [{ ...pair, answer: 'Ask at the desk.' }] });
    const opened = await rig.open(`/bots/${botId}?tab=quality`);
    const { page, problems, close } = opened;
    await page.getByLabel('Phone numbers').fill('+15550185\n+15550186');
    await page.getByRole('button', { name: 'Save the testers' }).click();
    await page.getByText('Changes saved').first().waitFor();
    assert.equal((await askForPrice('+15550185')).reply, 'Ask at the desk.');
    assert.notEqual((await askForPrice('+15550187')).reply, 'Ask at the desk.');
    assert.deepEqual(problems, []);
    await close();
  });

  it('adds cases from a CSV, and proposed ones', async () => {
    const opened = await rig.open(`/bots/${botId}?tab=quality`);
    const { page, problems, close } = opened;
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import CSV' }).click();
    const buffer = Buffer.from('question,contains,max_ms\nDo you rent boats?,no,\nWhen?,,soon\n');
    await (await chooser).setFiles({ name: 'cases.csv', mimeType: 'text/csv', buffer });
    await page.getByText('1 case imported').first().waitFor();
    await page.getByText('Line 3: max_ms must be a number').first().waitFor();
    await page.getByRole('button', { name: 'Do you rent boats?' }).waitFor();
    await page.getByRole('button', { name: 'Propose' }).click();
    await page.getByRole('button', { name: pair.question, exact: true }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows cases and results to a viewer, who cannot change anything', async () => {
    const key = await rig.api.createApiKey({ name: 'V', scope: 'team', team_id: teamId, role: 'viewer' });
    const credentials = { key_id: key.key_id, key_secret: key.key_secret };
    const token = await createParley({ baseUrl: rig.base, key: credentials }).getToken();
    const { page, close } = await rig.open(`/bots/${botId}?tab=quality`, { token });
    await page.getByRole('button', { name: 'Show results' }).first().click();
    await page.getByRole('region', { name: 'Results' }).getByText('Who are you?').first().waitFor();
    for (const name of ['New case', 'Run on the draft', 'Save the gate', 'Publish'])
      assert.equal(await page.getByRole('button', { name, exact: true }).count(), 0, name);
    await close();
  });
});
