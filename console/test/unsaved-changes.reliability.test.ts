import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createParley } from '@parley/sdk';
import { noChromium } from '../../server/test/chromium.ts';
import { eventually } from '../../server/test/eventually.ts';
import { addLinkedDevice, assertAccessible, type Rig, startRig, takePicture, write } from './rig.ts';

describe('unsaved changes in the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let teamId: string;
  let botId: string;
  let conversationId: string;
  const contact = '+15550188001';
  before(async () => {
    rig = await startRig();
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Harbour' }, user });
    teamId = team.id;
    const bot = await rig.api.createBot({
      team_id: teamId,
      name: 'Lumen',
      actions: [
        {
          name: 'Order status',
          description: 'Looks up an order',
          endpoint: 'https://shop.example.com/{{order}}',
          headers: { authorization: 'Bearer shop-secret' },
        },
      ],
    });
    botId = bot.id;
    const device = await addLinkedDevice(
      rig,
      { team_id: teamId, bot_id: botId, name: 'Front' },
      '+15550188000',
    );
    await write(rig, { from: contact, to: device.phone_number ?? '', text: 'Hello' });
    conversationId = await eventually(async () => {
      const { data } = await rig.api.listConversations({ team_id: teamId });
      assert.ok(data[0] !== undefined);
      return data[0].id;
    });
  });
  after(() => rig.close());

  it('shows how two versions of a bot differ, and keeps the edits of one beside the changes of the other', async () => {
    const opened = await rig.open(`/bots/${botId}`);
    const { page, problems, close } = opened;
    const instructions = page.getByRole('textbox', { name: 'Instructions' });
    await instructions.fill('Be brief.');
    await rig.api.updateBot({ id: botId, instructions: 'Be polite.', description: 'By a colleague' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    const conflict = page.getByRole('alert', { name: 'Somebody else saved changes meanwhile' });
    await conflict.getByText('Be polite.').waitFor();
    await conflict.getByText('Be brief.').waitFor();
    await assertAccessible(opened, 'the conflict');
    await takePicture(opened, 'bot-conflict');
    assert.equal((await rig.api.getBot({ id: botId })).instructions, 'Be polite.');
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Changes saved').waitFor();
    const kept = await rig.api.getBot({ id: botId });
    assert.deepEqual([kept.instructions, kept.description], ['Be brief.', 'By a colleague']);

    await instructions.fill('Be funny.');
    await rig.api.updateBot({ id: botId, instructions: 'Be serious.' });
    await page.getByRole('button', { name: 'Save changes' }).click();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    assert.equal(await instructions.inputValue(), 'Be serious.');
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows how the settings of a team and the details of a contact differ', async () => {
    const opened = await rig.open(`/teams/${teamId}?tab=settings`, { width: 1600 });
    const { page, problems, close } = opened;
    await page.getByLabel('Language of canned replies').fill('pt-BR');
    await rig.api.updateTeam({ id: teamId, settings: { locale: 'es' } });
    await page.getByRole('button', { name: 'Save changes' }).click();
    const conflict = page.getByRole('alert', { name: 'Somebody else saved changes meanwhile' });
    await conflict.getByText('Theirs: es').waitFor();
    await conflict.getByText('Yours: pt-BR').waitFor();
    await takePicture(opened, 'team-conflict');
    await conflict.getByRole('button', { name: 'Keep mine' }).click();
    await page.getByText('Changes saved').waitFor();
    assert.equal((await rig.api.getTeam({ id: teamId })).settings.locale, 'pt-BR');

    await page.goto(`${rig.base}/console/conversations/${conversationId}`);
    const form = page.getByRole('form', { name: 'Contact' });
    await form.getByLabel('About the contact').fill('Likes bells');
    await rig.api.updateContact({ number: contact, team_id: teamId, note: 'Likes lamps' });
    await form.getByRole('button', { name: 'Save changes' }).click();
    await form.getByText('Theirs: Likes lamps').waitFor();
    await assertAccessible(opened, 'the conflict of a contact');
    await takePicture(opened, 'contact-conflict');
    await form.getByRole('button', { name: 'Take theirs' }).click();
    assert.equal(await form.getByLabel('About the contact').inputValue(), 'Likes lamps');
    assert.deepEqual(problems, []);
    await close();
  });

  it('keeps unsaved changes over a reload and signing out, until they are saved or discarded', async () => {
    const opened = await rig.open(`/bots/${botId}`);
    const { page, problems, close } = opened;
    const instructions = page.getByRole('textbox', { name: 'Instructions' });
    const restored = page.getByText(/Your unsaved changes of .* are back/);
    await instructions.fill('Half a sentence');
    await page.getByText('You have unsaved changes').waitFor();
    await page.reload();
    await restored.waitFor();
    assert.equal(await instructions.inputValue(), 'Half a sentence');
    await assertAccessible(opened, 'restored changes');
    await takePicture(opened, 'bot-restored');

    // A crashed tab leaves no time to store anything.
    const second = await page.context().newPage();
    await page.close();
    await second.goto(`${rig.base}/console/bots/${botId}`);
    const instructionsAgain = second.getByRole('textbox', { name: 'Instructions' });
    await second.getByText(/Your unsaved changes of .* are back/).waitFor();
    assert.equal(await instructionsAgain.inputValue(), 'Half a sentence');

    await second.getByRole('button', { name: 'Discard' }).first().click();
    assert.equal(await instructionsAgain.inputValue(), 'Be serious.');
    await second.reload();
    await second.getByRole('textbox', { name: 'Instructions' }).waitFor();
    assert.equal(await second.getByText('You have unsaved changes').count(), 0);
    assert.deepEqual(await storedDrafts(second), []);
    assert.deepEqual(problems, []);
    await close();
  });

  it('refuses to overwrite with a draft what somebody saved after the reload', async () => {
    const { page, problems, close } = await rig.open(`/bots/${botId}`);
    await page.getByRole('textbox', { name: 'Instructions' }).fill('From my draft');
    await page.getByText('You have unsaved changes').waitFor();
    await rig.api.updateBot({ id: botId, instructions: 'Saved by a colleague' });
    await page.reload();
    await page.getByText(/Your unsaved changes of .* are back/).waitFor();
    await page.getByRole('button', { name: 'Save changes' }).click();
    const conflict = page.getByRole('alert', { name: 'Somebody else saved changes meanwhile' });
    await conflict.getByText('Saved by a colleague').waitFor();
    await conflict.getByRole('button', { name: 'Take theirs' }).click();
    await conflict.waitFor({ state: 'detached' });
    assert.deepEqual(await storedDrafts(page), []);
    assert.deepEqual(problems, []);
    await close();
  });

  it('keeps a message, a note and the details of a contact, and no secret of an action', async () => {
    const opened = await rig.open(`/conversations/${conversationId}`, { width: 1600 });
    const { page, problems, close } = opened;
    await page.getByLabel('Answer as a person').fill('Dear Ines,');
    await page.getByLabel('Add a note').fill('Call back on');
    await page.getByRole('form', { name: 'Contact' }).getByLabel('Name').fill('Ines M');
    await page.reload();
    await page
      .getByText(/Your unsaved changes of .* are back/)
      .nth(2)
      .waitFor();
    assert.equal(await page.getByLabel('Answer as a person').inputValue(), 'Dear Ines,');
    assert.equal(await page.getByLabel('Add a note').inputValue(), 'Call back on');
    const name = page.getByRole('form', { name: 'Contact' }).getByLabel('Name');
    assert.equal(await name.inputValue(), 'Ines M');
    await assertAccessible(opened, 'restored texts');
    await takePicture(opened, 'conversation-restored');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log').getByText('Dear Ines,').waitFor();
    await eventually(async () =>
      assert.ok(!(await storedDrafts(page)).some((key) => key.includes('message:'))),
    );

    await page.goto(`${rig.base}/console/bots/${botId}?tab=actions`);
    await page.getByRole('button', { name: /Edit.*Order status/ }).click();
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).first().fill('Where is my order');
    await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
    await page.getByText('You have unsaved changes').waitFor();
    assert.ok(!((await page.evaluate('JSON.stringify(localStorage)')) as string).includes('shop-secret'));
    await page.reload();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Changes saved').waitFor();
    const [action] = (await rig.api.getBot({ id: botId })).actions;
    assert.equal(action?.name, 'Where is my order');
    assert.equal(action?.headers.value, 'Bearer shop-secret');
    assert.deepEqual(problems, []);
    await close();
  });

  it('deletes the drafts of one key when another signs in, not when it signs out', async () => {
    const { page, close } = await rig.open(`/conversations/${conversationId}`, { token: null });
    const first = await rig.api.createApiKey({ name: 'First' });
    const second = await rig.api.createApiKey({ name: 'Second' });
    const signIn = async (key: { key_id: string; key_secret: string }) => {
      await page.evaluate(
        ([token]) => globalThis.sessionStorage.setItem('console-token', token ?? ''),
        [await createParley({ baseUrl: rig.base, key }).getToken()],
      );
      await page.reload();
      await page.getByLabel('Answer as a person').waitFor();
    };
    await signIn(first);
    await page.getByLabel('Answer as a person').fill('Not finished');
    await eventually(async () => assert.equal((await storedDrafts(page)).length, 1));
    await page.evaluate(() => globalThis.sessionStorage.clear());
    await page.reload();
    await page.getByRole('heading', { name: /Sign in/ }).waitFor();
    assert.equal((await storedDrafts(page)).length, 1);
    await signIn(first);
    assert.equal(await page.getByLabel('Answer as a person').inputValue(), 'Not finished');
    await signIn(second);
    assert.equal(await page.getByLabel('Answer as a person').inputValue(), '');
    await eventually(async () => assert.deepEqual(await storedDrafts(page), []));
    await close();
  });
});

const storedDrafts = (page: { evaluate: (script: string) => Promise<unknown> }): Promise<string[]> =>
  page.evaluate("Object.keys(localStorage).filter((key) => key.startsWith('console-draft:'))") as Promise<
    string[]
  >;
