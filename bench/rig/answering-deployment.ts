import { type Chats, openChats } from './chats.ts';
import { type ConnectedDevice, connectTeams } from './connected-devices.ts';
import type { Rig } from './rig.ts';
import { openRoleProcesses, type RoleProcesses } from './role-processes.ts';
import type { ServerProcess } from './server-process.ts';

export const pairs = [
  { question: 'When are you open?', answer: 'Monday to Saturday from nine to six.' },
  { question: 'What does a bicycle cost per day?', answer: 'Twelve a day, sixty a week.' },
  { question: 'Do you lend helmets?', answer: 'Yes, a helmet is included with every bicycle.' },
  {
    question: 'Where can I leave the bicycle in the evening?',
    answer: 'In the yard behind the shop, until ten.',
  },
];

/** Questions in the contacts' own words. */
export const questions = [
  'Hello, when do you open on Saturday?',
  'What would a bicycle cost me for a day?',
  'Can I have a helmet, do you lend those?',
  'Where can I leave my bicycle in the evening?',
];

/** One api, several pools and a worker as separate processes on a database of their own. The devices' bots answer without delay. */
export interface AnsweringDeployment {
  processes: RoleProcesses;
  pools: readonly ServerProcess[];
  devices: readonly ConnectedDevice[];
  chats: Chats;
  databaseUrl: string;
  close(): Promise<void>;
}

/** Contacts of the benchmark write faster than people. */
const unlimited = { INBOUND_RATE_PER_CONTACT: '0', INBOUND_RATE_PER_DEVICE: '0' };

/** Creates the teams, each with one device. The devices are spread evenly over the pools. `settings` apply to api and worker. */
export async function openAnswering(
  rig: Rig,
  name: string,
  {
    teams,
    pools: count = 1,
    settings = {},
  }: { teams: number; pools?: number; settings?: Readonly<Record<string, string>> },
): Promise<AnsweringDeployment> {
  await using ends = new AsyncDisposableStack();
  const processes = await openRoleProcesses(rig, name);
  ends.defer(() => processes.close());
  const api = await processes.start('api', settings);
  const pools: ServerProcess[] = [];
  while (pools.length < count) pools.push(await processes.start('pool', unlimited));
  await processes.start('worker', settings);
  const { databaseUrl } = processes.deployment;
  const reached = { url: api.url, databaseUrl, token: await processes.token(api) };
  const devices = await connectTeams(reached, teams, { questions: pairs });
  const chats = await openChats({ url: processes.network.url, journal: processes.journal });
  ends.defer(() => chats.close());
  const open = ends.move();
  return { processes, pools, devices, chats, databaseUrl, close: () => open.disposeAsync() };
}
