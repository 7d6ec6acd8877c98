// biome-ignore-all lint/suspicious/noTemplateCurlyInString: source text that contains template literals
import type { Defect } from '../defect.ts';

/** The program, backups and the log. */
export const operationsDefects: readonly Defect[] = [
  {
    name: 'back-up-one-schema',
    file: 'server/src/platform/database/backup/stored-tables.ts',
    find: "where nspname !~ '^pg_' and nspname <> 'information_schema'",
    replace: "where nspname in ('public', 'graphile_worker')",
    test: {
      file: 'server/test/cli/backup.reliability.test.ts',
      name: 'holds everything, with',
    },
    why: 'A backup would lack the texts of all documents.',
  },
  {
    name: 'restore-with-triggers',
    file: 'server/src/platform/database/backup/import-database.ts',
    find: 'disable trigger user',
    replace: 'enable trigger user',
    test: {
      file: 'server/test/cli/backup.reliability.test.ts',
      name: 'holds everything, with',
    },
    why: 'The counters of lists would count every restored row twice.',
  },
  {
    name: 'die-when-the-terminal-closes',
    file: 'server/src/platform/shared/signals.ts',
    find: "  process.on('SIGHUP', receive);\n",
    replace: '',
    test: {
      file: 'server/test/start-stop/signals.reliability.test.ts',
      name: 'SIGHUP, as from a closed terminal, stops the service',
    },
    why: 'A closed terminal would kill the process at once, and the embedded PostgreSQL would stay behind.',
  },
  {
    name: 'keep-the-rotated-key',
    file: 'server/src/tenancy/api-keys/api-keys.queries.ts',
    find: "set expires_at = least(expires_at, now() + ${hours}::int * interval '1 hour')",
    replace: "set expires_at = now() + (${hours}::int + 1) * interval '1 hour'",
    test: {
      file: 'server/test/cli/program.reliability.test.ts',
      name: 'manage keys and pools beside the service',
    },
    why: 'A rotated key would work forever.',
  },
  {
    name: 'log-the-query',
    file: 'server/src/platform/http/request-log.ts',
    find: "const [path = ''] = request.url.split('?');",
    replace: 'const path = request.url;',
    test: {
      file: 'server/src/platform/http/request-log.test.ts',
      name: 'logs the reason, the address and the path of a refused request, without its query',
    },
    why: 'The log would contain names and phone numbers of searches.',
  },
  {
    name: 'print-secrets-of-the-configuration',
    file: 'server/src/process/config-report.ts',
    find: '/_(KEY|TOKEN|SECRET|HEADERS)$/.test(name)',
    replace: '/_(TOKEN|SECRET|HEADERS)$/.test(name)',
    test: {
      file: 'server/src/process/config-report.test.ts',
      name: 'names the value of a wrong variable, but no secret',
    },
    why: 'A typing error in ENCRYPTION_KEY would put the key into the log.',
  },
  {
    name: 'accept-transaction-pooling',
    file: 'server/src/platform/database/server-requirements.ts',
    find: 'if (before === after) return;',
    replace: 'if (before !== null) return;',
    test: {
      file: 'server/src/platform/database/server-requirements.test.ts',
      name: 'refuses a pooler in transaction mode',
    },
    why: 'Leases and notifications would fail at random behind PgBouncer.',
  },
];
