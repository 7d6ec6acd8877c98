import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import {
  addLinkedDevice,
  addTeamWithBot,
  assertAccessible,
  assertFits,
  type Rig,
  startRig,
  takePicture,
  write,
} from './rig.ts';

const [ines, jo] = ['+15550161', '+15550162'];
const password = 'a long password';

describe('the desk', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  /** The invitation of an agent of the team, and the agent's id. */
  let agent: { invitation: string; id: string };

  before(async () => {
    rig = await startRig();
    const { teamId: team, botId } = await addTeamWithBot(rig);
    teamId = team;
    await rig.api.publishBot({ id: botId });
    await addLinkedDevice(rig, { team_id: teamId, bot_id: botId, name: 'Pier' }, '+15550160');
    const created = await rig.api.createTeamMember({
      id: teamId,
      name: 'Cy',
      email: 'cy@example.com',
      role: 'agent',
    });
    agent = { invitation: new URL(created.invitation_url).hash, id: created.id };
    await write(rig, { from: ines, to: '+15550160', text: 'Is the tandem free on Saturday?' });
    await write(rig, { from: jo, to: '+15550160', text: 'Hello' });
  });
  after(() => rig.close());

  it('lets an agent take, label, note and answer conversations, with the keyboard, too', async () => {
    const opened = await rig.open(`/invitation${agent.invitation}`, { token: null });
    const { page, problems, close } = opened;
    await page.getByLabel('New password').fill(password);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await page.goto(`${rig.base}/console/conversations`);
    await page.getByRole('link', { name: ines }).waitFor();
    await page.getByRole('heading', { name: 'Conversations' }).click();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    const header = page.getByRole('heading', { level: 1 }).last();
    await page.waitForURL(/conversations\/[0-9a-f-]{36}/);
    await page.getByRole('link', { name: ines }).click();
    await header.filter({ hasText: ines }).waitFor();
    await page.keyboard.press('a');
    await page.getByRole('button', { name: 'Details' }).click();
    const details = page.getByRole('dialog', { name: ines });
    await details.getByRole('combobox', { name: 'Who takes care' }).filter({ hasText: 'Me' }).waitFor();
    await details.getByLabel('Labels of the conversation').fill('tandem, weekend');
    await details.getByLabel('Add a note').fill('Wants the blue one.');
    await details.getByRole('button', { name: 'Add a note' }).click();
    await details.getByText('Wants the blue one.').waitFor();
    await details.getByLabel('Name', { exact: true }).fill('Ines Martins');
    await details.getByLabel('Labels of the contact').fill('regular');
    await details.getByRole('button', { name: 'Save changes' }).click();
    await assertAccessible(opened, 'the details of a conversation');
    await takePicture(opened, 'desk-details');
    await page.getByText('Saved').first().waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Ines Martins' }).getByText('tandem').waitFor();
    const [conversation] = (await rig.api.listConversations({ team_id: teamId, assignee: agent.id })).data;
    assert.deepEqual(
      [conversation?.contact.name, conversation?.labels, conversation?.contact.labels],
      ['Ines Martins', ['tandem', 'weekend'], ['regular']],
    );

    await page.getByRole('button', { name: 'Saved replies' }).click();
    const dialog = page.getByRole('dialog', { name: 'Saved replies' });
    await dialog.getByRole('button', { name: 'Add a reply' }).click();
    await dialog.getByLabel('Name').fill('free');
    await dialog.getByLabel('Text').fill('Yes, it is free. Shall I keep it for you?');
    await assertAccessible(opened, 'the saved replies');
    await dialog.getByRole('button', { name: 'Save changes' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.press('r');
    const composer = page.getByLabel('Answer as a person');
    await composer.press('/');
    await page.getByRole('option', { name: /free/ }).waitFor();
    await assertAccessible(opened, 'the choice of a saved reply');
    await takePicture(opened, 'desk-saved-reply');
    await composer.press('Enter');
    assert.equal(await composer.inputValue(), 'Yes, it is free. Shall I keep it for you?');
    await composer.press('Enter');
    const thread = page.getByRole('region', { name: /^Messages with/ });
    await thread.getByText('Shall I keep it for you?').waitFor();
    await page.getByRole('heading', { name: 'Conversations' }).click();
    await page.keyboard.press('e');
    await page.getByText('The conversation is closed').waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await assertAccessible(opened, 'the keyboard shortcuts');
    await page.keyboard.press('Escape');

    await page.getByRole('combobox', { name: 'Who takes care' }).click();
    await page.getByRole('option', { name: 'Me' }).click();
    await page.getByRole('link', { name: jo }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Ines Martins' }).waitFor();
    assert.deepEqual(problems, []);
    await close();
  });

  it('reads an idle thread and an idle home page seldom, and shows a new message at once', async () => {
    const [conversation] = (await rig.api.listConversations({ team_id: teamId, q: jo })).data;
    const opened = await rig.open(`/conversations/${conversation?.id}`);
    const { page, problems, close } = opened;
    const thread = page.getByRole('region', { name: /^Messages with/ });
    await thread.getByText('Hello', { exact: true }).waitFor();
    const requests: string[] = [];
    let newest = Date.now();
    page.on('request', (request) => {
      if (!request.url().includes('/api/')) return;
      newest = Date.now();
      requests.push(new URL(request.url()).pathname);
    });
    const countIdle = async (what: string, most: number) => {
      // Figures are read again 3 seconds after the last event.
      await eventually(async () => assert.ok(Date.now() - newest > 6_000, 'still opening'), 60_000);
      requests.length = 0;
      await page.waitForTimeout(20_000);
      assert.ok(requests.length <= most, `${what}: ${requests.join(', ')}`);
    };
    await countIdle('a thread', 3);
    await write(rig, { from: jo, to: '+15550160', text: 'Are you there?' });
    await thread.getByText('Are you there?').waitFor();
    await page.goto(`${rig.base}/console/`);
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await countIdle('the home page', 2);
    assert.deepEqual(problems, []);
    await close();
  });

  it('moves between conversations with j and k, and finds the search with /', async () => {
    const { page, problems, close } = await rig.open('/conversations');
    await page
      .getByRole('link', { name: /^(\+1555|Ines)/ })
      .nth(1)
      .waitFor();
    const openedAfter = async (from: string | null) => {
      await page.waitForURL(
        (url) => /conversations\/[0-9a-f-]{36}$/.test(url.pathname) && url.pathname !== from,
      );
      await page.locator('[data-composer]').waitFor();
      return new URL(page.url()).pathname;
    };
    await page.keyboard.press('j');
    const first = await openedAfter(null);
    await page.keyboard.press('j');
    const second = await openedAfter(first);
    await page.keyboard.press('k');
    assert.equal(await openedAfter(second), first);
    await page.keyboard.press('/');
    const search = page.getByLabel('Search words or numbers');
    await eventually(async () => assert.ok(await search.evaluate((element) => element.matches(':focus'))));
    await page.keyboard.press('k');
    assert.equal(await search.inputValue(), 'k', 'a key that is typed is no shortcut');
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows colleagues who writes, and the writer nothing', async () => {
    const [conversation] = (await rig.api.listConversations({ team_id: teamId, q: jo })).data;
    const key = await rig.api.createApiKey({ name: 'Noor', scope: 'team', team_id: teamId });
    const token = await createParley({ baseUrl: rig.base, key }).getToken();
    const path = `/conversations/${conversation?.id}`;
    const [writer, reader] = [await rig.open(path, { token }), await rig.open(path)];
    const composer = writer.page.getByLabel('Answer as a person');
    await composer.waitFor();
    const writing = reader.page.getByText('Noor is writing…');
    // The reader may still be opening its stream.
    await eventually(async () => {
      await composer.pressSequentially('Yes ');
      assert.equal(await writing.count(), 1);
    }, 60_000);
    await assertAccessible(reader, 'a thread in which a colleague writes');
    assert.equal(await writer.page.getByText('is writing…').count(), 0);
    await writing.waitFor({ state: 'detached' });
    for (const { problems, close } of [writer, reader]) {
      assert.deepEqual(problems, []);
      await close();
    }
  });

  it('lists contacts, finds them by name, and blocks one', async () => {
    const opened = await rig.open('/contacts', { width: 360, theme: 'dark' });
    const { page, problems, close } = opened;
    await page.getByRole('button', { name: jo }).waitFor();
    await assertAccessible(opened, 'the contacts');
    await assertFits(opened, 'the contacts');
    await page.getByLabel('Search names or numbers').fill('martins');
    await page.getByRole('button', { name: jo }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Ines Martins' }).waitFor();
    await page.getByLabel('Search names or numbers').fill(jo);
    await page.getByRole('button', { name: jo }).click();
    await page.getByRole('switch', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved').first().waitFor();
    await takePicture(opened, 'contact-blocked');
    const contact = await rig.api.getContact({ number: jo, team_id: teamId });
    assert.equal(contact.blocked, true);
    assert.deepEqual(problems, []);
    await close();
  });
});
