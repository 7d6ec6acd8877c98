import { readConfig } from '../config.ts';
import { describeSettings, findMisspelled } from '../config-report.ts';
import { alignColumns, type CommandInput } from './command.ts';

export async function checkConfig({ environment, print }: CommandInput): Promise<number> {
  // With the roles of the service, because this command checks whether it would start.
  readConfig(environment);
  const settings = describeSettings(environment);
  if (settings.length === 0) print('No variable is set: every setting has its default.');
  else for (const line of alignColumns(settings)) print(line);
  for (const { given, meant } of findMisspelled(environment)) {
    process.stderr.write(`warning: ${given} is not a variable of Parley. Did you mean ${meant}?\n`);
  }
  print('The configuration is valid.');
  return 0;
}
