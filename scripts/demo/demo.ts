import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { waitForStopSignal } from '../../server/src/shared/signals.ts';
import { createNarrator } from './narrator.ts';
import { createPartner } from './partner.ts';
import { startRentalService } from './rental-service.ts';
import { startService } from './service-process.ts';
import { playStory } from './story.ts';

/** Starts the whole platform, plays its main path against it, and stays up until it is told to stop. */
async function demo(stop: Promise<unknown>): Promise<void> {
  const dataDir = resolve(process.env['DATA_DIR'] ?? './data');
  const logFile = join(dataDir, 'demo.log');
  await using started = new AsyncDisposableStack();
  const rentals = await startRentalService();
  started.defer(() => rentals.close());
  process.stdout.write(`Starting Parley on an embedded PostgreSQL under ${dataDir} (log: ${logFile}) …\n`);
  const service = await startService(
    { DATA_DIR: dataDir, ACTION_ALLOWED_HOSTS: new URL(rentals.url).host },
    logFile,
  );
  started.defer(async () => {
    service.child.kill('SIGTERM');
    await service.ended;
  });
  const baseUrl = service.addresses.api;
  if (baseUrl === undefined) throw new Error('the demo needs the api role: unset ROLES');
  const narrator = createNarrator(process.stdout);
  const suffix = String(Date.now() % 1_000_000).padStart(6, '0');
  const story = playStory({
    partner: createPartner(baseUrl, narrator.show),
    key: await readKey(dataDir),
    rentalServiceUrl: rentals.url,
    devicePhone: `+15550${suffix}`,
    customerPhone: '+15557770199',
    chapter: narrator.chapter,
    heard: narrator.heard,
  });
  // The terminal's Ctrl-C reaches the service as well, which is then not to hear of it again much later.
  const played = await Promise.race([story.then(() => true), stop.then(() => false)]);
  if (!played) return;
  process.stdout.write(farewell(baseUrl, join(dataDir, 'first-api-key.json')));
  await Promise.race([stop, service.ended]);
}

/** The key that the deployment was given, or made for itself at its first start. */
async function readKey(dataDir: string): Promise<{ key_id: string; key_secret: string }> {
  const { BOOTSTRAP_KEY_ID, BOOTSTRAP_KEY_SECRET } = process.env;
  if (BOOTSTRAP_KEY_ID && BOOTSTRAP_KEY_SECRET) {
    return { key_id: BOOTSTRAP_KEY_ID, key_secret: BOOTSTRAP_KEY_SECRET };
  }
  return JSON.parse(await readFile(join(dataDir, 'first-api-key.json'), 'utf8'));
}

const farewell = (baseUrl: string, keyFile: string) => `
Parley stays up until Ctrl-C.
  API                ${baseUrl}/api/openapi/v1
  Reference          ${baseUrl}/api/openapi/reference
  OpenAPI document   ${baseUrl}/api/openapi/openapi.json
  Phone to chat with ${baseUrl}/simulator
  API key            ${keyFile}
`;

let toldToStop = false;
const stop = waitForStopSignal().then(() => {
  toldToStop = true;
  process.stdout.write('\nStopping …\n');
});

demo(stop).then(
  () => process.exit(0),
  (error: unknown) => {
    // What a stop interrupts has not failed.
    if (toldToStop) process.exit(0);
    process.stderr.write(`The demo failed: ${error instanceof Error ? error.message : error}\n`);
    process.exit(1);
  },
);
