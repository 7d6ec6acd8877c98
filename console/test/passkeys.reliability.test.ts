import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { assertAccessible, type ConsolePage, type Rig, startRig, takePicture } from './rig.ts';

const password = 'four random words';

/** A page at a host name with an authenticator that keeps keys and checks the person. */
async function openAtName(rig: Rig, path: string) {
  const opened = await rig.open('/link', { token: null, width: 390 });
  const { page } = opened;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  const at = new URL(`/console${path}`, rig.base);
  at.hostname = 'localhost';
  await page.goto(at.href);
  const verify = (isUserVerified: boolean) =>
    devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified });
  return { opened, page, at, verify };
}

/** The rig reports requests to another host than its own address. */
const problemsOf = ({ problems }: ConsolePage) =>
  problems.filter((problem) => !problem.startsWith('requested http://localhost:'));

describe('passkeys', { skip: noChromium, timeout: 600_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  it('are added under My account, sign in, need the person, and are removed', async () => {
    const invited = await rig.api.createUser({ name: 'Noor', email: 'noor@example.com', role: 'admin' });
    const { pathname, hash } = new URL(invited.invitation_url);
    const { opened, page, at, verify } = await openAtName(rig, pathname.slice('/console'.length) + hash);
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Accept the invitation' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(new URL('/console/account', at).href);
    await page.getByText('You have no passkey.').waitFor();
    await page.getByLabel('Name of the passkey').fill('Laptop');
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const listed = page.getByRole('list', { name: 'Passkeys' }).getByRole('listitem');
    await listed.getByText('Laptop').waitFor();
    await assertAccessible(opened, 'the passkeys');
    await takePicture(opened, 'passkeys');
    const signOut = () => page.context().clearCookies();
    const signIn = page.getByRole('button', { name: 'Sign in with a passkey' });

    await signOut();
    await page.goto(`${at.origin}/console/account`);
    await signIn.waitFor();
    await assertAccessible(opened, 'the sign-in with a passkey');
    await takePicture(opened, 'passkey-sign-in');
    await verify(false);
    await signIn.click();
    await page
      .locator('button[aria-busy="false"], button:not([aria-busy])')
      .filter({ hasText: 'Sign in with a passkey' })
      .waitFor();
    assert.equal(await page.getByRole('heading', { name: 'My account' }).count(), 0);
    await verify(true);
    await signIn.click();
    await listed.getByText('Laptop').waitFor();
    await listed.getByText('used', { exact: false }).waitFor();
    await page.getByRole('button', { name: 'Remove: Laptop' }).click();
    await page.getByText('You have no passkey.').waitFor();

    await signOut();
    await page.reload();
    await signIn.click();
    await page.getByText('This passkey does not sign in here. Use another way.').waitFor();
    assert.deepEqual(problemsOf(opened), []);
    await opened.close();
  });

  it('are not offered at an address', async () => {
    const opened = await rig.open('', { token: null });
    await opened.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    assert.equal(await opened.page.getByRole('button', { name: 'Sign in with a passkey' }).count(), 0);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });
});
