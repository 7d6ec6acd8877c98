import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { startWebhookReceiver } from '../../server/test/webhook-receiver.ts';
import { addLinkedDevice, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

const receiver = await startWebhookReceiver();

describe('details of lists and pages', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let botId: string;
  before(async () => {
    rig = await startRig({ WEBHOOK_ALLOWED_HOSTS: receiver.host });
    const user = { name: 'Ada', email: 'ada@example.com' };
    teamId = (await rig.api.createTeam({ team: { name: 'Harbour' }, user })).team.id;
    botId = (await rig.api.createBot({ team_id: teamId, name: 'Lumen' })).id;
  });
  after(() => rig.close());

  it('lists deliveries that are repeated as failed', async () => {
    await receiver.set({ path: '/down', status: 500 });
    const { id } = await rig.api.createWebhook({ url: receiver.url('/down'), events: ['team.updated'] });
    await rig.api.updateTeam({ id: teamId, name: 'Harbour Rentals' });
    await eventually(async () => {
      const { data } = await rig.api.listWebhookDeliveries({ id });
      assert.equal(data[0]?.attempts, 1);
    });
    const { page, problems, close } = await rig.open(`/webhooks/${id}?state=failed`);
    await page.getByRole('table', { name: 'Deliveries' }).getByText('Failed, will be repeated').waitFor();
    await page.goto(`${rig.base}/console/webhooks/${id}?state=pending`);
    await page.getByText('Nothing matches your search').waitFor();
    await rig.api.deleteWebhook({ id });
    assert.deepEqual(problems, []);
    await close();
  });

  it('tells a bot that was never published from a changed one', async () => {
    const { page, problems, close } = await rig.open('/bots');
    await page.getByRole('table').getByText('Never published').waitFor();
    await rig.api.publishBot({ id: botId });
    await rig.api.updateBot({ id: botId, description: 'Changed' });
    await page.reload();
    await page.getByRole('table').getByText('Unpublished changes').waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows the last page of a list for a page beyond it', async () => {
    const { page, problems, close } = await rig.open('/bots?page=99999');
    await page.getByRole('link', { name: 'Lumen' }).waitFor();
    assert.equal(new URL(page.url()).search, '');
    assert.deepEqual(problems, []);
    await close();
  });

  it('uploads documents inside a bot, which then has them', async () => {
    const opened = await rig.open(`/bots/${botId}?tab=documents`);
    const { page, problems, close } = opened;
    await page.getByLabel('Upload documents').setInputFiles([
      { name: 'prices.txt', mimeType: 'text/plain', buffer: Buffer.from('A day costs 20 euros.') },
      { name: 'hours.txt', mimeType: 'text/plain', buffer: Buffer.from('We open at nine.') },
    ]);
    await page.getByRole('checkbox', { name: /prices\.txt/, checked: true }).waitFor();
    await page.getByRole('checkbox', { name: /hours\.txt/, checked: true }).waitFor();
    await assertAccessible(opened, 'documents of a bot');
    await takePicture(opened, 'bot-documents-uploaded');
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
    assert.equal((await rig.api.getBot({ id: botId })).documents.length, 2);
    assert.deepEqual(problems, []);
    await close();
  });

  it('leads from a team to its devices and conversations, and starts the devices after a suspension', async () => {
    const device = await addLinkedDevice(
      rig,
      { team_id: teamId, bot_id: botId, name: 'Front desk' },
      '+15550177000',
    );
    const opened = await rig.open(`/teams/${teamId}`);
    const { page, problems, close } = opened;
    const content = page.getByRole('main');
    for (const [name, path] of [
      ['Devices 1', '/devices'],
      ['Conversations', '/conversations'],
    ] as const) {
      const address = await content.getByRole('link', { name }).getAttribute('href');
      assert.equal(address?.split('?')[0], `/console${path}`);
      assert.match(address ?? '', new RegExp(teamId));
    }
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Suspend' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('The team is suspended').waitFor();
    await eventually(async () =>
      assert.equal((await rig.api.getDevice({ id: device.id })).status, 'stopped'),
    );
    await page.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Lift suspension' }).click();
    await page.getByRole('dialog').getByText('1 device that the suspension stopped').waitFor();
    await assertAccessible(opened, 'lifting a suspension');
    await takePicture(opened, 'lift-suspension');
    await page.getByRole('button', { name: 'Lift and start the devices' }).click();
    await page.getByText('The suspension was lifted').waitFor();
    await eventually(async () => assert.equal((await rig.api.getDevice({ id: device.id })).connected, true));
    assert.deepEqual(problems, []);
    await close();
  });

  it('names time zones and says that the bot uses them', async () => {
    const { page, problems, close } = await rig.open(`/teams/${teamId}?tab=settings`);
    await page.getByText('The bot answers by the time there').waitFor();
    const zones = await page.locator('#time-zones option').count();
    assert.ok(zones > 300, `${zones} time zones`);
    assert.deepEqual(problems, []);
    await close();
  });
});
