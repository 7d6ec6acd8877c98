import { answers } from './answers.ts';
import { consolePages } from './console.ts';
import { conversations } from './conversations.ts';
import { cookie } from './cookie.ts';
import { createTeam } from './create-team.ts';
import { eventCost } from './event-cost.ts';
import { fairTeams } from './fair-teams.ts';
import { getDevice } from './get-device.ts';
import { linkedDevices } from './linked-devices.ts';
import { manyDevices } from './many-devices.ts';
import { memory } from './memory.ts';
import { pushed } from './pushed.ts';
import type { Row } from './row.ts';
import { send } from './send.ts';
import { startUp } from './start-up.ts';
import { webhooks } from './webhooks.ts';

/** All rows in the order of the table: one for each claim that an operator would ask for. */
export const allRows: readonly Row[] = [
  getDevice,
  cookie,
  createTeam,
  send,
  startUp,
  memory,
  fairTeams,
  answers,
  linkedDevices,
  manyDevices,
  webhooks,
  pushed,
  eventCost,
  consolePages,
  conversations,
];
