import { createOwnerLink } from '../../tenancy/people/owner-link.ts';
import { CommandFailed, type CommandInput } from './command.ts';
import { withDatabase } from './open-deployment.ts';

/** Prints an address that signs an owner in, for somebody who has access to the machine. */
export async function printOwnerLink(input: CommandInput): Promise<number> {
  const { email } = input.values;
  const url = await withDatabase(input, async ({ db, config }) => {
    const token = await createOwnerLink(db, typeof email === 'string' ? email : null);
    const address = config.BASE_URL ?? `http://127.0.0.1:${config.PORT}`;
    return token === null ? null : `${address.replace(/\/$/, '')}/console/enter#${token}`;
  });
  if (url === null)
    throw new CommandFailed(
      typeof email === 'string'
        ? `No owner of the deployment has the address ${email}`
        : 'The deployment has no owner yet: parley start writes a link that creates one',
    );
  input.print(url);
  return 0;
}
