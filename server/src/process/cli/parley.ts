import { findSimilar } from '../../platform/shared/similar-text.ts';
import { describeStartError } from '../start-errors.ts';
import { alignColumns, type Command, describeUsage, readArguments, UsageError } from './command.ts';
import { commands } from './commands.ts';

/** Runs the command that the arguments name. Returns the exit code: 2 for a wrong command line. */
async function main(args: readonly string[]): Promise<number> {
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  const words = args.filter((arg) => arg !== '--help' && arg !== '-h');
  const wantsHelp = words.length < args.length || args.length === 0 || args[0] === 'help';
  if (args[0] === 'help') words.shift();
  if (args[0] === '--version') words.splice(0, 1, 'version');
  const command = commands.find(({ name }) => name === words.slice(0, name.split(' ').length).join(' '));
  if (command === undefined) return explainCommands(words, wantsHelp, print);
  if (wantsHelp) {
    print(describeUsage(command));
    return 0;
  }
  try {
    const given = readArguments(command, words.slice(command.name.split(' ').length));
    return await command.run({ ...given, environment: process.env, print });
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`${error.message}\n\n${describeUsage(command)}\n`);
    return 2;
  }
}

/** Lists all commands, or those that begin with the given word. */
function explainCommands(words: readonly string[], isHelp: boolean, print: (line: string) => void): number {
  const group = commands.filter(({ name }) => words.length > 0 && name.startsWith(`${words[0]} `));
  const isKnown = words.length === 0 || (group.length > 0 && words.length === 1);
  const text = listCommands(group.length > 0 ? group : commands);
  if (isHelp && isKnown) {
    print(text);
    return 0;
  }
  const given = words.join(' ');
  const similar = findSimilar(given, [
    ...new Set(commands.flatMap(({ name }) => [name, ...name.split(' ')])),
  ]);
  const problem = isKnown ? `"${given}" needs another word` : `"${given}" is no command`;
  const hint = similar === null || isKnown ? '' : ` Did you mean "${similar}"?`;
  process.stderr.write(`${problem}.${hint}\n\n${text}\n`);
  return 2;
}

const listCommands = (listed: readonly Command[]): string =>
  [
    'Usage: parley COMMAND [options]',
    '',
    ...alignColumns(
      listed.map(({ name, parameters = [], summary }) => [[name, ...parameters].join(' '), summary]),
    ),
    '',
    'parley COMMAND --help explains a command. Environment variables configure all of them (docs/configuration.md).',
  ].join('\n');

main(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${describeStartError(error).replace('Parley could not start: ', '')}\n`);
    process.exit(1);
  },
);
