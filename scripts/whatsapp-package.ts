import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';

/** Tells whether packages/whatsapp can be checked and tested here. */
export type WhatsappPackage = { installed: true } | { installed: false; reason: string };

const folder = 'packages/whatsapp';
/** npm writes this file last. */
const installation = `${folder}/node_modules/.package-lock.json`;
/** npm's error codes for an unreachable registry, as opposed to a broken package. */
const unreachable =
  /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ENOTCACHED|ERR_SOCKET_TIMEOUT)\b/;

/**
 * Installs the optional package if it is missing or outdated. The root installation excludes it because of a dependency
 * under the GPL. Throws when the installation fails for another reason than an unreachable registry.
 */
export async function installWhatsappPackage(): Promise<WhatsappPackage> {
  if (isInstalled()) return { installed: true };
  process.stdout.write(`Installing ${folder}, which checks and tests need: npm ci --prefix ${folder}\n`);
  const { code, output } = await run('npm', ['ci', '--prefix', folder, '--loglevel=error']);
  process.stdout.write(output);
  if (code === 0) return { installed: true };
  const [why] = unreachable.exec(output) ?? [];
  if (why === undefined) throw new Error(`npm ci --prefix ${folder} failed`);
  return { installed: false, reason: `${folder} is not installed: the registry cannot be reached (${why})` };
}

/** True when the installation is newer than the lock file. */
function isInstalled(): boolean {
  const installed = statSync(installation, { throwIfNoEntry: false });
  return installed !== undefined && installed.mtimeMs >= statSync(`${folder}/package-lock.json`).mtimeMs;
}

async function run(
  command: string,
  args: readonly string[],
): Promise<{ code: number | null; output: string }> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, output: Buffer.concat(output).toString() };
}
