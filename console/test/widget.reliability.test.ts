import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { launchChromium, noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { assertAccessible, type Rig, startRig } from './rig.ts';

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const pictureUri = `data:image/png;base64,${png.toString('base64')}`;

/** Such a page has no `randomUUID`, and a chosen file may be gone when it is read. */
const withoutTls = `
  delete Crypto.prototype.randomUUID;
  File.prototype.arrayBuffer = () => Promise.reject(new DOMException('gone', 'NotFoundError'));`;

describe('the chat on a website', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let browser: Browser;
  let shop: Server;
  /** Another origin than the service: it listens under another name and port. */
  let shopUrl: string;
  let deviceId: string;
  let teamId: string;

  before(async () => {
    rig = await startRig();
    browser = await launchChromium();
    const { team } = await rig.api.createTeam({
      team: { name: 'Harbour Bikes' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    teamId = team.id;
    const closed = {
      monday: [],
      tuesday: [],
      wednesday: [],
      thursday: [],
      friday: [],
      saturday: [],
      sunday: [],
    };
    await rig.api.putHours({ id: team.id, hours: { week: closed, exceptions: [], text: 'We are closed.' } });
    await rig.api.putBrand({ id: team.id, logo: pictureUri });
    const bot = await rig.api.createBot({
      team_id: team.id,
      name: 'Desk',
      allow_human: true,
      questions: [{ question: 'Is a helmet included?', answer: 'Yes, a helmet is *included*.' }],
    });
    await rig.api.publishBot({ id: bot.id });
    await rig.api.updateTeam({ id: team.id, settings: { reply_delay_seconds: 0 } });
    const device = await rig.api.createDevice({
      team_id: team.id,
      bot_id: bot.id,
      name: 'Harbour shop',
      network: 'web',
    });
    deviceId = device.id;
    shop = createServer(({ url }, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(
        `<!doctype html><html lang="${url === '/de' ? 'de' : 'en'}"><title>Shop</title><main><h1>Bicycles</h1></main>
         <script async src="${rig.base}/widget.js" data-site="${deviceId}"></script></html>`,
      );
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    shopUrl = `http://localhost:${(shop.address() as AddressInfo).port}`;
    await rig.api.updateDevice({
      id: deviceId,
      web_chat: { allowed_origins: [shopUrl], title: 'Harbour Bikes', color: '#0b5cad' },
    });
    await rig.api.connectDevice({ id: deviceId });
  });

  after(async () => {
    await browser?.close();
    shop?.close();
    await rig?.close();
  });

  /** Opens a page and records the requests that go elsewhere. */
  async function visit(url: string, context: BrowserContext): Promise<{ page: Page; others: string[] }> {
    const page = await context.newPage();
    const others: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (protocol !== 'blob:' && origin !== rig.base && origin !== new URL(url).origin)
        others.push(request.url());
    });
    await page.goto(url);
    return { page, others };
  }

  const conversation = () =>
    eventually(async () => {
      const { data } = await rig.api.listConversations({ device_id: deviceId });
      const [first] = data;
      assert.ok(first);
      return first;
    });

  it('answers on a page of another origin, a person takes over, and the visitor comes back after a reload', async () => {
    const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce' });
    const { page, others } = await visit(shopUrl, context);
    await page.getByRole('button', { name: 'Open the chat' }).click();
    await page.getByRole('textbox', { name: 'Write a message' }).fill('Is a helmet included?');
    await page.keyboard.press('Enter');
    await page.getByText('a helmet is included').waitFor();
    await assertAccessible({ page, problems: [], close: async () => undefined }, 'the open chat');
    await rig.api.writeToConversation({
      id: (await conversation()).id,
      text: 'Ada here. See https://shop.example/a',
    });
    await page.getByRole('link', { name: 'https://shop.example/a' }).waitFor();
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'tandem.png', mimeType: 'image/png', buffer: png });
    await page.locator('.m img').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Open the chat' }).click();
    await page.getByText('a helmet is included').waitFor();
    await page.getByText('Ada here.').waitFor();
    await page.locator('.m img').waitFor();
    assert.equal(await page.getByText('Is a helmet included?').count(), 1);
    await page.keyboard.press('Escape');
    assert.equal(await page.getByRole('dialog').count(), 0);
    const inbox = await rig.open('/conversations');
    const { contact_number: visitor } = await conversation();
    await inbox.page.getByRole('link', { name: `Visitor ${visitor.slice(-4)}` }).waitFor();
    await inbox.close();
    assert.deepEqual(others, []);
    assert.deepEqual(await context.cookies(), []);
    await context.close();
  });

  it('asks for an address while nobody is there, and shows who takes over and what this person has read', async () => {
    const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce' });
    const { page } = await visit(shopUrl, context);
    await page.getByRole('button', { name: 'Open the chat' }).click();
    await page.locator('.logo img').waitFor();
    await page.getByText('Our team is away.').waitFor();
    await page.getByRole('textbox', { name: 'Write a message' }).fill('I want to talk to a person');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Your e-mail address' }).fill('bo@example.com');
    await assertAccessible({ page, problems: [], close: async () => undefined }, 'the form for an address');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Your e-mail address' }).waitFor({ state: 'hidden' });
    const waiting = await eventually(async () => {
      const { data } = await rig.api.listConversations({ device_id: deviceId, flag: 'human_requested' });
      assert.equal(data[0]?.last_message?.text, 'bo@example.com');
      return data[0];
    });
    const { data: members } = await rig.api.listTeamMembers({ id: teamId });
    const [person] = members;
    assert.ok(waiting && person);
    await rig.api.updateTeamMember({ id: teamId, userId: person.id, picture: pictureUri });
    await rig.api.assignConversation({ id: waiting.id, user_id: person.id });
    const head = page.locator('.head-who');
    await head.getByText('Ada').waitFor();
    await head.locator('img').waitFor();
    await rig.api.markConversationRead({ id: waiting.id });
    await page.getByText('Read', { exact: true }).waitFor();
    await rig.api.writeToConversation({ id: waiting.id, text: 'Hello, how can I help?' });
    await page.getByText('Hello, how can I help?').waitFor();
    await assertAccessible({ page, problems: [], close: async () => undefined }, 'the chat with a person');
    const folder = process.env['SCREENSHOT_DIR'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/widget-person.png` });
    await context.close();
  });

  it('shows nothing on a page that is not listed', async () => {
    const context = await browser.newContext({ locale: 'en-US' });
    const unlisted = shopUrl.replace('localhost', '127.0.0.1');
    const page = await context.newPage();
    const refused = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/visits'));
    await page.goto(unlisted);
    await refused;
    assert.equal(await page.locator('[data-parley-chat]').count(), 0);
    await context.close();
  });

  it('works on a page without TLS, and reports a file that is gone', async () => {
    const context = await browser.newContext({ locale: 'en-US' });
    await context.addInitScript(withoutTls);
    const { page } = await visit(shopUrl, context);
    const problems: Error[] = [];
    page.on('pageerror', (error) => problems.push(error));
    await page.getByRole('button', { name: 'Open the chat' }).click();
    await page.getByRole('textbox', { name: 'Write a message' }).fill('Is a helmet included?');
    await page.keyboard.press('Enter');
    await page.getByText('a helmet is included').waitFor();
    const file = { name: 'bill.txt', mimeType: 'text/plain', buffer: Buffer.from('bill') };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.getByText('Not sent. Try again').waitFor();
    assert.deepEqual(problems, []);
    await context.close();
  });

  it('speaks the language of the page and keeps its contrast in the dark', async () => {
    const context = await browser.newContext({
      locale: 'de-DE',
      colorScheme: 'dark',
      reducedMotion: 'reduce',
    });
    const page = await context.newPage();
    await page.goto(`${shopUrl}/de`);
    await page.getByRole('button', { name: 'Chat öffnen' }).click();
    await page.getByText('Hallo! Wie können wir helfen?').waitFor();
    await assertAccessible({ page, problems: [], close: async () => undefined }, 'the chat in the dark');
    const folder = process.env['SCREENSHOT_DIR'];
    if (folder !== undefined) await page.screenshot({ path: `${folder}/widget-dark.png` });
    await context.close();
  });
});
