import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import { addAnsweringBot, ask, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

const device = '+15550170';
const pair = { question: 'Do you rent tandems?', answer: 'No, we sell bells only.' };

describe('improving answers in the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let botId: string;

  before(async () => {
    rig = await startRig({ DISCLOSURE_DEFAULT: 'off', DISCLOSURE_OFF_REASON: 'tests' });
    ({ teamId, botId } = await addAnsweringBot(rig, { questions: [pair] }, device));
  });
  after(() => rig.close());

  it('changes the pair that answered, so that the next contact gets the new answer', async () => {
    const { id, reply } = await ask(rig, { from: '+15550171', to: device, text: 'do you rent TANDEMS' });
    assert.equal(reply, pair.answer);
    const opened = await rig.open(`/conversations/${id}`);
    const { page, problems, close } = opened;
    const thread = page.getByRole('region', { name: /^Messages with/ });
    await thread.getByText(pair.answer).waitFor();
    await thread.getByRole('button', { name: 'Improve' }).click();
    const dialog = page.getByRole('dialog', { name: 'Improve the answer' });
    await dialog.getByText('The contact asked: do you rent TANDEMS').waitFor();
    await dialog.getByRole('combobox').filter({ hasText: 'The pair that answered' }).waitFor();
    const answer = dialog.getByLabel('Answer', { exact: true });
    assert.equal(await dialog.getByLabel('Question', { exact: true }).inputValue(), pair.question);
    assert.equal(await answer.inputValue(), pair.answer);
    await answer.fill('Yes, we have two tandems.');
    await dialog.getByRole('button', { name: 'Test' }).click();
    const result = dialog.getByRole('region', { name: 'The draft answers' });
    await result.getByText('Yes, we have two tandems.').waitFor();
    await assertAccessible(opened, 'the dialog that improves an answer');
    await takePicture(opened, 'improve');
    // A test reaches no contact.
    assert.equal((await ask(rig, { from: '+15550172', to: device, text: pair.question })).reply, pair.answer);
    assert.equal(await dialog.getByText('other changes').count(), 0);
    await dialog.getByRole('button', { name: 'Save and publish' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('Published. The next contact gets the new answer.').first().waitFor();
    assert.equal(
      (await ask(rig, { from: '+15550173', to: device, text: pair.question })).reply,
      'Yes, we have two tandems.',
    );
    const { questions } = await rig.api.getBot({ id: botId });
    assert.deepEqual(
      questions.map(({ question }) => question),
      [pair.question],
    );
    assert.deepEqual(problems, []);
    await close();
  });

  it('answers what the bot did not know with the reply of a person, on a phone', async () => {
    const { id } = await ask(rig, { from: '+15550174', to: device, text: 'Is there a discount for nurses?' });
    await rig.api.writeToConversation({ id, text: 'Yes, ten percent with a card.' });
    await rig.api.updateBot({ id: botId, description: 'Changed meanwhile' });
    const opened = await rig.open(`/bots/${botId}`, { width: 360, theme: 'dark' });
    const { page, problems, close } = opened;
    await page.getByRole('tab', { name: 'Unanswered' }).click();
    await page.getByText('Asked once').waitFor();
    await assertAccessible(opened, 'the questions without an answer');
    await takePicture(opened, 'unanswered-phone');
    await page.getByRole('button', { name: 'Answer: Is there a discount for nurses?' }).click();
    const dialog = page.getByRole('dialog', { name: 'Improve the answer' });
    await dialog.getByText('A person of the team replied this.').waitFor();
    assert.equal(
      await dialog.getByLabel('Question', { exact: true }).inputValue(),
      'Is there a discount for nurses?',
    );
    assert.equal(
      await dialog.getByLabel('Answer', { exact: true }).inputValue(),
      'Yes, ten percent with a card.',
    );
    await dialog.getByText('The draft has other changes. They are published, too.').waitFor();
    await assertAccessible(opened, 'the dialog that improves an answer, on a phone');
    await takePicture(opened, 'improve-phone');
    await dialog.getByRole('button', { name: 'Save and publish' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByText('The bot answered everything').waitFor();
    await page.getByRole('tab', { name: /^Questions/ }).click();
    assert.equal(await page.getByLabel('Question 2').inputValue(), 'Is there a discount for nurses?');
    assert.equal(await page.getByText('You have unsaved changes').count(), 0);
    const { reply } = await ask(rig, {
      from: '+15550175',
      to: device,
      text: 'Is there a discount for nurses?',
    });
    assert.equal(reply, 'Yes, ten percent with a card.');
    assert.deepEqual(problems, []);
    await close();
  });

  it('offers it to nobody who may not change bots', async () => {
    const { id } = await ask(rig, { from: '+15550176', to: device, text: pair.question });
    const key = await rig.api.createApiKey({ name: 'Agent', scope: 'team', team_id: teamId, role: 'agent' });
    const credentials = { key_id: key.key_id, key_secret: key.key_secret };
    const token = await createParley({ baseUrl: rig.base, key: credentials }).getToken();
    const { page, close } = await rig.open(`/conversations/${id}`, { token });
    await page.getByRole('button', { name: 'Sources' }).first().waitFor();
    assert.equal(await page.getByRole('button', { name: 'Improve' }).count(), 0);
    await close();
  });
});
