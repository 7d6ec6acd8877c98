import assert from 'node:assert/strict';
import { test } from 'node:test';
import { launchChromium, noChromium } from '../../../../test/chromium.ts';
import { startTestApp } from '../../../../test/harness.ts';
import { planRoutes } from '../../../tenancy/plans/plans.routes.ts';

const { baseUrl } = await startTestApp({
  routes: ({ db }) => [planRoutes({ db })],
});
const address = `${baseUrl}/api/openapi/reference`;

test('serves the reference page without a token and forbids inline and foreign scripts', async () => {
  const response = await fetch(address);
  assert.equal(response.status, 200);
  const policy = response.headers.get('content-security-policy') ?? '';
  assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
  assert.doesNotMatch(policy, /unsafe|\*|https?:/);
  const page = await response.text();
  assert.doesNotMatch(page, /<script[^>]*>\s*[^<\s]|<style| style=| on[a-z]+=|https?:/);
  const files = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  assert.ok(files.length > 4);
  for (const path of files) {
    const file = await fetch(new URL(path, address));
    assert.equal(file.status, 200, path);
    assert.equal(file.headers.get('x-content-type-options'), 'nosniff', path);
  }
});

test('shows every operation in a browser and contacts no other host', { skip: noChromium }, async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    const requested: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(address);
    await page.getByText('Create a plan or change its terms').click();
    await page.getByText('BAD_REQUEST: invalid request').waitFor();

    const document = (await (await fetch(`${baseUrl}/api/openapi/openapi.json`)).json()) as {
      paths: Record<string, object>;
      webhooks: Record<string, object>;
    };
    const described = { ...document.paths, ...document.webhooks };
    const operations = Object.values(described).flatMap((path) => Object.keys(path));
    assert.equal(await page.locator('.opblock').count(), operations.length);
    const hosts = new Set(requested.map((url) => (url.startsWith('data:') ? 'data:' : new URL(url).origin)));
    hosts.delete('data:');
    assert.deepEqual([...hosts], [baseUrl]);
    assert.deepEqual(complaints, []);
  } finally {
    await browser.close();
  }
});
