import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { assertAccessible, holdNextRequest, type Rig, startRig, takePicture } from './rig.ts';

const payload = '<img src=x onerror="window.injected=1">';

describe('the bot editor of the console', { skip: noChromium, timeout: 900_000 }, () => {
  const service = createServer((request, response) => {
    response.statusCode = request.url === '/orders/A-17' ? 200 : 404;
    response.end(JSON.stringify({ message: `On its way. ${payload}` }));
  });
  let rig: Rig;
  let botId: string;
  before(async () => {
    service.listen(0, '127.0.0.1');
    await once(service, 'listening');
    const host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
    rig = await startRig({ ACTION_ALLOWED_HOSTS: host });
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Lumen Bikes' }, user });
    const text = 'Deposit\n\nThe deposit for a bicycle is forty euros. It is returned with the bicycle.';
    const file = { content: new Blob([text]), filename: 'rental.txt' };
    const document = await rig.api.uploadDocument({ team_id: team.id, file });
    const bot = await rig.api.createBot({
      team_id: team.id,
      name: 'Lumen',
      questions: [{ question: 'Do you lend helmets?', answer: 'Yes, with every bike.' }],
      document_ids: [document.id],
      actions: [
        {
          name: 'Order status',
          description: 'Looks up the status of an order',
          endpoint: `http://${host}/orders/{{order_number}}`,
        },
      ],
    });
    botId = bot.id;
  });
  after(async () => {
    await rig.close();
    service.close();
  });

  it('asks the draft and shows pair, passage and action behind each answer, with time, tokens and cost', async () => {
    const opened = await rig.open(`/bots/${botId}`);
    const { page, problems, close } = opened;
    const question = page.getByLabel('Ask a question');
    const log = page.getByRole('log');
    await takePicture(opened, 'playground-empty');
    await question.fill('Do you lend helmets?');
    await question.press('Enter');
    await log.getByText('Yes, with every bike.').waitFor();
    await log.getByText('Question and answer pair').waitFor();
    await log.getByText(/Draft · [\d,]+ ms · 0 tokens in, 0 out · 1 credit · cost 0/).waitFor();
    await question.press('ArrowUp');
    assert.equal(await question.inputValue(), 'Do you lend helmets?');
    await question.fill('How high is the deposit for a bicycle?');
    await question.press('Enter');
    await log.getByText('rental.txt').first().waitFor();
    await question.fill('What is the status of order A-17?');
    await question.press('Enter');
    await log.getByText('Arguments: {"order_number":"A-17"}').waitFor();
    await log.getByText('Result: 200').waitFor();
    await assertAccessible(opened, 'the playground');
    await takePicture(opened, 'playground');
    assert.equal(await page.evaluate('window.injected'), undefined);
    await page.getByRole('button', { name: 'Ask again Do you lend helmets?' }).click();
    await log.getByText('Question and answer pair').nth(1).waitFor();
    await page.getByRole('button', { name: 'Begin again as a new contact' }).click();
    await page.getByText('Ask the bot as a contact would').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('tries an action with values of the user', async () => {
    const opened = await rig.open(`/bots/${botId}?tab=actions`);
    const { page, problems, close } = opened;
    await page.getByRole('button', { name: 'Try it: Order status' }).click();
    await page.getByLabel('order_number').fill('A-17');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    const result = page.getByRole('region', { name: 'Result' });
    await result.getByText('200').waitFor();
    await result.getByText('On its way.').waitFor();
    await assertAccessible(opened, 'the result of an action');
    await takePicture(opened, 'action-tried');
    await page.getByLabel('order_number').fill('none');
    await page.getByRole('button', { name: 'Try it', exact: true }).click();
    await result.getByText('the service answered with status 404').first().waitFor();
    assert.equal(await page.evaluate('window.injected'), undefined);
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows how the draft differs from the published version, and asks either', async () => {
    await rig.api.publishBot({ id: botId });
    const opened = await rig.open(`/bots/${botId}?tab=questions`);
    const { page, problems, close } = opened;
    await page.getByLabel('Answer 1').fill('No, bring your own.');
    await page.getByText('Save your changes first').waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    await page.getByRole('tab', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Compare with the draft' }).click();
    const questions = page.getByRole('region', { name: 'Questions' });
    await questions.getByText('Do you lend helmets? → Yes, with every bike.').waitFor();
    await questions.getByText('Do you lend helmets? → No, bring your own.').waitFor();
    assert.equal(await page.getByRole('region', { name: 'Instructions' }).count(), 0);
    await assertAccessible(opened, 'the differences');
    await takePicture(opened, 'bot-differences');
    const log = page.getByRole('log');
    await page.getByLabel('Version to ask').click();
    await page.getByRole('option', { name: 'Published' }).click();
    await page.getByLabel('Ask a question').fill('Do you lend helmets?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await log.getByText('Yes, with every bike.').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('keeps what the user types while the draft is saved', async () => {
    const { page, problems, close } = await rig.open(`/bots/${botId}?tab=questions`);
    await page.getByLabel('Answer 1').fill('Yes, for a deposit.');
    const save = await holdNextRequest(page, 'PATCH', /\/v1\/bots\/[^/]+$/);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await save.held;
    await page.getByLabel('Answer 1').fill('Yes, for a deposit of ten euros.');
    await save.release();
    await page.getByText('Changes saved').waitFor();
    assert.equal(await page.getByLabel('Answer 1').inputValue(), 'Yes, for a deposit of ten euros.');
    await page.getByText('You have unsaved changes').waitFor();
    const { questions } = await rig.api.getBot({ id: botId });
    assert.deepEqual(
      questions.map(({ answer }) => answer),
      ['Yes, for a deposit.'],
    );
    assert.deepEqual(problems, []);
    await close();
  });

  it('does not show a late answer after the chat began again', async () => {
    const { page, problems, close } = await rig.open(`/bots/${botId}`);
    const question = page.getByLabel('Ask a question');
    const log = page.getByRole('log');
    const first = await holdNextRequest(page, 'POST', /\/ask$/);
    await question.fill('Do you lend helmets?');
    await question.press('Enter');
    await first.held;
    await page.getByRole('button', { name: 'Begin again as a new contact' }).click();
    await question.fill('How high is the deposit for a bicycle?');
    await question.press('Enter');
    await log.getByText('rental.txt').first().waitFor();
    await first.release();
    await question.fill('What is the status of order A-17?');
    await question.press('Enter');
    await log.getByText('Result: 200').waitFor();
    await log.getByText('rental.txt').first().waitFor();
    assert.equal(await log.getByText('Question and answer pair').count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });

  it('has no accessibility problem, in both themes, wide and narrow', async () => {
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 360],
    ] as const)
      for (const tab of ['instructions', 'questions', 'actions', 'documents', 'settings', 'versions']) {
        const opened = await rig.open(`/bots/${botId}?tab=${tab}`, { theme, width });
        await opened.page.getByRole('heading', { name: 'Lumen', level: 1 }).waitFor();
        await opened.page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
        await assertAccessible(opened, `${tab} ${theme} ${width}`);
        await takePicture(opened, `bot-${tab}-${theme}-${width}`);
        assert.deepEqual(opened.problems, []);
        await opened.close();
      }
  });
});
