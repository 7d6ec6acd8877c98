import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { secretNames } from './config-report.ts';

/**
 * Removes the secrets from the environment of this process. On Linux, the kernel shows other programs of the account the memory
 * that held the environment at the start (`/proc/PID/environ`), so that memory is overwritten, too.
 */
export function eraseSecrets(environment: NodeJS.ProcessEnv): void {
  const prefixes = secretNames.filter((name) => environment[name]).map((name) => `${name}=`);
  for (const name of secretNames) delete environment[name];
  if (process.platform !== 'linux' || prefixes.length === 0) return;
  try {
    overwriteVariables(prefixes);
  } catch {
    // The kernel closes a process to its account if the account cannot read the program. No other program can read it then.
  }
}

function overwriteVariables(prefixes: readonly string[]): void {
  const shown = readFileSync('/proc/self/environ');
  const start = readEnvironmentAddress();
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (let from = 0; from < shown.length; ) {
      const to = shown.indexOf(0, from);
      const end = to === -1 ? shown.length : to;
      const variable = shown.toString('latin1', from, end);
      if (prefixes.some((prefix) => variable.startsWith(prefix)))
        writeSync(memory, Buffer.alloc(end - from), 0, end - from, start + from);
      from = end + 1;
    }
  } finally {
    closeSync(memory);
  }
}

/** Field 50 of `/proc/self/stat`. The second field is a name in parentheses, which may contain blanks. */
function readEnvironmentAddress(): number {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[47]);
}
