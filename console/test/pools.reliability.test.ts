import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { noChromium } from '../../server/test/chromium.ts';
import { assertAccessible, type Rig, startRig, takePicture } from './rig.ts';

describe('the pools of the console', { skip: noChromium, timeout: 900_000 }, () => {
  let rig: Rig;
  before(async () => {
    rig = await startRig();
    const user = { name: 'Ada', email: 'ada@example.com' };
    const { team } = await rig.api.createTeam({ team: { name: 'Lumen Bikes' }, user });
    const bot = await rig.api.createBot({ team_id: team.id, name: 'Lumen' });
    await rig.api.createDevice({ team_id: team.id, bot_id: bot.id, name: 'Front desk' });
  });
  after(() => rig.close());

  it('drains a pool, shows the progress, and says when no other pool has room', async () => {
    const opened = await rig.open('/pools');
    const { page, problems, close } = opened;
    await page.getByRole('button', { name: /^Drain/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('No other pool has room now').waitFor();
    await assertAccessible(opened, 'the question before draining');
    await takePicture(opened, 'pool-drain');
    await dialog.getByRole('button', { name: 'Drain' }).click();
    await page.getByText('1 device left').waitFor();
    await page.getByText('No other pool has room', { exact: true }).waitFor();
    // The dialog may still be closing.
    await page.getByRole('button', { name: /^Drain/ }).waitFor({ state: 'detached' });
    assert.equal((await rig.api.listPools()).data[0]?.draining, true);
    assert.deepEqual(problems, []);
    await close();
    for (const [theme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
      ['dark', 360],
    ] as const) {
      const shown = await rig.open('/pools', { theme, width });
      await shown.page.getByText('1 device left').waitFor();
      await assertAccessible(shown, `pools ${theme} ${width}`);
      await takePicture(shown, `pools-${theme}-${width}`);
      await shown.close();
    }
  });
});
