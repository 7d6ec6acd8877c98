import { readFile } from 'node:fs/promises';
import { Decrypter, Encrypter } from 'age-encryption';
import { type FileFormat, plainFiles } from '../../platform/database/backup/file-format.ts';
import { CommandFailed } from './command.ts';

/** The ending that age's own tools use. */
export const encryptedSuffix = '.age';

/** Returns the format of files that only the identity of the recipient can read, or of plain files. Throws `CommandFailed`. */
export function formatForRecipient(recipient: string | undefined): FileFormat {
  if (recipient === undefined) return plainFiles;
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch {
    throw new CommandFailed('--recipient is no public key of age: it must begin with age1');
  }
  return {
    suffix: encryptedSuffix,
    async *convert(content) {
      yield* await encrypter.encrypt(ReadableStream.from(content));
    },
  };
}

/** `file` has secret keys of age, one a line, as `age-keygen` writes it. Throws `CommandFailed`. */
export async function formatForIdentity(file: string | undefined): Promise<FileFormat> {
  if (file === undefined) return plainFiles;
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandFailed(`The file of --identity cannot be read: ${error.message}`);
  });
  const identities = text.split(/\r?\n/).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  const decrypter = new Decrypter();
  try {
    for (const identity of identities) decrypter.addIdentity(identity.trim());
  } catch {
    throw new CommandFailed(`${file} holds a line that is no secret key of age (AGE-SECRET-KEY-1…)`);
  }
  if (identities.length === 0) throw new CommandFailed(`${file} holds no secret key of age`);
  return {
    suffix: encryptedSuffix,
    async *convert(content) {
      try {
        yield* await decrypter.decrypt(ReadableStream.from(content));
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        throw new CommandFailed(`A file of the backup cannot be decrypted, or it is damaged: ${why}`);
      }
    },
  };
}
