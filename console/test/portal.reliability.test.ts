import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import {
  addLinkedDevice,
  assertAccessible,
  assertFits,
  type Rig,
  startRig,
  takePicture,
  write,
} from './rig.ts';

const contact = '+15550171';

/** Serves a page of a partner that frames the address after `?`. Its site is 127.0.0.1, that of the frame is localhost. */
async function startPartner() {
  const server = createServer((request, response) => {
    const address = decodeURIComponent(request.url?.split('?')[1] ?? '');
    response.setHeader('content-type', 'text/html');
    response.end(
      `<!doctype html><title>Shop</title><iframe title="portal" width="1000" height="700" src="${address}"></iframe>`,
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

describe('a portal', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let partners: Awaited<ReturnType<typeof startPartner>>[] = [];

  before(async () => {
    partners = [await startPartner(), await startPartner()];
    rig = await startRig({ PORTAL_FRAME_ORIGINS: partners[0]?.origin ?? '' });
    const { team } = await rig.api.createTeam({
      team: { name: 'Harbour Bikes' },
      user: { name: 'Ada', email: 'ada@example.com' },
    });
    teamId = team.id;
    const bot = await rig.api.createBot({ team_id: teamId, name: 'Harbour' });
    await rig.api.publishBot({ id: bot.id });
    await addLinkedDevice(rig, { team_id: teamId, bot_id: bot.id, name: 'Pier' }, '+15550170');
    await write(rig, { from: contact, to: '+15550170', text: 'Is the tandem free?' });
  });
  after(async () => {
    for (const { server } of partners) server.close();
    await rig.close();
  });

  const createLink = async (input: object) => {
    const { url } = await rig.api.createPortalLink({ team_id: teamId, role: 'editor', ...input });
    return new URL(url);
  };
  const open = async (url: URL) =>
    rig.open(`${url.pathname.slice('/console'.length)}${url.hash}`, { token: null });

  it('shows only its pages, survives a reload, and works once', async () => {
    const link = await createLink({ pages: ['conversations', 'documents'] });
    const opened = await open(link);
    const { page, problems, close } = opened;
    await page.getByRole('link', { name: contact }).waitFor();
    const menu = page.getByRole('navigation').getByRole('link');
    assert.deepEqual(await menu.allInnerTexts(), ['Conversations', 'Documents']);
    assert.equal(new URL(page.url()).hash, '');
    await assertAccessible(opened, 'a portal');
    await takePicture(opened, 'portal');
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
    await page.goto(`${rig.base}/console/portal/settings`);
    await page.getByText('Ask an owner if you need this page.').waitFor();
    assert.deepEqual(problems, []);
    const again = await open(link);
    await again.page.getByText('This link does not work any more').first().waitFor();
    await assertAccessible(again, 'a used portal link');
    await again.close();
    await close();
  });

  for (const role of ['viewer', 'editor']) {
    it(`asks for nothing that a page for the role ${role} may not read`, async () => {
      for (const [name, path] of Object.entries({
        home: '',
        conversations: '/conversations',
        bot: '/bots',
        phones: '/devices',
        documents: '/documents',
      })) {
        const link = await createLink({ role, pages: [name] });
        const opened = await open(link);
        const refused: string[] = [];
        const asked = new Set<unknown>();
        // The stream of events does not end.
        opened.page.on('request', (request) => !request.url().includes('/events') && asked.add(request));
        opened.page.on('requestfailed', (request) => asked.delete(request));
        opened.page.on('requestfinished', (request) => asked.delete(request));
        opened.page.on('response', (response) => {
          if ([401, 403].includes(response.status())) refused.push(response.url());
        });
        const settle = () => eventually(async () => assert.equal(asked.size, 0), 30_000);
        await opened.page.waitForURL((url) => url.pathname.replace(/\/$/, '') === `/console/portal${path}`);
        await opened.page.getByRole('heading', { level: 1 }).first().waitFor();
        await settle();
        const objects = opened.page
          .getByRole('main')
          .getByRole('link', { name: /^(Pier|Harbour|\+1555.*)$/ });
        if ((await objects.count()) > 0) {
          await objects.first().click();
          await opened.page.waitForURL(/[0-9a-f]{8}-/);
          await settle();
        }
        assert.deepEqual([refused, opened.problems], [[], []], name);
        await assertFits(opened, name);
        await opened.close();
      }
    });
  }

  it('opens in a frame of a listed origin only, where it has no cookie', async () => {
    const [listed = '', unlisted = ''] = partners.map(({ origin }) => origin);
    const frame = async (partner: string, path = '') => {
      const link = await createLink({ pages: ['conversations'] });
      link.hostname = 'localhost';
      if (path !== '') link.pathname = path;
      const opened = await rig.open('/portal', { token: null });
      await opened.page.goto(`${partner}/?${encodeURIComponent(link.href)}`);
      return opened;
    };
    const inside = await frame(listed);
    const portal = inside.page.frameLocator('iframe');
    await portal.getByRole('link', { name: contact }).click();
    await portal.getByText('Is the tandem free?').first().waitFor();
    await takePicture(inside, 'portal-framed');
    assert.deepEqual(await inside.page.context().cookies(), []);
    await inside.close();
    for (const [partner, path] of [
      [unlisted, ''],
      [listed, '/console'],
      [listed, '/console/enter'],
    ] as const) {
      const { page, problems, close } = await frame(partner, path);
      await eventually(async () =>
        assert.ok(
          problems.some((problem) => /frame-ancestors|X-Frame-Options/.test(problem)),
          `${partner}${path}: ${problems.join('\n')}`,
        ),
      );
      assert.equal(await page.frameLocator('iframe').getByRole('link').count(), 0);
      await close();
    }
  });

  it('lets the staff look at the console as a customer does, in another tab', async () => {
    const opened = await rig.open(`/teams/${teamId}`);
    const [tab] = await Promise.all([
      opened.page.context().waitForEvent('page'),
      opened.page.getByRole('button', { name: 'View as this customer' }).click(),
    ]);
    await tab.getByRole('navigation').getByRole('link', { name: 'Phones' }).waitFor();
    assert.equal(await tab.getByRole('link', { name: 'Teams' }).count(), 0);
    const { data } = await rig.api.listAuditLog({ team_id: teamId, operation: 'openPortal' });
    assert.match(data[0]?.key_id ?? '', /^portal:/);
    assert.deepEqual(opened.problems, []);
    await opened.close();
  });

  it('ends in an open tab when its creator ends, and asks for no password', async () => {
    const key = await rig.api.createApiKey({ name: 'Shop' });
    const shop = await fetch(`${rig.base}/api/openapi/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ key_id: key.key_id, key_secret: key.key_secret }),
    });
    const { data } = (await shop.json()) as { data: { access_token: string } };
    const created = await fetch(`${rig.base}/api/openapi/v1/portal-links`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${data.access_token}` },
      body: JSON.stringify({ team_id: teamId, role: 'agent' }),
    });
    const { data: link } = (await created.json()) as { data: { url: string } };
    const opened = await open(new URL(link.url));
    await opened.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await rig.api.deleteApiKey({ keyId: key.key_id });
    const dialog = opened.page.getByRole('dialog', { name: 'Your access has ended' });
    await dialog.waitFor({ timeout: 60_000 });
    assert.equal(await dialog.getByRole('textbox').count(), 0);
    await assertAccessible(opened, 'an ended portal');
    await opened.close();
  });
});
