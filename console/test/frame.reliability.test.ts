import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { createParley } from '@parley/sdk';
import type { Page } from 'playwright-core';
import { noChromium } from '../../server/test/chromium.ts';
import { assertAccessible, type Rig, startRig } from './rig.ts';

const maxInitialScript = 220 * 1024;
const maxInitialFiles = 12;

/** Leaves what the page reads by itself without a response, so that only a click finds out that the token has ended. */
const holdFigures = (page: Page): Promise<unknown> => page.route(/\/v1\/(events|attention)/, () => undefined);

describe('the frame of the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
  });
  after(() => rig.close());

  it('leads browsers from / to the console and keeps the response for API clients', async () => {
    const browser = await fetch(`${rig.base}/`, { headers: { accept: 'text/html,*/*' }, redirect: 'manual' });
    assert.deepEqual([browser.status, browser.headers.get('location')], [302, '/console']);
    const client = await fetch(`${rig.base}/`, { headers: { accept: 'application/json' } });
    assert.equal(client.status, 404);
    assert.match(await client.text(), /"reason":"route_not_found"/);
  });

  it('allows no inline code, no frames and no other hosts', async () => {
    for (const path of ['/console', '/console/', '/console/teams/any', '/console/assets/missing.js']) {
      const response = await fetch(`${rig.base}${path}`);
      const policy = response.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/, path);
      assert.doesNotMatch(policy, /unsafe|https?:|\*/, path);
      assert.equal(response.headers.get('x-content-type-options'), 'nosniff');
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer');
      if (path.includes('missing')) assert.equal(response.status, 404);
      else assert.doesNotMatch(await response.text(), /<style| style=| on[a-z]+=|<script(?![^>]*\ssrc=)/);
    }
  });

  it('caches hashed files for ever and sends them compressed', async () => {
    const page = await (await fetch(`${rig.base}/console`)).text();
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(page) ?? [];
    for (const encoding of ['br', 'gzip']) {
      const response = await fetch(`${rig.base}${script}`, { headers: { 'accept-encoding': encoding } });
      assert.equal(response.headers.get('content-encoding'), encoding);
      assert.match(response.headers.get('cache-control') ?? '', /immutable/);
      assert.match(await response.text(), /createElement|jsx/);
    }
  });

  it('loads at most 220 KiB of compressed script in few files before the sign-in form appears', async (t) => {
    const { page, problems, close } = await rig.open('', { token: null });
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    const loaded: string[] = await page.evaluate(
      "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.endsWith('.js'))",
    );
    let bytes = 0;
    for (const url of loaded) bytes += gzipSync(await (await fetch(url)).text()).length;
    t.diagnostic(`${(bytes / 1024).toFixed(0)} KiB in ${loaded.length} files`);
    assert.ok(loaded.length > 0 && bytes <= maxInitialScript, `${bytes} bytes`);
    assert.ok(loaded.length <= maxInitialFiles, loaded.join(', '));
    assert.deepEqual(problems, []);
    await close();
  });

  it('signs in with a key, keeps no secret, and returns to the address that was asked for', async () => {
    const { page, problems, close } = await rig.open('/plans', { token: null });
    await page.getByRole('button', { name: 'Use an API key' }).click();
    await page.getByLabel('Key id').fill(rig.key.key_id);
    await page.getByLabel('Key secret').fill('sk_wrong_wrong_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('do not match an active key').waitFor();
    await page.getByLabel('Key secret').fill(rig.key.key_secret);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Plans' }).waitFor();
    const stored: string = await page.evaluate(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }])',
    );
    assert.ok(!stored.includes(rig.key.key_secret) && !stored.includes('"sk_'));
    await page.reload();
    await page.getByRole('heading', { name: 'Plans' }).waitFor();
    await page.getByTitle('Account and appearance').click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Password').waitFor();
    assert.equal(await page.evaluate("sessionStorage.getItem('console-token')"), null);
    assert.deepEqual(problems, []);
    await close();
  });

  it('asks to sign in again over the page, and then repeats the refused request', async () => {
    const key = await rig.api.createApiKey({ name: 'Interrupted' });
    const token = await createParley({ baseUrl: rig.base, key }).getToken();
    const opened = await rig.open('/teams', { token });
    const { page } = opened;
    await page.getByRole('button', { name: 'New team' }).first().click();
    await page.getByLabel('Name of the team').fill('Typed before');
    await page.getByLabel('Name of the administrator').fill('Ada');
    await page.getByLabel('Email of the administrator').fill('ada@example.com');
    await holdFigures(page);
    for (const is_active of [false, true]) await rig.api.updateApiKey({ keyId: key.key_id, is_active });
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    await assertAccessible(opened, 'the dialog');
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await dialog.getByLabel('Key id').fill(key.key_id);
    await dialog.getByLabel('Key secret').fill(key.key_secret);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Typed before', level: 1 }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });

  it('shows the pages of one key to no other key', async () => {
    const [first, second] = [
      await rig.api.createApiKey({ name: 'A' }),
      await rig.api.createApiKey({ name: 'B' }),
    ];
    const token = await createParley({ baseUrl: rig.base, key: first }).getToken();
    const { page, close } = await rig.open('/teams', { token });
    await page.getByRole('button', { name: 'New team' }).first().click();
    await page.getByLabel('Name of the team').fill('Of the first key');
    await holdFigures(page);
    await rig.api.deleteApiKey({ keyId: first.key_id });
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await page.getByLabel('Name of the administrator').fill('Ada');
    await page.getByLabel('Email of the administrator').fill('ada@example.com');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await dialog.getByLabel('Key id').fill(second.key_id);
    await dialog.getByLabel('Key secret').fill(second.key_secret);
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await page.getByLabel('Name of the team').waitFor({ state: 'detached' });
    assert.equal((await rig.api.listTeams({ name: 'Of the first key' })).meta.total, 0);
    await close();
  });

  it('speaks four languages and remembers the language and the theme', async () => {
    for (const [locale, title] of [
      ['es-MX', 'Equipos'],
      ['pt-BR', 'Equipes'],
      ['de-AT', 'Teams'],
      ['ja-JP', 'Teams'],
    ]) {
      const { page, close } = await rig.open('/teams', { locale: locale ?? '' });
      await page.getByRole('heading', { name: title ?? '', level: 1 }).waitFor();
      await close();
    }
    const { page, close } = await rig.open('/teams');
    await page.getByTitle('Account and appearance').click();
    await page.getByRole('menuitemradio', { name: 'Español' }).click();
    await page.getByRole('heading', { name: 'Equipos' }).waitFor();
    await page.getByTitle('Cuenta y apariencia').click();
    await page.getByRole('menuitemradio', { name: 'Oscuro' }).click();
    await page.reload();
    await page.getByRole('heading', { name: 'Equipos' }).waitFor();
    assert.equal(await page.evaluate('getComputedStyle(document.documentElement).colorScheme'), 'dark');
    assert.equal(await page.evaluate('document.documentElement.lang'), 'es');
    await close();
  });
});

describe('a branded console', { skip: noChromium, timeout: 900_000 }, () => {
  it('shows the name and a readable form of the colour', async () => {
    const rig = await startRig({ BRAND_NAME: '<b>Áster & Co</b>', BRAND_COLOR: '#ffdd00' });
    try {
      const { page, problems, close } = await rig.open('', { token: null });
      await page.getByRole('heading', { name: 'Sign in to <b>Áster & Co</b>' }).waitFor();
      const look = await page.evaluate(
        "(({ backgroundColor, color }) => [backgroundColor, color])(getComputedStyle(document.querySelector('button')))",
      );
      assert.deepEqual(look, ['rgb(255, 221, 0)', 'rgb(0, 0, 0)']);
      assert.deepEqual(problems, []);
      await close();
    } finally {
      await rig.close();
    }
  });
});
