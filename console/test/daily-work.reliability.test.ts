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

const device = '+15550171';
const contacts = Array.from({ length: 3 }, (_, index) => `+1555018${index}`);
const widths = [1280, 360];

describe('daily work', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let botId: string;

  before(async () => {
    rig = await startRig();
    const questions = [{ question: 'When do you open?', answer: 'We open at nine.' }];
    ({ teamId, botId } = await addTeamWithBot(rig, { allow_human: true, questions }));
    await addLinkedDevice(rig, { team_id: teamId, bot_id: botId, name: 'Pier' }, device);
  });
  after(() => rig.close());

  for (const width of widths)
    it(`keeps the opening hours of a team at ${width} pixels`, async () => {
      const { updated_at: before } = await rig.api.getHours({ id: teamId });
      await rig.api.putHours({ id: teamId, expected_updated_at: before });
      const opened = await rig.open(`/teams/${teamId}?tab=settings`, { width });
      const { page, problems, close } = opened;
      await page.getByRole('switch', { name: 'People are there at certain times only' }).click();
      const monday = page.getByLabel('Monday');
      await monday.fill('9-13, 12');
      await page.getByText('Write times in order').waitFor();
      const save = page.getByRole('button', { name: 'Save the hours' });
      assert.ok(await save.isDisabled());
      await assertAccessible(opened, 'hours that cannot be read');
      await monday.fill('9-13, 15-18:30');
      await page.getByRole('button', { name: 'Add a day' }).click();
      await page.getByLabel('Date', { exact: true }).fill('2030-12-24');
      await page.getByLabel('Text while closed').fill('We write to you on Monday.');
      await assertAccessible(opened, 'the opening hours');
      await takePicture(opened, `hours-${width}`);
      await save.click();
      await page.getByText('Saved').first().waitFor();
      const { hours } = await rig.api.getHours({ id: teamId });
      assert.deepEqual(hours?.week.monday, [
        { from: '09:00', until: '13:00' },
        { from: '15:00', until: '18:30' },
      ]);
      assert.deepEqual(hours?.exceptions, [{ date: '2030-12-24', times: [] }]);
      await page.reload();
      assert.equal(await page.getByLabel('Monday').inputValue(), '09:00-13:00, 15:00-18:30');
      assert.deepEqual(problems, []);
      await close();
    });

  it('answers all that waits after the bot is published, from the inbox and from the bot', async () => {
    for (const contact of contacts)
      await write(rig, { from: contact, to: device, text: 'When do you open?' });
    const count = async () => (await rig.api.getWaiting({ id: botId })).waiting;
    await eventually(async () => assert.equal(await count(), contacts.length));
    const thread = await rig.open(`/conversations?flag=unanswered&team=${teamId}`);
    await thread.page.getByRole('link', { name: contacts[0] ?? '' }).click();
    await thread.page.getByRole('link', { name: 'Go to the bot' }).click();
    await thread.page.getByRole('button', { name: 'Publish' }).click();
    await eventually(async () => assert.equal((await rig.api.getBot({ id: botId })).published, true));
    assert.deepEqual(thread.problems, []);
    await thread.close();
    for (const width of widths) {
      const opened = await rig.open(`/conversations?flag=unanswered&team=${teamId}`, { width });
      const { page, problems, close } = opened;
      await page.getByText('3 conversations wait for an answer.').waitFor();
      await assertAccessible(opened, 'conversations that wait');
      await takePicture(opened, `waiting-${width}`);
      assert.deepEqual(problems, []);
      await close();
    }
    const opened = await rig.open(`/bots/${botId}?tab=unanswered`, { width: 360 });
    const { page, problems, close } = opened;
    await page.getByText('3 conversations wait for an answer.').waitFor();
    await page.getByRole('button', { name: 'Answer all now' }).click();
    const dialog = page.getByRole('dialog', { name: 'Answer 3 conversations?' });
    await dialog.waitFor();
    await assertAccessible(opened, 'the question before all are answered');
    await takePicture(opened, 'answer-waiting-360');
    await dialog.getByRole('button', { name: 'Answer all now' }).click();
    await page.getByText('The bot has answered all of them.').waitFor();
    assert.equal(await count(), 0);
    for (const contact of contacts)
      await eventually(async () => {
        const [conversation] = (await rig.api.listConversations({ team_id: teamId, q: contact })).data;
        assert.match(conversation?.last_message?.text ?? '', /We open at nine/);
      });
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows thumbs of contacts and people in the thread, filters by them and lists them as unanswered', async () => {
    const [contact = ''] = contacts;
    const [conversation] = (await rig.api.listConversations({ team_id: teamId, q: contact })).data;
    const id = conversation?.id ?? '';
    for (const width of widths) {
      const opened = await rig.open(`/conversations/${id}`, { width });
      const { page, problems, close } = opened;
      const bad = page.getByRole('button', { name: 'Bad answer' }).last();
      await bad.click();
      await page.locator('button[aria-pressed=true][aria-label="Bad answer"]').waitFor();
      await assertAccessible(opened, 'a thread with a thumb');
      await takePicture(opened, `thumbs-${width}`);
      await page.goto(`${rig.base}/console/conversations?rating=down`);
      await page.getByRole('link', { name: contact }).waitFor();
      await page.goto(`${rig.base}/console/bots/${botId}?tab=unanswered`);
      await page.getByText('👎 1').waitFor();
      await assertAccessible(opened, 'unanswered questions with a thumb');
      await page.goto(`${rig.base}/console/conversations/${id}`);
      await bad.click();
      await page.locator('button[aria-pressed=false][aria-label="Bad answer"]').last().waitFor();
      await page.goto(`${rig.base}/console/conversations?rating=down`);
      await page.getByText('Nothing matches').or(page.getByText('No conversations')).first().waitFor();
      assert.deepEqual(problems, []);
      await close();
    }
  });
});
