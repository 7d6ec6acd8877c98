import { randomBytes, randomUUID } from 'node:crypto';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { readLine, readOrCreateLine, syncDirectory, writeDurably } from '../../shared/durable-files.ts';
import type { Encryption } from '../../shared/encryption.ts';
import { passwordLost, passwordSealed } from './embedded-server.errors.ts';

interface PasswordOptions {
  readonly dataDirectory: string;
  readonly encryption: Pick<Encryption, 'seal' | 'open' | 'currentHeader'>;
  /** False if the server already requires a password. */
  readonly mayCreate: boolean;
}

const context = 'database-password';

export const passwordFile = (dataDirectory: string): string => join(dataDirectory, 'database-password');

/** Returns the password of the application's role from its sealed file, and seals it with the current encryption key. */
export async function openDatabasePassword(options: PasswordOptions): Promise<string> {
  const { dataDirectory, encryption, mayCreate } = options;
  const path = passwordFile(dataDirectory);
  if (!mayCreate && (await readLine(path)) === null) throw passwordLost(path);
  const generated = Buffer.from(randomBytes(32).toString('base64url'));
  const line = await readOrCreateLine(path, encryption.seal(generated, context).toString('base64'));
  const sealed = Buffer.from(line, 'base64');
  const password = open(path, encryption, sealed);
  const { currentHeader } = encryption;
  if (!sealed.subarray(0, currentHeader.length).equals(currentHeader))
    await replaceLine(path, encryption.seal(password, context).toString('base64'));
  return password.toString();
}

function open(path: string, encryption: PasswordOptions['encryption'], sealed: Buffer): Buffer {
  try {
    return encryption.open(sealed, context);
  } catch (error) {
    throw passwordSealed(path, error);
  }
}

async function replaceLine(path: string, line: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  await writeDurably(draft, Buffer.from(`${line}\n`));
  await rename(draft, path);
  await syncDirectory(dirname(path));
}
