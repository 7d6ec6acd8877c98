import type { CreateObject } from '../../server/test/openapi/create-object.ts';
import type { ApiOperation } from '../../server/test/openapi/operations.ts';
import type { Wire } from '../../server/test/openapi/wire.ts';
import { readQrCode } from '../demo/qr-code.ts';

export interface Key {
  key_id: string;
  key_secret: string;
}

/** Sends the requests that create and keep the resources. They are not counted. */
export interface SetupClient {
  /** Returns the `data` of the response. Throws unless the status is 200. */
  // biome-ignore lint/suspicious/noExplicitAny: the fuzzed requests check the shapes against the OpenAPI document
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Connects a device by scanning its QR code with this phone. */
  link(deviceId: string, phone: string): Promise<void>;
}

/** Creates the objects that requests refer to. */
export interface ResourceFactory {
  operations: readonly ApiOperation[];
  setup: SetupClient;
  createObject: CreateObject;
}

/** A plan with this number of active messages per month. */
export const planTerms = (activeMessages: number) => ({
  features: { allowActiveMessaging: true },
  active_messages_monthly: activeMessages,
  paying: true,
  quotas: { bots: 9, accounts: 9, characters: 9_000_000, documents: 9, members: 9, credits: 9 },
});

/** Exchanges the key for the token of all setup requests. */
export async function connectSetupClient(
  wire: Pick<Wire, 'send'>,
  key: Key,
): Promise<{ token: string; setup: SetupClient; exchange(key: Key): Promise<string> }> {
  const authorization: string[] = [];
  const call: SetupClient['call'] = async (method, path, body) => {
    const { status, text, json } = await wire.send({
      method,
      target: /^\/(api|simulator)\//.test(path) ? path : `/api/openapi/v1${path}`,
      headers: [...authorization, ...(body === undefined ? [] : ['content-type', 'application/json'])],
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    });
    if (status !== 200) throw new Error(`setup: ${method} ${path} returned ${status}: ${text}`);
    return (json as { data: unknown }).data;
  };
  const exchange = async ({ key_id, key_secret }: Key): Promise<string> =>
    (await call('POST', '/api/openapi/auth/token', { key_id, key_secret })).access_token;
  const token = await exchange(key);
  authorization.push('authorization', `Bearer ${token}`);
  return { token, exchange, setup: { call, link: (deviceId, phone) => link(call, deviceId, phone) } };
}

async function link(call: SetupClient['call'], deviceId: string, phone: string): Promise<void> {
  await call('POST', `/devices/${deviceId}/connect`);
  const { qr_code } = await pollStatus(call, deviceId, (status) => status['qr_code'] !== undefined);
  await call('POST', '/simulator/scan', { qr: readQrCode(String(qr_code)), phone_number: phone });
  await pollStatus(call, deviceId, (status) => status['connected'] === true);
}

async function pollStatus(
  call: SetupClient['call'],
  deviceId: string,
  isReached: (status: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const status = await call('GET', `/devices/${deviceId}/status`);
    if (isReached(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`setup: device ${deviceId} did not reach the expected state within 10 seconds`);
}
