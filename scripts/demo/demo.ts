import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createParley } from '@parley/sdk';
import { waitForStopSignal } from '../../server/src/platform/shared/signals.ts';
import { printOwnerLink } from '../../server/src/process/cli/owner-link.ts';
import { readOptions } from '../command-line.ts';
import { createNarrator, waitForClosedOutput } from './narrator.ts';
import { startRentalService } from './rental-service.ts';
import { startService } from './service-process.ts';
import { playStory } from './story.ts';

const {
  verbose,
  provider,
  model,
  'base-url': modelUrl,
} = readOptions(
  'npm run demo [-- OPTIONS], or parley demo [OPTIONS]: --verbose, --provider NAME --model ID [--base-url URL], with MODEL_API_KEY if the provider needs a key',
  {
    /** Prints full requests and responses. */
    verbose: { type: 'boolean', default: false },
    /** The variables ASSISTANT_PROVIDER, MODEL_LEVEL_1 and MODEL_BASE_URL. */
    provider: { type: 'string' },
    model: { type: 'string' },
    'base-url': { type: 'string' },
  },
);
const customerPhone = '+15557770199';

/** Starts the whole platform, plays its main path, and keeps the platform running until `stop` resolves. */
async function demo(stop: Promise<unknown>): Promise<void> {
  const dataDir = resolve(process.env['DATA_DIR'] ?? './data');
  const logFile = join(dataDir, 'demo.log');
  await using started = new AsyncDisposableStack();
  const rentals = await startRentalService();
  started.defer(() => rentals.close());
  process.stdout.write(`Starting Parley and PostgreSQL in ${dataDir} (log: ${logFile}) …\n\n`);
  const service = await startService(
    {
      DATA_DIR: dataDir,
      ACTION_ALLOWED_HOSTS: new URL(rentals.url).host,
      ...(provider === undefined ? {} : { ASSISTANT_PROVIDER: provider }),
      ...(model === undefined ? {} : { MODEL_LEVEL_1: model }),
      ...(modelUrl === undefined ? {} : { MODEL_BASE_URL: modelUrl }),
    },
    logFile,
  );
  started.defer(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
  });
  const baseUrl = service.addresses.api;
  if (baseUrl === undefined) throw new Error('The demo needs all roles: unset ROLES.');
  const narrator = createNarrator(process.stdout, { verbose });
  const devicePhone = `+15550${String(Date.now() % 1_000_000).padStart(6, '0')}`;
  const key = await readKey(dataDir);
  const story = playStory({
    partner: createParley({ baseUrl, key, onResponse: narrator.show }),
    rentalServiceUrl: rentals.url,
    devicePhone,
    customerPhone,
    narrator,
  });
  // Ctrl-C also reaches the service. Stop waiting for the story then: its requests would fail one after another.
  const played = await Promise.race([story, stop.then(() => null)]);
  if (played === null) return;
  const chat = new URLSearchParams({ device: devicePhone, contact: customerPhone });
  const phoneUrl = `${baseUrl}/simulator?${chat}`;
  rentals.openShop({ baseUrl, siteKey: played.siteKey, phoneUrl });
  await Promise.race([waitForScript(baseUrl), stop]);
  const consoleUrl = await createConsoleLink(baseUrl, dataDir, key);
  process.stdout.write(`
Parley keeps running until you press Ctrl-C. Next:
  Chat on a website     ${rentals.url}/
  Chat from a phone     ${phoneUrl}
  Open the console      ${consoleUrl} (works once)
  Read the API          ${baseUrl}/api/openapi/reference
  Call it yourself      README.md, with the API key in ${join(dataDir, 'first-api-key.json')}
`);
  await Promise.race([stop, service.ended]);
}

/** The first start builds the script of the chat. Waits at most two minutes for it. */
async function waitForScript(baseUrl: string): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if ((await fetch(`${baseUrl}/widget.js`)).ok) return;
    await setTimeout(500);
  }
}

/** A link that signs in once, as an owner whom the first demo adds. */
async function createConsoleLink(
  baseUrl: string,
  dataDir: string,
  key: { key_id: string; key_secret: string },
): Promise<string> {
  const partner = createParley({ baseUrl, key });
  const { set_up: isNew } = await partner.getSignInMeans();
  if (isNew)
    await partner.createUser({ name: 'Owner of the demo', email: 'owner@example.com', role: 'owner' });
  let url = '';
  await printOwnerLink({
    environment: { ...process.env, DATA_DIR: dataDir, BASE_URL: baseUrl },
    values: {},
    parameters: [],
    print: (line) => {
      url = line;
    },
  });
  return url;
}

/** Returns the key from the environment, or the key that the deployment generated at its first start. */
async function readKey(dataDir: string): Promise<{ key_id: string; key_secret: string }> {
  const { BOOTSTRAP_KEY_ID, BOOTSTRAP_KEY_SECRET } = process.env;
  if (BOOTSTRAP_KEY_ID && BOOTSTRAP_KEY_SECRET) {
    return { key_id: BOOTSTRAP_KEY_ID, key_secret: BOOTSTRAP_KEY_SECRET };
  }
  return JSON.parse(await readFile(join(dataDir, 'first-api-key.json'), 'utf8'));
}

let stopping = false;
const stop = Promise.race([waitForStopSignal(), waitForClosedOutput(process.stdout)]).then(() => {
  stopping = true;
  process.stdout.write('\nStopping …\n');
});

demo(stop).then(
  () => process.exit(0),
  (error: unknown) => {
    // A request that the stop interrupted is no failure.
    if (stopping) process.exit(0);
    process.stderr.write(`\nThe demo failed: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);
