import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * The options that a command was called with. One that it does not have ends the process with the fault, the usage and
 * code 2; `--help` with the usage and code 0.
 */
export function readOptions<const T extends Options>(usage: string, options: T) {
  return readArguments(usage, { options }).values;
}

/** The same for a command that takes paths beside its options. */
export function readOptionsAndPaths<const T extends Options>(usage: string, options: T) {
  const { values, positionals } = readArguments(usage, { options, allowPositionals: true });
  return { values, paths: positionals };
}

function readArguments<const T extends ParseArgsConfig>(usage: string, config: T) {
  if (process.argv.includes('--help')) {
    process.stdout.write(`Usage: ${usage}\n`);
    process.exit(0);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    return refuseUse(usage, error instanceof Error ? error.message : String(error));
  }
}

/** Ends the process because of how it was called. */
export function refuseUse(usage: string, fault: string): never {
  process.stderr.write(`${fault}\nUsage: ${usage}\n`);
  process.exit(2);
}

/** A whole number from 1 on. Anything else ends the process. */
export function readCount(usage: string, name: string, value: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(value)) return Number(value);
  return refuseUse(usage, `--${name} takes a whole number from 1 on, not ${value}`);
}
