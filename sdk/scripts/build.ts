/** `npm run build -w sdk [-- FOLDER]`: writes the package that `npm publish` takes, by default to sdk/dist. */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const sdk = fileURLToPath(new URL('..', import.meta.url));
const target = resolve(process.argv[2] ?? join(sdk, 'dist'));

rmSync(target, { recursive: true, force: true });
execFileSync(join(sdk, '../node_modules/.bin/tsc'), ['-p', sdk, '--outDir', target], { stdio: 'inherit' });
const repository = findRepository();
const { private: _, scripts: __, ...manifest } = JSON.parse(readFileSync(join(sdk, 'package.json'), 'utf8'));
const published = {
  ...manifest,
  ...(repository === null ? {} : { repository }),
  exports: { types: './index.d.ts', default: './index.js' },
  sideEffects: false,
};
writeFileSync(join(target, 'package.json'), `${JSON.stringify(published, null, 2)}\n`);
cpSync(join(sdk, 'README.md'), join(target, 'README.md'));
cpSync(join(sdk, '../LICENSE'), join(target, 'LICENSE'));

/** A clone of a folder has no address that others could use. */
function findRepository() {
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: sdk, encoding: 'utf8' });
  const url = stdout?.trim() ?? '';
  return /^(https?:|ssh:|git@)/.test(url) ? { type: 'git', url, directory: 'sdk' } : null;
}
