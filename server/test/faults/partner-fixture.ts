import assert from 'node:assert/strict';
import { readQrCode } from '../../../scripts/demo/qr-code.ts';
import type { ApiBody } from '../api-client.ts';
import { eventually } from '../eventually.ts';
import type { TestNetwork } from '../simulated-network.ts';

/** A team with large quotas, a published bot and a linked device. */
export interface PartnerFixture {
  teamId: string;
  botId: string;
  deviceId: string;
  phone: string;
}

export interface CallResult {
  status: number;
  body: ApiBody;
  retryAfter: string | null;
}

export type Call = (method: string, path: string, body?: object | FormData) => Promise<CallResult | null>;

/**
 * Creates a client of the process at `url()`. It returns null if the connection breaks. Paths are relative to
 * `/api/openapi/v1`, or absolute.
 */
export const createCaller =
  (url: () => string, token: () => string): Call =>
  async (method, path, body) => {
    const multipart = body instanceof FormData;
    try {
      const response = await fetch(
        `${url()}${/^\/(api|healthz|readyz)/.test(path) ? '' : '/api/openapi/v1'}${path}`,
        {
          method,
          headers: {
            authorization: `Bearer ${token()}`,
            ...(body === undefined || multipart ? {} : { 'content-type': 'application/json' }),
          },
          ...(body === undefined ? {} : { body: multipart ? body : JSON.stringify(body) }),
        },
      );
      const { status, headers } = response;
      return { status, retryAfter: headers.get('retry-after'), body: (await response.json()) as ApiBody };
    } catch {
      return null;
    }
  };

/** Asserts that the response is 200 and returns its data. */
async function callOk(call: Call, method: string, path: string, body?: object): Promise<ApiBody['data']> {
  const answer = await call(method, path, body);
  assert.equal(answer?.status, 200, `${method} ${path}: ${JSON.stringify(answer)}`);
  return answer?.body.data;
}

const largePlan = {
  features: { allowActiveMessaging: true },
  active_messages_monthly: 1_000_000,
  paying: true,
  quotas: {
    bots: 1_000_000,
    accounts: 100,
    characters: 1_000_000_000,
    documents: 1_000_000,
    members: 10,
    credits: 1_000_000,
  },
};

export async function createPartnerFixture(call: Call, network: TestNetwork): Promise<PartnerFixture> {
  const phone = '+15550100';
  await callOk(call, 'PUT', '/plans/large', largePlan);
  const { team } = await callOk(call, 'POST', '/teams', {
    user: { name: 'Ada', email: 'ada@example.com' },
    team: { name: 'Harbour', plan_name: 'large' },
  });
  const bot = await callOk(call, 'POST', '/bots', { team_id: team.id, name: 'Desk' });
  await callOk(call, 'POST', `/bots/${bot.id}/publish`);
  const device = await callOk(call, 'POST', '/devices', { team_id: team.id, bot_id: bot.id, name: 'Desk' });
  await callOk(call, 'POST', `/devices/${device.id}/connect`);
  const { qr_code } = await callOk(call, 'GET', `/devices/${device.id}/status`);
  assert.equal(await network.scan(readQrCode(qr_code), phone), 200);
  await eventually(async () => {
    assert.equal((await callOk(call, 'GET', `/devices/${device.id}/status`)).connected, true);
  });
  return { teamId: team.id, botId: bot.id, deviceId: device.id, phone };
}
