import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// Use only syntax of old Nodes here: this file runs on them to find a supported one.

/** Older versions lack features or security fixes that Parley needs. */
const oldestNode = '24.18.0';
const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Runs a program of Parley with these arguments: its sources in a clone, their compiled copy in an installed package. If this Node is too old, runs it
 * with the Node that npm installed beside Parley.
 */
export async function run(program, args = process.argv.slice(2)) {
  if (isSupported(process.versions.node)) {
    // Cached compiled sources save a third of the CPU time of a start.
    module.enableCompileCache(join(root, 'node_modules/.cache/parley'));
    if (program === 'server/src/process/program' || args[0] === 'start') spareMemory();
    process.argv.splice(2, Infinity, ...args);
    const source = join(root, `${program}.ts`);
    await import(existsSync(source) ? source : join(root, 'build', `${program}.js`));
    return;
  }
  const node = findInstalledNode();
  if (node === null) {
    process.stderr.write(
      `Parley needs Node.js ${oldestNode} or newer, and this is ${process.versions.node}. npm usually installs one ` +
        `beside Parley, but there is none for ${process.platform}-${process.arch}: install it from https://nodejs.org.\n`,
    );
    process.exit(1);
  }
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'];
  for (const signal of signals) process.on(signal, () => child.kill(signal));
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code ?? 1);
    for (const forwarded of signals) process.removeAllListeners(forwarded);
    process.kill(process.pid, signal);
  });
}

const smallHeap = '--max-semi-space-size=8';

/**
 * Restarts a service in place, so that V8 and the C library return memory. Otherwise they keep what the busiest moment took: 475 MB
 * under load instead of 270. A smaller heap would take more CPU time than it saves memory. Both read these limits only when a process begins.
 */
function spareMemory() {
  const { env, execPath, execArgv, argv } = process;
  // Windows has no such call, and a parent with a channel to this process would lose it.
  if (process.platform === 'win32' || process.connected || execArgv.includes(smallHeap)) return;
  process.execve(execPath, [execPath, smallHeap, ...execArgv, ...argv.slice(1)], {
    MALLOC_ARENA_MAX: '2',
    ...env,
  });
}

function findInstalledNode() {
  for (const prefix of ['node', 'node-bin']) {
    try {
      const manifest = module
        .createRequire(import.meta.url)
        .resolve(`${prefix}-${process.platform}-${process.arch}/package.json`);
      const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
      if (isSupported(version)) return join(dirname(manifest), 'bin/node');
    } catch {
      // This package is not for this platform.
    }
  }
  return null;
}

function isSupported(version) {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
