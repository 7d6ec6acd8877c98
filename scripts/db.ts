import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import pg from 'pg';
import { startEmbeddedServer } from '../server/src/platform/database/embedded/embedded-server.ts';
import { createEncryption } from '../server/src/platform/shared/encryption.ts';
import { createLogger } from '../server/src/platform/shared/logger.ts';
import { readConfig } from '../server/src/process/config.ts';
import { openEncryptionKeys } from '../server/src/process/encryption-keys.ts';
import { readOptions, refuseUse } from './command-line.ts';

const usage = "npm run db [-- --command 'select …']";
const { command } = readOptions(usage, { command: { type: 'string' } });

/** Opens psql, or a small SQL prompt where psql is not installed, on the database of this environment. */
async function openDatabase(): Promise<number> {
  const config = readConfig({ ...process.env, ROLES: 'api,pool,worker' });
  if (config.DATABASE_URL !== null) return openPrompt(config.DATABASE_URL);
  const { DATA_DIR: dataDir } = config;
  if (!existsSync(dataDir))
    refuseUse(
      usage,
      `There is no database in ${dataDir}: run npm start first, or set DATA_DIR or DATABASE_URL`,
    );
  const { encryptionKeys } = await openEncryptionKeys(config);
  const encryption = createEncryption(...encryptionKeys);
  const server = await startEmbeddedServer({ dataDir, encryption, logger: createLogger('warn') });
  try {
    return await openPrompt(server.url);
  } finally {
    await server.release();
  }
}

async function openPrompt(url: string): Promise<number> {
  if (spawnSync('psql', ['--version']).status === 0) return runPsql(url);
  const client = new pg.Client(url);
  await client.connect();
  try {
    if (command !== undefined) return (await runStatement(client, command)) ? 0 : 1;
    await promptForStatements(client, url);
    return 0;
  } finally {
    await client.end();
  }
}

async function runPsql(url: string): Promise<number> {
  // psql handles Ctrl-C: it cancels the running statement.
  process.on('SIGINT', () => undefined);
  const { address, password } = splitPassword(url);
  const psql = spawn('psql', [address, ...(command === undefined ? [] : ['--command', command])], {
    stdio: 'inherit',
    // Other users can read the command line.
    env: { ...process.env, ...(password === '' ? {} : { PGPASSWORD: password }) },
  });
  return new Promise((resolve) => psql.once('exit', (code) => resolve(code ?? 1)));
}

function splitPassword(url: string): { address: string; password: string } {
  const parsed = new URL(url);
  const password = decodeURIComponent(parsed.password);
  parsed.password = '';
  return { address: parsed.href, password };
}

/** Runs each statement that ends in a semicolon, until `\q` or the end of the input. */
async function promptForStatements(client: pg.Client, url: string): Promise<void> {
  process.stdout.write(
    `Connected to ${splitPassword(url).address}\nEnd statements with ";". \\d lists the tables, \\q quits.\n`,
  );
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: 'parley=> ' });
  let closed = false;
  lines.once('close', () => {
    closed = true;
  });
  let statement = '';
  lines.prompt();
  for await (const line of lines) {
    if (statement === '' && line.trim() === '\\q') break;
    statement += statement === '' && line.trim() === '\\d' ? listTables : `${line}\n`;
    if (statement.trimEnd().endsWith(';')) {
      await runStatement(client, statement);
      statement = '';
    }
    if (!closed) lines.prompt();
  }
  lines.close();
}

const listTables = "select tablename from pg_tables where schemaname = 'public' order by 1;";

/** Prints the rows or the error. Returns false after an error. */
async function runStatement(client: pg.Client, statement: string): Promise<boolean> {
  try {
    // Several statements in one text return an array of results.
    for (const { command: verb, rowCount, rows } of [await client.query(statement)].flat()) {
      if (rows.length > 0) console.table(rows);
      console.log(`${verb} ${rowCount ?? ''}`);
    }
    return true;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return false;
  }
}

process.exit(await openDatabase());
