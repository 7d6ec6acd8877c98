import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../../server/test/chromium.ts';
import { startIdentityProvider } from '../../server/test/identity-provider.ts';
import { reservePort } from '../../server/test/reserved-port.ts';
import { assertAccessible, type ConsolePage, type Rig, startRig, takePicture } from './rig.ts';

const action = 'Sign in with your organization';

// The provider leads to the port of the configuration.
const port = await reservePort();
const identity = await startIdentityProvider(`http://127.0.0.1:${port.port}/console/sign-in/oidc`);

describe('signing in at an identity provider', { skip: noChromium, timeout: 600_000 }, () => {
  let rig: Rig;
  before(async () => {
    const { issuer: OIDC_ISSUER } = identity;
    const client = { OIDC_CLIENT_ID: 'parley', OIDC_CLIENT_SECRET: 'secret-of-parley' };
    rig = await startRig({ PORT: `${port.port}`, OIDC_ISSUER, ...client });
    for (const sub of ['noor', 'eve'])
      identity.accounts.set(sub, { sub, email: `${sub}@example.com`, email_verified: true });
  });
  after(async () => {
    await rig.close();
    await port.release();
  });

  /** The pages of the provider, which are its own, ask for the account and then for consent. */
  async function signInAtProvider(page: Page, account: string): Promise<void> {
    // Its fonts are at another host.
    await page.context().route(/fonts\.googleapis\.com/, (route) => route.abort());
    await page.getByPlaceholder('Enter any login').fill(account);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  const problemsOf = ({ problems }: ConsolePage): string[] =>
    problems.filter(
      (problem) =>
        !problem.startsWith(`requested ${identity.issuer}/`) && !problem.includes('fonts.googleapis.com'),
    );

  it('leads an invited person to the page of the address, and loses no typed text', async () => {
    const staff = await rig.api.createUser({ name: 'Noor', email: 'noor@example.com', role: 'admin' });
    const opened = await rig.open('/teams?q=12e3', { token: null });
    const { page } = opened;
    const posts: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'POST' && request.url().endsWith('/session/oidc')) posts.push(request.url());
    });
    await page.getByRole('button', { name: action }).waitFor();
    await assertAccessible(opened, 'the sign-in page with an identity provider');
    await takePicture(opened, 'oidc-sign-in');
    await page.getByRole('button', { name: action }).click();
    await signInAtProvider(page, 'noor');
    await page.getByRole('heading', { name: 'Teams', level: 1 }).waitFor();
    assert.equal(posts.length, 1);
    await page.goto(`${rig.base}/console/sign-in/oidc`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(`${rig.base}/console/teams`);
    await page.getByRole('button', { name: 'New team' }).first().click();
    await page.getByLabel('Name of the team').fill('Typed before');
    await page.getByLabel('Name of the administrator').fill('Ada');
    await page.getByLabel('Email of the administrator').fill('ada@example.com');
    // Another role ends the sessions of the person.
    for (const role of ['support', 'admin'] as const) await rig.api.updateUser({ id: staff.id, role });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    await assertAccessible(opened, 'the dialog with an identity provider');
    await takePicture(opened, 'oidc-dialog');
    const [tab] = await Promise.all([
      page.context().waitForEvent('page'),
      dialog.getByRole('button', { name: action }).click(),
    ]);
    await page.getByRole('heading', { name: 'Typed before', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    if (!tab.isClosed()) await tab.waitForEvent('close');
    assert.deepEqual(problemsOf(opened), []);
    await opened.close();
  });

  it('says in words why it refuses somebody, once, with a way back', async () => {
    const opened = await rig.open('/teams', { token: null, width: 390, theme: 'dark' });
    const { page } = opened;
    await page.getByRole('button', { name: action }).click();
    await signInAtProvider(page, 'eve');
    await page.getByText('This account has no invitation here').waitFor();
    await assertAccessible(opened, 'the refusal');
    await takePicture(opened, 'oidc-refusal');
    assert.equal(new URL(page.url()).search, '');
    await page.reload();
    await page.getByText('This sign-in has ended').waitFor();
    await page.goto(`${rig.base}/console/sign-in/oidc?error=access_denied&state=x`);
    await page.getByText('Your organization did not confirm the sign-in').waitFor();
    await page.getByRole('link', { name: 'Back to the sign-in' }).click();
    await page.getByLabel('E-mail address').waitFor();
    assert.deepEqual(problemsOf(opened), []);
    await opened.close();
  });
});
