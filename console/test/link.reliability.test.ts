import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { startMailServer } from '../../server/test/mail-server.ts';
import { addTeamWithBot, assertAccessible, type Rig, scan, startRig, takePicture } from './rig.ts';

const server = await startMailServer();

describe('the link that links a phone', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let deviceId: string;

  before(async () => {
    rig = await startRig({ MAIL_URL: server.url, MAIL_FROM: 'noreply@parley.example' });
    const { teamId, botId } = await addTeamWithBot(rig);
    deviceId = (await rig.api.createDevice({ team_id: teamId, bot_id: botId, name: 'Pier' })).id;
  });
  after(() => rig.close());

  it('goes by mail from the page of the device, and begins again when the device stops after 3 minutes without a scan', async () => {
    const opened = await rig.open(`/devices/${deviceId}`);
    const { page } = opened;
    await page.getByRole('button', { name: 'Send a link' }).click();
    const dialog = page.getByRole('dialog', { name: 'Link for the person with the phone' });
    const shown = dialog.locator('code');
    const first = await shown.innerText();
    await dialog.getByLabel('E-mail address of the person').fill('cy@example.com');
    await assertAccessible(opened, 'the link with the form for a mail');
    await dialog.getByRole('button', { name: 'Send by e-mail' }).click();
    await dialog.getByText('The mail to cy@example.com is on its way').waitFor();
    await takePicture(opened, 'device-link-mailed');
    const link = await shown.innerText();
    assert.notEqual(link, first, 'a new link replaces the one before');
    const [mail] = await eventually(async () => {
      assert.equal(server.received.length, 1);
      return server.received;
    });
    assert.deepEqual(mail?.recipients, ['cy@example.com']);
    assert.equal(mail?.subject, 'Connect a phone or an account with Harbour Bikes');
    assert.ok(mail?.text.includes(new URL(link).hash), mail?.text);
    assert.deepEqual(opened.problems, []);
    await opened.close();

    const guest = await rig.open(link.slice(`${rig.base}/console`.length), { token: null });
    let begun = 0;
    guest.page.on('request', (request) => {
      if (request.url().endsWith('/link/connect')) begun += 1;
    });
    await guest.page.getByRole('button', { name: 'Show the QR code' }).click();
    const code = guest.page.getByRole('img', { name: 'QR code that links your phone' });
    await code.waitFor();
    await eventually(async () => assert.equal(begun, 2, 'the first code ended unused'), 400_000);
    await code.waitFor();
    await eventually(() => scan(rig, deviceId, '+15550777'));
    await guest.page.getByText('Your phone is linked').waitFor();
    assert.deepEqual(guest.problems, []);
    await guest.close();
  });
});
