import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { startMailServer } from '../../server/test/mail-server.ts';
import { reservePort } from '../../server/test/reserved-port.ts';
import { assertAccessible, type Rig, startRig } from './rig.ts';

const password = 'four random words';

const server = await startMailServer();

describe('signing in by e-mail', { skip: noChromium, timeout: 600_000 }, () => {
  let rig: Rig;
  let port: Awaited<ReturnType<typeof reservePort>>;
  before(async () => {
    // Links in mails lead to the port of the configuration.
    port = await reservePort();
    const mail = { MAIL_URL: server.url, MAIL_FROM: 'noreply@parley.example' };
    rig = await startRig({ PORT: `${port.port}`, ...mail });
  });
  after(async () => {
    await rig.close();
    await port.release();
  });

  /** Returns what the first group of the pattern finds in a mail to the address. */
  const findMailed = (email: string, pattern: RegExp): Promise<string> =>
    eventually(async () => {
      const mails = server.received.filter(({ recipients }) => recipients.includes(email));
      const found = mails.map(({ text }) => pattern.exec(text)?.[1]).find((text) => text !== undefined);
      assert.ok(
        found !== undefined,
        JSON.stringify({ email, pattern: pattern.source, received: server.received }),
      );
      return found;
    }, 60_000);

  it('mails an invitation, a code that signs in, and a link that sets a new password', async () => {
    const email = 'bea@example.com';
    const user = { name: 'Ana', email: 'ana@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Bakery' }, user });
    const partner = await rig.open(`/teams/${team.id}?tab=people`);
    await partner.page.getByRole('button', { name: 'Add a person' }).click();
    const dialog = partner.page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('Bea');
    await dialog.getByLabel('E-mail address').fill(email);
    await dialog.getByRole('button', { name: 'Add a person' }).click();
    await partner.page.getByText('An e-mail with this link is on its way').waitFor();
    await assertAccessible(partner, 'the mailed invitation');
    await partner.close();

    const invitation = await findMailed(email, /\/console(\/invitation#\S+)/);
    const invited = await rig.open(invitation, { token: null });
    await invited.page.getByLabel('New password').fill(password);
    await invited.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await invited.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await invited.close();

    const byCode = await rig.open('/', { token: null, width: 390 });
    await byCode.page.getByLabel('E-mail address').fill(email);
    await byCode.page.getByRole('button', { name: 'E-mail me a code' }).click();
    await byCode.page.getByLabel('Code').fill('0000 0000');
    await byCode.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await byCode.page.getByText('This code is wrong or has ended').waitFor();
    await assertAccessible(byCode, 'the code');
    await byCode.page.getByLabel('Code').fill(await findMailed(email, /^(\d{8})$/m));
    await byCode.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await byCode.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await byCode.close();

    const forgotten = await rig.open('/', { token: null, theme: 'dark' });
    await forgotten.page.getByLabel('E-mail address').fill(email);
    await forgotten.page.getByRole('button', { name: 'Forgot your password?' }).click();
    await forgotten.page.getByText('a mail with a link for a new password').waitFor();
    await assertAccessible(forgotten, 'the recovery');
    await forgotten.close();
    const reset = await rig.open(await findMailed(email, /\/console(\/reset#\S+)/), { token: null });
    await reset.page.getByLabel('New password').fill('five quite random words');
    await reset.page.getByRole('button', { name: 'Save and sign in' }).click();
    await reset.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await reset.close();
    for (const { problems } of [partner, invited, byCode, forgotten, reset]) assert.deepEqual(problems, []);
  });
});
