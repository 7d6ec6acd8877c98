import { type ParseArgsConfig, parseArgs } from 'node:util';

type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandInput {
  environment: Environment;
  values: Readonly<Record<string, string | boolean | undefined>>;
  /** As many as `parameters` names. */
  parameters: readonly string[];
  /** Prints a line to standard output. */
  print: (line: string) => void;
}

interface CommandOption {
  type: 'string' | 'boolean';
  /** Placeholder of the value in the usage, like `NAME`. */
  value?: string;
  description: string;
}

export interface Command {
  /** The words after `parley`, like `keys create`. */
  name: string;
  summary: string;
  /** Required arguments, in capitals. */
  parameters?: readonly string[];
  options?: Readonly<Record<string, CommandOption>>;
  /** Returns the exit code. */
  run(input: CommandInput): Promise<number>;
}

/** A wrong command line. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message says what to do. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
}

/** Parses the arguments after the command's name. Throws `UsageError`. */
export function readArguments(
  { options = {}, parameters = [] }: Command,
  args: readonly string[],
): Pick<CommandInput, 'values' | 'parameters'> {
  const parsed = parse({ args: [...args], options, allowPositionals: true });
  const missing = parameters[parsed.positionals.length];
  if (missing !== undefined) throw new UsageError(`${missing} is missing`);
  const [surplus] = parsed.positionals.slice(parameters.length);
  if (surplus !== undefined) throw new UsageError(`unexpected argument ${surplus}`);
  return { values: parsed.values as CommandInput['values'], parameters: parsed.positionals };
}

function parse(config: ParseArgsConfig & { allowPositionals: true }) {
  try {
    return parseArgs(config);
  } catch (error) {
    const [problem = ''] = String(error instanceof Error ? error.message : error).split(/\. |\n/);
    throw new UsageError(problem);
  }
}

export function describeUsage({ name, summary, parameters = [], options = {} }: Command): string {
  const listed = Object.entries(options).map(
    ([option, { value, description }]) =>
      [`--${option}${value === undefined ? '' : ` ${value}`}`, description] as const,
  );
  const usage = ['parley', name, ...parameters, ...(listed.length === 0 ? [] : ['[options]'])].join(' ');
  return [
    `Usage: ${usage}`,
    '',
    `${summary}.`,
    ...(listed.length === 0 ? [] : ['', ...alignColumns(listed)]),
  ].join('\n');
}

/** Returns the rows with their second column aligned. */
export function alignColumns(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([first]) => first.length)) + 2;
  return rows.map(([first, second]) => `  ${first.padEnd(width)}${second}`);
}
