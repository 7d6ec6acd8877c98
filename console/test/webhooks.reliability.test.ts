import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { startWebhookReceiver } from '../../server/test/webhook-receiver.ts';
import { assertAccessible, holdNextRequest, type Rig, startRig, takePicture } from './rig.ts';

const payload = '<img src=x onerror="window.injected=1">';

const receiver = await startWebhookReceiver();

describe('the webhooks of the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  before(async () => {
    rig = await startRig({ WEBHOOK_ALLOWED_HOSTS: receiver.host });
    const user = { name: 'Ada', email: 'ada@example.com' };
    teamId = (await rig.api.createTeam({ team: { name: 'Lumen Bikes' }, user })).team.id;
  });
  after(() => rig.close());

  it('creates one, tests it, shows deliveries with payloads, replays, rotates, disables and deletes', async () => {
    await receiver.set({ path: '/hook', status: 204 });
    const opened = await rig.open('/webhooks');
    const { page, problems, close } = opened;
    await page.getByText('No webhooks yet').waitFor();
    await assertAccessible(opened, 'no webhooks');
    await takePicture(opened, 'webhooks-empty');
    await page.getByRole('button', { name: 'New webhook' }).click();
    await page.getByLabel('Address').fill('ftp://example.com');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByText('must be an http or https URL').waitFor();
    await page.getByLabel('Address').fill(receiver.url('/hook'));
    await page.getByLabel('Note').fill(payload);
    await page.getByRole('combobox', { name: 'Events' }).click();
    await page.getByRole('option', { name: 'Only some events' }).click();
    assert.equal(await page.getByRole('button', { name: 'Create', exact: true }).isDisabled(), true);
    await page.getByLabel('team.updated').check();
    await page.getByLabel('bot.published').check();
    await assertAccessible(opened, 'the form');
    await takePicture(opened, 'webhook-form');
    const create = await holdNextRequest(page, 'POST', /\/v1\/webhooks$/);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await create.held;
    await page.keyboard.press('Escape');
    await create.release();
    await page.getByText('Copy the secret now').waitFor();
    await page.mouse.click(5, 5);
    const secret = /whsec_\S+/.exec(await page.getByRole('dialog').innerText())?.[0] ?? '';
    await receiver.set({ path: '/hook', secret });
    await takePicture(opened, 'webhook-secret');
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await page.getByText('No deliveries yet').waitFor();
    assert.doesNotMatch(await page.content(), /whsec_/);

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText(/The receiver answered 204 after \d+ ms/).waitFor();
    await rig.api.updateTeam({ id: teamId, name: 'Harbour Rentals' });
    await page.getByRole('button', { name: 'Payload of team.updated' }).click();
    await page.getByRole('dialog').getByText('"name": "Harbour Rentals"').waitFor();
    await assertAccessible(opened, 'a payload');
    await takePicture(opened, 'webhook-delivery');
    const deliveries = () => receiver.received('/hook').filter(({ event }) => event.type === 'team.updated');
    await eventually(async () => assert.equal(deliveries().length, 1));
    await page.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('Deliveries added: 1').waitFor();
    await eventually(async () => assert.equal(deliveries().length, 2));
    assert.equal(deliveries()[0]?.id, deliveries()[1]?.id);
    await page
      .getByRole('dialog', { name: 'team.updated' })
      .getByRole('button', { name: 'Close' })
      .first()
      .click();

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Replay events since a time' }).click();
    await page.getByLabel('Since', { exact: true }).fill('2020-01-01T00:00');
    await page.getByRole('button', { name: 'Replay', exact: true }).click();
    await eventually(async () => assert.equal(deliveries().length, 3));

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Replace the secret' }).click();
    await page.getByText('signatures of the old and the new secret').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the secret' }).click();
    await page.getByText('Copy the secret now').waitFor();
    const shown = await page.getByRole('dialog', { name: 'Copy the secret now' }).innerText();
    assert.match(shown, /whsec_/);
    assert.ok(!shown.includes(secret));
    await page.getByRole('button', { name: 'I have stored it' }).click();

    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('The webhook is enabled').waitFor();
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('The list of its deliveries is deleted').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhooks yet').waitFor();
    assert.equal(await page.evaluate('window.injected'), undefined);
    assert.deepEqual(problems, []);
    await close();
  });

  it('keeps an opened delivery shown while newer ones arrive, and offers no replay while disabled', async () => {
    await receiver.set({ path: '/busy', status: 204 });
    const { id } = await rig.api.createWebhook({ url: receiver.url('/busy'), events: ['team.updated'] });
    const rename = (name: string) => rig.api.updateTeam({ id: teamId, name });
    await rename('Opened');
    const { page, problems, close } = await rig.open(`/webhooks/${id}`);
    await page.getByRole('button', { name: 'Payload of team.updated' }).click();
    const dialog = page.getByRole('dialog', { name: 'team.updated' });
    await dialog.getByText('"name": "Opened"').waitFor();
    for (let count = 0; count < 20; count += 1) await rename(`Later ${count}`);
    const pages = page.getByRole('navigation', { name: 'Page 1 of 2', includeHidden: true });
    await pages.waitFor();
    await dialog.getByText('"name": "Opened"').waitFor();
    await rig.api.updateWebhook({ id, enabled: false });
    await dialog.getByText('Enable it to deliver again').waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Deliver again' }).isDisabled(), true);
    await rig.api.deleteWebhook({ id });
    assert.deepEqual(problems, []);
    await close();
  });

  it('says why a webhook fails, in both themes, wide and narrow', async () => {
    await receiver.set({ path: '/gone', status: 410 });
    await receiver.set({ path: '/broken', status: 500 });
    const gone = await rig.api.createWebhook({
      url: receiver.url('/gone'),
      events: ['*'],
      description: payload,
    });
    const broken = await rig.api.createWebhook({
      team_id: teamId,
      url: receiver.url('/broken'),
      events: ['team.updated', 'message.received', 'message.failed'],
    });
    await rig.api.updateTeam({ id: teamId, name: 'Lumen Bikes' });
    await eventually(async () => {
      assert.equal((await rig.api.getWebhook({ id: gone.id })).disabled_reason, 'gone');
      assert.notEqual((await rig.api.getWebhook({ id: broken.id })).failing_since, null);
    });
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 360],
    ] as const) {
      for (const [name, path, text] of [
        ['webhooks', '/webhooks', 'Disabled by Parley'],
        ['webhook-gone', `/webhooks/${gone.id}`, 'The receiver answered 410 (gone)'],
        ['webhook-failing', `/webhooks/${broken.id}`, 'Every attempt has failed since'],
      ] as const) {
        const opened = await rig.open(path, { theme, width });
        await opened.page.getByText(text).first().waitFor();
        await opened.page.locator('.animate-pulse').first().waitFor({ state: 'detached' });
        await takePicture(opened, `${name}-${theme}-${width}`);
        await assertAccessible(opened, `${path} ${theme} ${width}`);
        assert.equal(await opened.page.evaluate('window.injected'), undefined);
        assert.deepEqual(opened.problems, [], path);
        await opened.close();
      }
    }
  });
});
