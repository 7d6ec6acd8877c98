import { randomUUID } from 'node:crypto';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { syncDirectory, writeDurably } from '../../shared/durable-files.ts';
import { clusterRole } from './cluster.ts';
import { connectOrStart } from './connect-or-start.ts';
import { reloadSettings } from './postmaster.ts';
import { changeOwner } from './server-account.ts';
import { type ConnectionOptions, databaseName, isPasswordRefused } from './server-connection.ts';
import type { ServerHome } from './server-home.ts';

/** The role that Parley connects as. It owns the database and has no other rights. */
export const applicationRole = 'parley_app';

/** Session advisory lock (ASCII "role"). */
const setupLock = 0x726f6c65;

const reloadTimeoutMs = 30_000;

const accessRules = `# Written by Parley, which replaces this file at start if a line allows "trust".
local all all scram-sha-256
host all all 127.0.0.1/32 scram-sha-256
host all all ::1/128 scram-sha-256
`;

const accessFile = (clusterDirectory: string): string => join(clusterDirectory, 'pg_hba.conf');

export async function requiresPassword(clusterDirectory: string): Promise<boolean> {
  const rules = (await readFile(accessFile(clusterDirectory), 'utf8')).split('\n');
  return !rules.some((rule) => /^\s*[^#\s].*\btrust\b/.test(rule));
}

/**
 * Turns a cluster without passwords, as initdb and version 0.1.0 left it, into one whose only login is the application's
 * role. The superuser keeps no password, so nobody can log in as it. Repeats what a crash interrupted.
 */
export async function requirePassword(
  home: ServerHome,
  address: Pick<ConnectionOptions, 'host' | 'port'>,
  password: string,
): Promise<void> {
  // Without a password requirement, the server ignores this password.
  const superuser = { ...address, user: clusterRole, password: 'none', database: 'postgres' };
  try {
    const client = await connectOrStart(home, superuser);
    try {
      await client.query('select pg_advisory_lock($1)', [setupLock]);
      await createRoleAndDatabase(client, password);
      await transferObjects({ ...superuser, database: databaseName });
      await writeAccessRules(home);
    } finally {
      await client.end();
    }
  } catch (error) {
    // Another program was faster.
    if (!(isPasswordRefused(error) && (await requiresPassword(home.clusterDirectory)))) throw error;
  }
  await waitUntilRefused(home, superuser);
}

async function createRoleAndDatabase(client: pg.Client, password: string): Promise<void> {
  const { rows } = await client.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = $1) as role,
            exists (select from pg_database where datname = $2) as database`,
    [applicationRole, databaseName],
  );
  const [found] = rows;
  const rights = `login nosuperuser nocreatedb nocreaterole password ${pg.escapeLiteral(password)}`;
  await client.query(`${found?.role === true ? 'alter' : 'create'} role ${applicationRole} ${rights}`);
  await client.query(`alter role ${clusterRole} password null`);
  if (found?.database === true)
    await client.query(`alter database ${databaseName} owner to ${applicationRole}`);
  else await client.query(`create database ${databaseName} owner ${applicationRole}`);
}

/** REASSIGN OWNED refuses to take objects from the cluster's first role. Sequences of columns follow their tables. */
const transferStatements = `
  with mine as (
    select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'
  )
  select format('alter schema %I owner to ${applicationRole}', nspname) as statement
  from mine join pg_namespace n using (oid, nspname) where n.nspowner = '${clusterRole}'::regrole
  union all
  select format('alter %s %s owner to ${applicationRole}',
                case relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence'
                             when 'c' then 'type' else 'table' end, c.oid::regclass)
  from pg_class c join mine on mine.oid = c.relnamespace
  where relkind in ('r', 'p', 'v', 'm', 'S', 'c') and relowner = '${clusterRole}'::regrole
    and not exists (select from pg_depend d
                    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'e', 'i')
                      and (c.relkind <> 'c' or d.deptype = 'e'))
  union all
  select format('alter routine %s owner to ${applicationRole}', p.oid::regprocedure)
  from pg_proc p join mine on mine.oid = p.pronamespace
  where proowner = '${clusterRole}'::regrole
    and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  union all
  select format('alter type %s owner to ${applicationRole}', t.oid::regtype)
  from pg_type t join mine on mine.oid = t.typnamespace
  where typowner = '${clusterRole}'::regrole and typtype in ('e', 'd', 'r')
    and not exists (select from pg_depend d where d.classid = 'pg_type'::regclass and d.objid = t.oid and d.deptype = 'e')`;

async function transferObjects(superuser: ConnectionOptions): Promise<void> {
  const client = new pg.Client({ ...superuser });
  client.on('error', () => {});
  await client.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query<{ statement: string }>(transferStatements);
    for (const { statement } of rows) await client.query(statement);
    await client.query('commit');
  } finally {
    await client.end();
  }
}

async function writeAccessRules({ clusterDirectory, account }: ServerHome): Promise<void> {
  const path = accessFile(clusterDirectory);
  const draft = `${path}.${randomUUID()}`;
  await writeDurably(draft, Buffer.from(accessRules));
  await changeOwner(account, draft);
  await rename(draft, path);
  await syncDirectory(clusterDirectory);
}

/** A reload takes effect some moments after its signal. */
async function waitUntilRefused(home: ServerHome, superuser: ConnectionOptions): Promise<void> {
  await reloadSettings(home.clusterDirectory);
  const deadline = Date.now() + reloadTimeoutMs;
  while (await canLogIn(superuser)) {
    if (Date.now() > deadline)
      throw new Error(`${home.clusterDirectory} still accepts logins without a password`);
    await delay(20);
  }
}

async function canLogIn(options: ConnectionOptions): Promise<boolean> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: 5_000 });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.end();
    return true;
  } catch {
    return false;
  }
}
