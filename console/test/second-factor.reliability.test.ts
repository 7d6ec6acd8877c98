import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { showCode } from '../../server/test/authenticator.ts';
import { noChromium } from '../../server/test/chromium.ts';
import { assertAccessible, type ConsolePage, type Rig, startRig, takePicture } from './rig.ts';

const password = 'four random words';
const email = 'noor@example.com';

describe('the second factor', { skip: noChromium, timeout: 600_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  async function signIn(): Promise<ConsolePage> {
    const opened = await rig.open('/account', { token: null, width: 390, theme: 'dark' });
    await opened.page.getByLabel('E-mail address').fill(email);
    await opened.page.getByLabel('Password', { exact: true }).fill(password);
    await opened.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    return opened;
  }

  it('is set up, asked for at the sign-in, replaced by a recovery code, and removed', async () => {
    const invited = await rig.api.createUser({ name: 'Noor', email, role: 'admin' });
    const { pathname, hash } = new URL(invited.invitation_url);
    const first = await rig.open(pathname.slice('/console'.length) + hash, { token: null });
    await first.page.getByLabel('New password').fill(password);
    await first.page.getByRole('button', { name: 'Accept the invitation' }).click();
    await first.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await first.page.goto(`${rig.base}/console/account`);
    await first.page.getByRole('button', { name: 'Set up an authenticator app' }).click();
    await first.page.getByAltText('QR code for the authenticator app').waitFor();
    const secret = (await first.page.getByText(/^[A-Z2-7]{32}$/).textContent()) ?? '';
    await first.page.getByLabel('Code of the app').fill('000000');
    await first.page.getByRole('button', { name: 'Turn it on' }).click();
    await first.page.getByText('This code is wrong or was used').waitFor();
    await assertAccessible(first, 'the set-up of the second factor');
    await takePicture(first, 'totp-set-up');
    await first.page.getByLabel('Code of the app').fill(showCode(secret));
    await first.page.getByRole('button', { name: 'Turn it on' }).click();
    const listed = first.page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem');
    await listed.first().waitFor();
    const codes = await listed.allTextContents();
    assert.equal(codes.length, 10);
    await assertAccessible(first, 'the recovery codes');
    await takePicture(first, 'totp-codes');
    await first.page.getByRole('button', { name: 'I have saved them' }).click();
    await first.page.getByText('Recovery codes that you have not used: 10').waitFor();

    const byApp = await signIn();
    const field = byApp.page.getByLabel('Code of your authenticator app');
    await field.fill('000000');
    await byApp.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await byApp.page.getByText('This code is wrong or was used').waitFor();
    await assertAccessible(byApp, 'the code at the sign-in');
    await takePicture(byApp, 'totp-sign-in');
    // The code of these 30 seconds may be the one that turned it on.
    await field.fill(showCode(secret, 1));
    await byApp.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await byApp.page.getByText('Recovery codes that you have not used: 10').waitFor();
    await byApp.close();

    const byRecovery = await signIn();
    await byRecovery.page.getByLabel('Code of your authenticator app').fill(codes[0] ?? '');
    await byRecovery.page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await byRecovery.page.getByText('Recovery codes that you have not used: 9').waitFor();
    await byRecovery.page.getByRole('button', { name: 'Remove the second factor' }).click();
    await byRecovery.page.getByRole('textbox', { name: 'Present password' }).last().fill(password);
    await assertAccessible(byRecovery, 'the removal of the second factor');
    await byRecovery.page.getByRole('button', { name: 'Remove the second factor' }).click();
    await byRecovery.page.getByRole('button', { name: 'Set up an authenticator app' }).waitFor();
    await byRecovery.close();
    const without = await signIn();
    await without.page.getByText('This session').waitFor();
    await without.close();
    for (const { problems } of [first, byApp, byRecovery, without]) assert.deepEqual(problems, []);
    await first.close();
  });
});
