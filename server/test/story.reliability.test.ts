import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createParley } from '@parley/sdk';
import { type RentalService, startRentalService } from '../../scripts/demo/rental-service.ts';
import { type ServiceProcess, startService } from '../../scripts/demo/service-process.ts';
import { playStory, type StoryOutcome } from '../../scripts/demo/story.ts';
import { launchChromium, noChromium } from './chromium.ts';
import { startFakeModels } from './fake-models/fake-models.ts';
import { startScratchServer } from './scratch-server.ts';

const demoProgram = fileURLToPath(new URL('../../scripts/demo/demo.ts', import.meta.url));

const key = { key_id: 'pk_story_of_the_tests', key_secret: 'sk_story_of_the_tests' };

describe('the demo story', () => {
  let rentals: RentalService;
  let dataDir: string;
  const running: ServiceProcess[] = [];

  before(async () => {
    rentals = await startRentalService();
    dataDir = await mkdtemp(join(tmpdir(), 'parley-story-'));
  });

  after(async () => {
    await stopAll();
    await rentals.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const start = async (environment: Record<string, string>): Promise<ServiceProcess> => {
    const service = await startService(
      {
        PORT: '0',
        DATA_DIR: dataDir,
        BOOTSTRAP_KEY_ID: key.key_id,
        BOOTSTRAP_KEY_SECRET: key.key_secret,
        ACTION_ALLOWED_HOSTS: new URL(rentals.url).host,
        DISCLOSURE_DEFAULT: 'first_reply',
        ...environment,
      },
      join(dataDir, 'service.log'),
    );
    running.push(service);
    return service;
  };

  /** Stops the processes in reverse order and expects exit code 0. */
  const stopAll = async (): Promise<void> => {
    for (const service of running.splice(0).reverse()) {
      service.child.kill('SIGTERM');
      assert.equal(await service.ended, 0, await readFile(join(dataDir, 'service.log'), 'utf8'));
    }
  };

  const play = (service: ServiceProcess): Promise<StoryOutcome> =>
    playStory({
      partner: createParley({ baseUrl: service.addresses.api ?? '', key }),
      rentalServiceUrl: rentals.url,
      devicePhone: '+15550100',
      customerPhone: '+15550199',
      narrator: { step: (_title, run) => run(), chat: () => undefined },
    });

  test('runs in one process on the embedded database', async () => {
    expectStory(await play(await start({})));
    await stopAll();
  });

  test('is played by the demo with a configured model', async () => {
    const fakes = await startFakeModels();
    const demo = spawn(
      process.execPath,
      [demoProgram, '--provider', 'openai', '--model', 'quoting', '--base-url', `${fakes.url}/v1`],
      {
        env: {
          ...process.env,
          DISCLOSURE_DEFAULT: 'first_reply',
          PORT: '0',
          DATA_DIR: join(dataDir, 'demo'),
          MODEL_API_KEY: 'sk-demo',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
    try {
      const said: string[] = [];
      for await (const line of createInterface({ input: demo.stdout })) {
        said.push(line);
        if (line.includes('Call it yourself')) break;
      }
      const story = said.join('\n');
      // The exact question of a pair needs no model.
      assert.match(story, /automatic assistant of Lumen Bikes.*Yes, a helmet is included with every bike\./s);
      assert.match(story, /150 euros/);
      const [, shopUrl = ''] = /Chat on a website +(\S+)/.exec(story) ?? [];
      if (!noChromium) await chatOnWebsite(shopUrl);
      const { tools } = (await fakes.requests('quoting')).at(-1)?.body ?? { tools: [] };
      assert.equal(tools[0].name, 'Rental_status');
      const log = await readFile(join(dataDir, 'demo', 'demo.log'), 'utf8');
      assert.doesNotMatch(log, /closed DATA_DIR/, 'the demo creates its folder with the final mode');
    } finally {
      demo.kill('SIGTERM');
      await once(demo, 'exit');
      await fakes.stop();
    }
  });

  test('runs in four processes on an external database', async () => {
    const database = await startScratchServer({ tcp: true });
    try {
      const simulator = await start({ ROLES: 'simulator', DATA_DIR: join(dataDir, 'apart') });
      const shared = {
        DATABASE_URL: database.url,
        ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64'),
        SIMULATOR_URL: simulator.addresses.simulator ?? '',
        DATA_DIR: join(dataDir, 'apart'),
      };
      await start({ ...shared, ROLES: 'pool' });
      await start({ ...shared, ROLES: 'worker' });
      expectStory(await play(await start({ ...shared, ROLES: 'api' })));
      await stopAll();
    } finally {
      await database.remove();
    }
  });
});

/** Talks to the bot on the page of the shop, as a newcomer does. */
async function chatOnWebsite(shopUrl: string): Promise<void> {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage({ locale: 'en-US' });
    await page.goto(shopUrl);
    await page.getByRole('button', { name: 'Open the chat' }).click();
    await page.getByText('Ask me about bikes').waitFor();
    await page.getByRole('textbox', { name: 'Write a message' }).fill('Do you lend helmets?');
    await page.keyboard.press('Enter');
    await page.getByText('Yes, a helmet is included with every bike.').waitFor();
  } finally {
    await browser.close();
  }
}

function expectStory({ answers, sent }: StoryOutcome): void {
  assert.equal(
    answers.fromPair,
    'Hi, I am the automatic assistant of Lumen Bikes.\n\nYes, a helmet is included with every bike.',
  );
  assert.match(answers.fromDocument, /150 euros/);
  assert.match(answers.fromDocument, /handbook\.pdf, page \d/);
  assert.match(answers.fromAction, /active/);
  assert.equal(sent.status, 'sent');
  assert.equal(sent.usage.activeMessagesUsed, 1);
}
