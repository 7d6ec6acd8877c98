import { connectDevices } from '../rig/connected-devices.ts';
import type { FloorRow, Subject } from './row.ts';

/** The number of chats. With many, a message rarely waits for the previous one of its chat. */
const chats = 1000;

const teams = 50;

export const send: FloorRow = {
  name: 'send-50-teams',
  operation: 'POST /send, 50 teams',
  floor: 'send.ts',
  roles: 'api,pool,worker',
  request: async (subject) => ({
    method: 'POST',
    paths: ['/api/openapi/v1/send'],
    headers: { authorization: `Bearer ${subject.token}`, 'content-type': 'application/json' },
    bodies: await sendBodies(subject, teams),
  }),
  goal: { ratio: 0.6, cpuRatio: 2.4, statements: 5 },
};

/** Connects a device for each team and returns the messages to send in turn. */
export async function sendBodies(subject: Subject, teams: number): Promise<string[]> {
  const devices = await connectDevices(subject, teams);
  return Array.from({ length: chats }, (_, chat) =>
    JSON.stringify({
      device_id: devices[chat % teams],
      destination_number: `+1666${String(chat).padStart(7, '0')}`,
      message: 'Your bicycle is ready: the brakes are new and the chain is oiled.',
    }),
  );
}
