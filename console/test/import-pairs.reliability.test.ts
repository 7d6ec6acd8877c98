import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { noChromium } from '../../server/test/chromium.ts';
import { addTeamWithBot, assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

/** Tables as spreadsheets and people write them, and the pairs in them. */
const files: { name: string; content: Buffer; pairs: [string, string][] }[] = [
  {
    name: 'windows-1252.csv',
    content: Buffer.from('Quando abrem?;Horário: 9h às 17h, também sábados', 'latin1'),
    pairs: [['Quando abrem?', 'Horário: 9h às 17h, também sábados']],
  },
  {
    name: 'windows-1250.csv',
    // "Ile?;Piętnaście złotych"
    content: Buffer.concat([
      Buffer.from('Ile?;Pi'),
      Buffer.of(0xea),
      Buffer.from('tna'),
      Buffer.of(0x9c),
      Buffer.from('cie z'),
      Buffer.of(0xb3),
      Buffer.from('otych'),
    ]),
    pairs: [['Ile?', 'Piętnaście złotych']],
  },
  {
    name: 'utf-16.csv',
    content: Buffer.from('\uFEFFÖffnungszeiten?\tTäglich', 'utf16le'),
    pairs: [['Öffnungszeiten?', 'Täglich']],
  },
  {
    name: 'separator.csv',
    content: Buffer.from('Open on Saturday; and Sunday?,"Yes, both"'),
    pairs: [['Open on Saturday; and Sunday?', 'Yes, both']],
  },
  {
    name: 'line-ends.csv',
    content: Buffer.from('Open?,Yes\rParking?,No\r'),
    pairs: [
      ['Open?', 'Yes'],
      ['Parking?', 'No'],
    ],
  },
  {
    name: 'unclosed.csv',
    content: Buffer.from('"Open?,9\nParking?,Behind the house\nDogs?,Yes'),
    pairs: [
      ['Parking?', 'Behind the house'],
      ['Dogs?', 'Yes'],
    ],
  },
  {
    name: 'blank.csv',
    content: Buffer.from('\uFEFFOpen?, "9, to 17"'),
    pairs: [['Open?', '9, to 17']],
  },
];

describe('the import of pairs in the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  let botId: string;
  before(async () => {
    rig = await startRig();
    ({ botId } = await addTeamWithBot(rig));
  });
  after(() => rig.close());

  const openDialog = async (page: Page) => {
    await page.getByRole('button', { name: 'Paste or import' }).click();
    return page.getByRole('dialog', { name: 'Import pairs' });
  };
  const storedPairs = async () =>
    (await rig.api.getBot({ id: botId })).questions.map(({ question, answer }) => [question, answer]);

  it('reads every encoding and separator, and saves what it shows', async () => {
    const { page, problems, close } = await rig.open(`/bots/${botId}?tab=questions`);
    for (const { name, content, pairs } of files) {
      const dialog = await openDialog(page);
      const file = { name, mimeType: 'text/csv', buffer: content };
      await dialog.getByLabel('Choose a CSV file', { exact: true }).last().setInputFiles(file);
      for (const [question] of pairs) await dialog.getByLabel('Preview').getByText(question).waitFor();
      await dialog.getByRole('button', { name: 'Replace the list' }).click();
      await page.getByRole('button', { name: 'Save changes' }).click();
      await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
      assert.deepEqual(await storedPairs(), pairs, name);
    }
    assert.deepEqual(problems, []);
    await close();
  });

  it('shows the columns, lets the user choose others, and says why it leaves out a row', async () => {
    const opened = await rig.open(`/bots/${botId}?tab=questions`, { width: 360 });
    const { page, problems, close } = opened;
    const dialog = await openDialog(page);
    const table = 'id;otázka;odpověď\n1;Kdy?;V pět\n2;Kdy?;V šest\n3;Kde?;\n4;Kolik?;"Sto';
    await dialog.getByRole('textbox').fill(table);
    await dialog.getByLabel('Column with the questions').click();
    await page.getByRole('option', { name: 'Column 2: otázka' }).click();
    await dialog.getByLabel('Column with the answers').click();
    await page.getByRole('option', { name: 'Column 3: odpověď' }).click();
    await dialog.getByRole('switch', { name: 'The first row names the columns' }).click();
    await dialog.getByText('1 pair found.').waitFor();
    const refused = await dialog.getByLabel('Rows that are left out').getByRole('listitem').allTextContents();
    assert.deepEqual(refused, [
      'Line 3: the question is the same as in an earlier row',
      'Line 4: there is no answer',
      'Line 5: a quotation mark is not closed',
    ]);
    await assertAccessible(opened, 'the import of pairs');
    await takePicture(opened, 'import-pairs-360');
    await dialog.getByRole('button', { name: 'Replace the list' }).click();
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('You have unsaved changes').waitFor({ state: 'detached' });
    assert.deepEqual(await storedPairs(), [['Kdy?', 'V pět']]);
    assert.deepEqual(problems, []);
    await close();
  });

  it('refuses a workbook and a large file with a reason', async () => {
    const { page, problems, close } = await rig.open(`/bots/${botId}?tab=questions`);
    const dialog = await openDialog(page);
    const input = dialog.getByLabel('Choose a CSV file', { exact: true }).last();
    const choose = (name: string, buffer: Buffer) =>
      input.setInputFiles({ name, mimeType: 'text/csv', buffer });
    await choose('pairs.xlsx', Buffer.from('PK\u0003\u0004 and the rest'));
    await dialog.getByRole('alert').getByText('not a text file').waitFor();
    await choose('large.csv', Buffer.alloc(5_000_001, 'a,b\n'));
    await dialog.getByRole('alert').getByText('larger than 5 MB').waitFor();
    await choose('pairs.csv', Buffer.from('Open?,Yes'));
    await dialog.getByText('1 pair found.').waitFor();
    assert.equal(await dialog.getByRole('alert').count(), 0);
    assert.deepEqual(problems, []);
    await close();
  });
});
