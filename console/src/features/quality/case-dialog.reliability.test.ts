import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Response } from 'playwright-core';
import { noChromium } from '../../../../server/test/chromium.ts';
import { eventually } from '../../../../server/test/eventually.ts';
import { addTeamWithBot, startRig } from '../../../test/rig.ts';

test('does not overwrite a case that changed while it was open', { skip: noChromium }, async () => {
  const rig = await startRig();
  try {
    const { botId } = await addTeamWithBot(rig);
    const messages = [{ role: 'contact' as const, text: 'Who are you?' }];
    const { id: caseId } = await rig.api.createCase({ id: botId, name: 'Greeting', messages });
    const { page, close } = await rig.open(`/bots/${botId}?tab=quality&case=${caseId}`);
    const dialog = page.getByRole('dialog', { name: 'Case' });
    await dialog.getByLabel('Name').fill('Mine');
    await rig.api.updateCase({ id: botId, caseId, name: 'Theirs' });

    // A window that gets the focus reads old data again.
    const reads: Response[] = [];
    page.on('response', (response) => {
      if (response.request().method() === 'GET' && response.url().endsWith(caseId)) reads.push(response);
    });
    await eventually(async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      assert.match((await reads.at(-1)?.text()) ?? '', /Theirs/);
    }, 60_000);
    const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await dialog.getByRole('button', { name: 'Save the case' }).click();
    await saved;
    assert.equal((await rig.api.getCase({ id: botId, caseId })).name, 'Theirs');
    await dialog.getByRole('alert').waitFor();
    await close();
  } finally {
    await rig.close();
  }
});
