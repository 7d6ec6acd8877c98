import type { Command } from './command.ts';

const json = { type: 'boolean', description: 'print JSON' } as const;

/** Each command loads its program when it runs, so that `--help` and `version` are quick. */
export const commands: readonly Command[] = [
  {
    name: 'start',
    summary: 'Start the service in this process, configured by environment variables (docs/configuration.md)',
    async run() {
      await import('../program.ts');
      // program.ts ends the process.
      return new Promise<never>(() => undefined);
    },
  },
  {
    name: 'demo',
    summary: 'Start the service, play an example on it, and keep it running for you to try',
    run: () => Promise.reject(new Error('bin/parley.js runs the demo')),
  },
  {
    name: 'doctor',
    summary: 'Check this deployment: database, files, keys, models and network, and suggest fixes',
    options: { json },
    run: async (input) => (await import('./doctor.ts')).runDoctor(input),
  },
  {
    name: 'config check',
    summary: 'Check the environment variables and print those that are set, without secrets',
    run: async (input) => (await import('./config-check.ts')).checkConfig(input),
  },
  {
    name: 'keys create',
    summary: 'Create an API key and print its secret, which is shown once',
    options: {
      name: { type: 'string', value: 'NAME', description: 'name of the key (required)' },
      team: { type: 'string', value: 'ID', description: 'the only team that the key may see; default: all' },
      expires: { type: 'string', value: 'TIME', description: 'like 2027-01-31T00:00:00Z; default: never' },
    },
    run: async (input) => (await import('./keys.ts')).createKey(input),
  },
  {
    name: 'keys list',
    summary: 'List the API keys, newest first',
    options: { json },
    run: async (input) => (await import('./keys.ts')).listKeys(input),
  },
  {
    name: 'keys rotate',
    summary: 'Replace an API key: create one with the same rights, and let the old one expire',
    parameters: ['KEY_ID'],
    options: {
      hours: {
        type: 'string',
        value: 'N',
        description: 'hours until the old key expires; default: 24, 0: at once',
      },
    },
    run: async (input) => (await import('./keys.ts')).rotateKey(input),
  },
  {
    name: 'owner-link',
    summary: 'Print a link that signs an owner in, once, within an hour, for example without the password',
    options: {
      email: {
        type: 'string',
        value: 'ADDRESS',
        description: 'the address of the owner; default: the owner who was there last',
      },
    },
    run: async (input) => (await import('./owner-link.ts')).printOwnerLink(input),
  },
  {
    name: 'pools list',
    summary: 'List the pools, their devices and leases',
    options: { json },
    run: async (input) => (await import('./pools.ts')).listPools(input),
  },
  {
    name: 'pools drain',
    summary: 'Empty a pool before maintenance: its devices move to other pools with room',
    parameters: ['POOL'],
    options: { wait: { type: 'boolean', description: 'return when the pool has no devices left' } },
    run: async (input) => (await import('./pools.ts')).drainPool(input),
  },
  {
    name: 'test',
    summary:
      'Run the cases of a bot of a running service, print those that fail, and exit with 1 if one does',
    parameters: ['BOT_ID'],
    options: {
      cases: { type: 'string', value: 'FILE', description: 'a CSV whose cases are imported first' },
      version: { type: 'string', value: 'NAME', description: 'draft or published; default: draft' },
      json,
    },
    run: async (input) => (await import('./test-bot.ts')).testBot(input),
  },
  {
    name: 'audit verify',
    summary: 'Check that nobody changed or removed a row of the audit log',
    options: {
      head: {
        type: 'string',
        value: 'HEAD',
        description: 'a head of an earlier time, which the log must still have',
      },
    },
    run: async (input) => (await import('./audit.ts')).verifyAudit(input),
  },
  {
    name: 'migrate',
    summary: 'Bring the schema of the database up to this version (every start does it, too)',
    run: async (input) => (await import('./migrate.ts')).runMigrations(input),
  },
  {
    name: 'backup',
    summary: 'Write database, files and keys to a new folder, also while the service runs',
    parameters: ['FOLDER'],
    options: {
      'without-keys': {
        type: 'boolean',
        description: 'leave out the generated keys: a restore needs ENCRYPTION_KEY',
      },
      recipient: {
        type: 'string',
        value: 'age1…',
        description: 'encrypt every file to this public key of age',
      },
    },
    run: async (input) => (await import('./backup.ts')).backUp(input),
  },
  {
    name: 'restore',
    summary: 'Restore a backup into an empty deployment and check every document against its file',
    parameters: ['FOLDER'],
    options: {
      identity: {
        type: 'string',
        value: 'FILE',
        description: 'a file with the secret key of an encrypted backup',
      },
    },
    run: async (input) => (await import('./restore.ts')).restore(input),
  },
  {
    name: 'team export',
    summary: 'Write a banned team to a new folder, to move it to another deployment',
    parameters: ['TEAM_ID', 'FOLDER'],
    run: async (input) => (await import('./team.ts')).exportTeam(input),
  },
  {
    name: 'team import',
    summary: 'Add a team that another deployment exported',
    parameters: ['FOLDER'],
    run: async (input) => (await import('./team.ts')).importTeam(input),
  },
  {
    name: 'team release',
    summary:
      'Forget the phones of a banned team that another deployment imported, so that deleting it keeps them linked',
    parameters: ['TEAM_ID'],
    run: async (input) => (await import('./team.ts')).releaseTeam(input),
  },
  {
    name: 'version',
    summary: 'Print the versions of Parley and Node.js',
    run: async ({ print }) => {
      const { version } = await import('../../platform/shared/version.ts');
      print(`parley ${version}, Node.js ${process.versions.node}, ${process.platform}-${process.arch}`);
      return 0;
    },
  },
];
