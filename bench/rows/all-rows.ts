import { answers } from './answers.ts';
import { consolePages } from './console.ts';
import { createTeam } from './create-team.ts';
import { createToken } from './create-token.ts';
import { eventCost } from './event-cost.ts';
import { fairTeams } from './fair-teams.ts';
import { getDevice, getDeviceAlone } from './get-device.ts';
import { getDeviceStatus } from './get-device-status.ts';
import { insertTeams } from './insert-teams.ts';
import { linkedDevices } from './linked-devices.ts';
import { listDocuments } from './list-documents.ts';
import { listTeams } from './list-teams.ts';
import { manyDevices } from './many-devices.ts';
import { memory } from './memory.ts';
import { modelAnswers } from './model-answers.ts';
import { poolKilled } from './pool-killed.ts';
import { poolPaused } from './pool-paused.ts';
import { purge } from './purge.ts';
import type { Row } from './row.ts';
import { sendFromManyTeams, sendFromOneTeam } from './send.ts';
import { startUp } from './start-up.ts';
import { twoApis } from './two-apis.ts';
import { uploadAttack } from './upload-attack.ts';
import { webhooks } from './webhooks.ts';

/** All rows in the order of the table. */
export const allRows: readonly Row[] = [
  getDevice,
  getDeviceAlone,
  getDeviceStatus,
  createToken,
  createTeam,
  sendFromManyTeams,
  sendFromOneTeam,
  startUp,
  memory,
  listTeams,
  listDocuments,
  insertTeams,
  uploadAttack,
  fairTeams,
  answers,
  modelAnswers,
  poolKilled,
  poolPaused,
  linkedDevices,
  manyDevices,
  twoApis,
  webhooks,
  eventCost,
  purge,
  consolePages,
];
