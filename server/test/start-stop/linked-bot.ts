import assert from 'node:assert/strict';
import { readQrCode } from '../../../scripts/demo/qr-code.ts';
import { eventually } from '../eventually.ts';
import { key, type Program } from './deployment.ts';
import { type Created, createPartner, type Partner } from './partner.ts';

/** The operations take a few seconds on an idle machine. */
export const timeoutMs = 30_000;

/** A team with a connected device whose bot answers without delay. */
export interface LinkedBot {
  teamId: string;
  botId: string;
  deviceId: string;
}

export const devicePhone = '+15550100';
export const contact = '+15550199';

export const question = 'Do you lend helmets?';
export const answer = 'Yes, a helmet is included with every bike.';

/** Returns a client with a token of the bootstrap key. */
export async function signIn({ url }: Pick<Program, 'url'>, credentials = key): Promise<Partner> {
  const partner = createPartner(url);
  const token = await partner.call<{ access_token: string }>('POST', '/api/openapi/auth/token', credentials);
  partner.authorize(token.access_token);
  return partner;
}

/** Creates a team with a published bot and a linked device. `bot` adds fields to the bot. */
export async function createLinkedBot(partner: Partner, bot: object = {}): Promise<LinkedBot> {
  const team = await createTeam(partner, 'Lumen Bikes');
  await partner.call('PATCH', `/teams/${team}`, { settings: { reply_delay_seconds: 0 } });
  const questions = [{ question, answer }];
  const { id: botId } = await partner.call<Created>('POST', '/bots', {
    team_id: team,
    name: 'Lumen',
    questions,
    ...bot,
  });
  await partner.call('POST', `/bots/${botId}/publish`);
  const { id: deviceId } = await partner.call<Created>('POST', '/devices', {
    team_id: team,
    bot_id: botId,
    name: 'Front desk',
  });
  await partner.call('POST', `/devices/${deviceId}/connect`);
  const status = await partner.call<{ qr_code: string }>('GET', `/devices/${deviceId}/status`);
  const qr = readQrCode(status.qr_code);
  await partner.call('POST', '/simulator/scan', { qr, phone_number: devicePhone });
  await waitUntilConnected(partner, deviceId);
  return { teamId: team, botId, deviceId };
}

/** Returns the team's id. */
export async function createTeam(partner: Partner, name: string): Promise<string> {
  const { team } = await partner.call<{ team: Created }>('POST', '/teams', {
    user: { name: 'Front office', email: 'office@lumen-bikes.example' },
    team: { name, plan_name: 'pro' },
  });
  return team.id;
}

export async function waitUntilConnected(partner: Partner, deviceId: string): Promise<void> {
  await eventually(async () => {
    const status = await partner.call<{ connected: boolean }>('GET', `/devices/${deviceId}/status`);
    assert.equal(status.connected, true, JSON.stringify(status));
  }, timeoutMs);
}

/** Starts a send whose acknowledgement the network delays by `ackMs`. Resolves when the network has the message. */
export async function beginSend(
  partner: Partner,
  deviceId: string,
  ackMs: number,
): Promise<{ outcome: Promise<{ status: string }> }> {
  await partner.call('POST', '/simulator/faults', { device: devicePhone, fault: 'delay_acks', ms: ackMs });
  const message = 'Your bike is ready.';
  const outcome = partner.call<{ status: string }>('POST', '/send', {
    device_id: deviceId,
    destination_number: contact,
    message,
  });
  // The caller awaits `outcome`, so a rejection is not unhandled.
  outcome.catch(() => undefined);
  await eventually(async () => assert.deepEqual(await received(partner), [message]), timeoutMs);
  return { outcome };
}

/** Sends a message from the contact to the device. */
export async function write(partner: Partner, text: string): Promise<void> {
  await partner.call('POST', '/simulator/messages', { from: contact, to: devicePhone, text });
}

interface ChatMessage {
  direction: 'in' | 'out';
  text: string;
  copies: number;
}

/** Returns every copy of every message that the contact received. */
export async function received(partner: Partner): Promise<string[]> {
  const query = new URLSearchParams({ contact, device: devicePhone });
  const chat = await partner.call<ChatMessage[]>('GET', `/simulator/messages?${query}`);
  return chat
    .filter(({ direction }) => direction === 'out')
    .flatMap(({ text, copies }) => Array<string>(copies).fill(text));
}

/** Waits until the contact has received exactly these messages. */
export async function waitUntilReceived(partner: Partner, ...texts: string[]): Promise<void> {
  await eventually(async () => assert.deepEqual(await received(partner), texts), timeoutMs);
}
