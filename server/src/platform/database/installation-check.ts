import type pg from 'pg';
import { withDeadline } from '../shared/deadline.ts';

const deadlineMs = 10_000;

class DatabaseUnusable extends Error {
  override readonly name = 'DatabaseUnusable';
}

/** Checks that new connections lead to the database that the process started with, and that it can use the schema. */
export interface InstallationCheck {
  /** Connections are not checked before this call. */
  expect(installationId: string): void;
  /** Throws on a connection to another database or an incompatible schema, after it has called `onUnusable`. */
  check(client: Pick<pg.ClientBase, 'query'>): Promise<void>;
}

export function createInstallationCheck(
  schema: number,
  onUnusable: (reason: string, found: object) => void,
): InstallationCheck {
  let expected: string | null = null;
  return {
    expect(installationId) {
      expected = installationId;
    },
    async check(client) {
      if (expected === null) return;
      const { id, incompatible } = await withDeadline(deadlineMs, () => readInstallation(client, schema));
      const reason =
        id !== expected
          ? 'the database was replaced by another one'
          : incompatible
            ? 'a newer Parley has changed the schema of the database, and this version cannot use it'
            : null;
      if (reason === null) return;
      onUnusable(reason, { installationId: id });
      throw new DatabaseUnusable(reason);
    },
  };
}

const undefinedTable = '42P01';

interface Installation {
  id: string | null;
  incompatible: boolean;
}

async function readInstallation(client: Pick<pg.ClientBase, 'query'>, schema: number): Promise<Installation> {
  const none = { id: null, incompatible: false };
  try {
    const { rows } = await client.query<Installation>(
      `select id, exists (select from schema_migrations where version > ${schema} and incompatible) as incompatible
       from installation`,
    );
    return rows[0] ?? none;
  } catch (error) {
    if (Object(error).code === undefinedTable) return none;
    throw error;
  }
}
