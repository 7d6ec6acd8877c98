import type pg from 'pg';
import { withDeadline } from '../shared/deadline.ts';

const deadlineMs = 10_000;

class DatabaseReplaced extends Error {
  override readonly name = 'DatabaseReplaced';
}

/** Checks that new connections lead to the database that the process started with. */
export interface InstallationCheck {
  /** Connections are not checked before this call. */
  expect(installationId: string): void;
  /** Throws on a connection to another database, after it has called `onReplaced`. */
  check(client: Pick<pg.ClientBase, 'query'>): Promise<void>;
}

export function createInstallationCheck(onReplaced: (found: string | null) => void): InstallationCheck {
  let expected: string | null = null;
  return {
    expect(installationId) {
      expected = installationId;
    },
    async check(client) {
      if (expected === null) return;
      const found = await withDeadline(deadlineMs, () => readInstallationId(client));
      if (found === expected) return;
      onReplaced(found);
      throw new DatabaseReplaced('the connection leads to another database');
    },
  };
}

const undefinedTable = '42P01';

async function readInstallationId(client: Pick<pg.ClientBase, 'query'>): Promise<string | null> {
  try {
    const { rows } = await client.query<{ id: string }>('select id from installation');
    return rows[0]?.id ?? null;
  } catch (error) {
    if (Object(error).code === undefinedTable) return null;
    throw error;
  }
}
