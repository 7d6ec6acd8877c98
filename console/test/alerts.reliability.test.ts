import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { assertAccessible, type Rig, startRig } from './rig.ts';

const password = 'four random words';

describe('notifications', { skip: noChromium, timeout: 600_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  it('keeps what a person chose, and its worker shows a message that leads to the conversation', async () => {
    const user = { name: 'Ana', email: 'ana@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Bakery' }, user });
    const member = { name: 'Bea', email: 'bea@example.com', role: 'agent' } as const;
    const { invitation_url } = await rig.api.createTeamMember({ id: team.id, ...member });
    const link = `/invitation#${new URL(invitation_url).hash.slice(1)}`;
    const { page, ...opened } = await rig.open(link, { token: null, width: 390 });
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();

    await page.goto(new URL('/console/account', page.url()).href);
    await page.getByText('This installation sends no mail.').waitFor();
    await page.getByRole('switch', { name: 'Quiet hours' }).click();
    await page.getByLabel('From').fill('21:30');
    await page.getByRole('button', { name: 'Save notifications' }).click();
    await page.getByText('The notifications were saved').waitFor();
    await assertAccessible({ page, ...opened }, 'the notifications');
    await page.reload();
    assert.equal(await page.getByLabel('From').inputValue(), '21:30');

    await page.context().grantPermissions(['notifications']);
    const scope = await page.evaluate<string>(
      `navigator.serviceWorker.register('/console/sw.js', { scope: '/console/' })
        .then(() => navigator.serviceWorker.ready).then((registration) => registration.scope)`,
    );
    const devtools = await page.context().newCDPSession(page);
    const registered = new Promise<string>((resolve) => {
      devtools.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const found = registrations.find(({ scopeURL }) => scopeURL === scope);
        if (found !== undefined) resolve(found.registrationId);
      });
    });
    await devtools.send('ServiceWorker.enable');
    await devtools.send('ServiceWorker.deliverPushMessage', {
      origin: new URL(page.url()).origin,
      registrationId: await registered,
      data: JSON.stringify({
        title: 'Bakery',
        body: 'One person waits for an answer',
        path: '/conversations',
      }),
    });
    await eventually(async () => {
      const notes = await page.evaluate<unknown>(
        `navigator.serviceWorker.ready.then((registration) => registration.getNotifications())
          .then((notes) => notes.map(({ title, body, data }) => [title, body, data.path]))`,
      );
      assert.deepEqual(notes, [['Bakery', 'One person waits for an answer', '/conversations']]);
    }, 60_000);
    const manifest = await page.request.get(new URL('/console/manifest.webmanifest', page.url()).href);
    const { name, display } = await manifest.json();
    assert.deepEqual([name, display], ['Parley', 'standalone']);
    await opened.close();
  });
});
