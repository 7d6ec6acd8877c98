import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { type Simulator, startSimulator } from './simulator.ts';
import { TestDevice } from './test-device.ts';

const silent = { info: () => {}, warn: () => {}, error: () => {} };
const phoneNumber = '+15550100';
const contactNumber = '+15550199';
const markup = '<img src=x onerror="window.injected=1"><script>window.injected=1</script>';

/** Common paths of Chromium, for the browser tests. */
const browserPath = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
].find((path) => existsSync(path));

describe('the chat page', { timeout: 60_000 }, () => {
  let simulator: Simulator;
  before(async () => {
    simulator = await startSimulator({ dataDir: null, host: '127.0.0.1', port: 0, logger: silent });
  });
  after(() => simulator.close());

  it('has a content security policy that allows only its own files', async () => {
    const response = await fetch(`${simulator.url}/simulator?qr=anything`);
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
    assert.doesNotMatch(policy, /unsafe|\*|https?:/);
    const page = await response.text();
    assert.doesNotMatch(page, /<script[^>]*>[^<]|<style| style=| on[a-z]+=|https?:/);
    for (const [, path] of page.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const file = await fetch(new URL(path ?? '', response.url));
      assert.equal(file.status, 200);
      assert.equal(file.headers.get('x-content-type-options'), 'nosniff');
    }
  });

  describe('in a browser', { skip: browserPath === undefined && 'Chromium is not installed' }, () => {
    let browser: Browser;
    let page: Page;
    let device: TestDevice;
    const pageErrors: string[] = [];

    before(async () => {
      browser = await chromium.launch({ executablePath: browserPath ?? '', args: ['--no-sandbox'] });
      page = await browser.newPage();
      page.on('console', (message) => message.type() === 'error' && pageErrors.push(message.text()));
      page.on('pageerror', (error) => pageErrors.push(String(error)));
      device = await TestDevice.connect(simulator.url);
    });
    after(async () => {
      await browser.close();
      device.close();
    });

    it('links a device as a phone, chats as a contact and shows markup as text', async () => {
      await device.link(async (qr) => {
        await page.goto(qr);
        await page.getByLabel('This phone’s number').fill(phoneNumber);
        await page.getByRole('button', { name: 'Link the device' }).click();
      });
      await page.getByLabel('Your number').fill(contactNumber);
      await page.getByRole('button', { name: 'Open the chat' }).click();
      await page.getByLabel('Message', { exact: true }).fill(markup);
      await page.getByRole('button', { name: 'Send' }).click();
      const inbound = await device.waitForSignal('inbound');
      assert.deepEqual([inbound.contact, inbound.content], [contactNumber, { kind: 'text', text: markup }]);
      const reply = { kind: 'text', text: `reply ${markup}` } as const;
      device.send({ type: 'send', attempt: 1, id: markup, to: contactNumber, content: reply });
      await page.getByText('reply').waitFor();
      const messages = await page.locator('#messages li span').allTextContents();
      assert.deepEqual(messages, [markup, reply.text]);
      assert.equal(await page.locator('#messages img, #messages script').count(), 0);
      assert.equal(await page.evaluate('window.injected'), undefined);
      assert.deepEqual(pageErrors, []);
    });

    it('sends an image with its caption and reopens the chat after a reload', async () => {
      const buffer = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      await page.getByLabel('Attach').setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
      await page.getByLabel('Message', { exact: true }).fill('look');
      await page.getByRole('button', { name: 'Send' }).click();
      const { content } = await device.waitForSignal('inbound', 1);
      assert.deepEqual([content.kind, content.kind === 'image' && content.caption], ['image', 'look']);
      await page.reload();
      await page.getByText('look').waitFor();
      assert.equal(await page.locator('#messages li').count(), 3);
      // Evaluating a text in the page would violate its Content-Security-Policy.
      const width = await page.locator('#messages img').evaluate(async (image) => {
        await Reflect.get(image, 'decode').call(image);
        return Reflect.get(image, 'naturalWidth');
      });
      assert.equal(width, 1);
      assert.deepEqual(pageErrors, []);
    });

    it('keeps the error and the text of an unsent message while the chat is polled', async () => {
      const other = await browser.newPage();
      const chat = new URLSearchParams({ device: '+15550198', contact: contactNumber });
      await other.goto(`${simulator.url}/simulator?${chat}`);
      await other.getByLabel('Message', { exact: true }).fill('hello');
      await other.getByRole('button', { name: 'Send' }).click();
      const error = other.getByText('Not sent: No linked phone has the number +15550198');
      await error.waitFor();
      for (let read = 0; read < 2; read += 1) await other.waitForResponse(/\/messages\?/);
      assert.equal(await error.isVisible(), true);
      assert.equal(await other.getByLabel('Message', { exact: true }).inputValue(), 'hello');
    });
  });
});
