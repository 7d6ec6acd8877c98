import { type ParseArgsConfig, parseArgs } from 'node:util';

type Options = NonNullable<ParseArgsConfig['options']>;

/**
 * Returns the options of this command line. An unknown option ends the process with a message, the usage and code 2.
 * `--help` ends it with the usage and code 0.
 */
export function readOptions<const T extends Options>(usage: string, options: T) {
  return readArguments(usage, { options }).values;
}

/** Like `readOptions`, for a command that also takes paths. */
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

/** Ends the process with a message about its command line, the usage and code 2. */
export function refuseUse(usage: string, problem: string): never {
  process.stderr.write(`${problem}\nUsage: ${usage}\n`);
  process.exit(2);
}

/** Returns a whole number of at least 1. Any other value ends the process. */
export function readCount(usage: string, name: string, value: string): number {
  if (/^[1-9][0-9]{0,8}$/.test(value)) return Number(value);
  return refuseUse(usage, `--${name} must be a whole number of at least 1, not ${value}`);
}
