import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

describe('the assistant for new customers', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  it('makes a team with a published bot, a document and a link, and continues after an interruption', async () => {
    const opened = await rig.open('/teams', { width: 360 });
    const { page, problems, close } = opened;
    await page.getByRole('button', { name: 'New customer' }).first().click();
    const dialog = page.getByRole('dialog', { name: 'New customer' });
    await dialog.getByLabel('Name of the customer').fill('Trattoria Lago');
    await dialog.getByLabel('Name of the administrator').fill('Ada');
    await dialog.getByLabel('Email of the administrator').fill('ada@example.com');
    await dialog.getByLabel('Bot for').click();
    await page.getByRole('option', { name: 'A restaurant' }).click();
    const text = 'The fish soup costs nine euros. We open at noon and close at ten.';
    await dialog
      .getByLabel('Choose documents')
      .last()
      .setInputFiles([{ name: 'menu.txt', mimeType: 'text/plain', buffer: Buffer.from(text) }]);
    await assertAccessible(opened, 'the form for a new customer');
    await takePicture(opened, 'customer-form');
    await page.route(/\/v1\/devices$/, (route) => route.abort());
    await dialog.getByRole('button', { name: 'Create', exact: true }).click();
    const retry = dialog.getByRole('alert').getByRole('button', { name: 'Try again' });
    await retry.waitFor({ timeout: 60_000 });
    await page.unroute(/\/v1\/devices$/);
    await retry.click();
    await dialog.getByText('Everything is ready').waitFor();
    const link = await dialog.locator('code').innerText();
    const mail = await dialog.getByRole('link', { name: 'Send by e-mail' }).getAttribute('href');
    assert.ok(mail?.startsWith('mailto:ada%40example.com?') && decodeURIComponent(mail).includes(link));
    await assertAccessible(opened, 'the link for a new customer');
    await takePicture(opened, 'customer-link');

    const { data: teams } = await rig.api.listTeams({ name: 'Trattoria Lago' });
    assert.equal(teams.length, 1);
    const teamId = teams[0]?.id ?? '';
    const { data: bots } = await rig.api.listBots({ team_id: teamId });
    assert.deepEqual(
      bots.map(({ published }) => published),
      [true],
    );
    const bot = await rig.api.getBot({ id: bots[0]?.id ?? '' });
    assert.deepEqual([bot.questions.length, bot.documents.length], [2, 1]);
    assert.equal((await rig.api.listDevices({ team_id: teamId })).meta.total, 1);

    await page.goto(link);
    await page
      .getByText(/Trattoria Lago/)
      .first()
      .waitFor();
    await eventually(async () => assert.deepEqual(problems, []));
    await close();
  });

  it('has five templates in every language, which the service accepts', async () => {
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Templates', plan_name: 'enterprise' }, user });
    const { botTemplatesMessages } = await import('../src/features/teams/bot-templates.messages.ts');
    for (const templates of Object.values(botTemplatesMessages)) {
      assert.equal(Object.keys(templates).length, 5);
      for (const { name, purpose, instructions, questions } of Object.values(templates)) {
        const bot = { team_id: team.id, name, purpose, instructions, questions: Object.values(questions) };
        const { id } = await rig.api.createBot(bot);
        await rig.api.deleteBot({ id });
      }
    }
  });
});
