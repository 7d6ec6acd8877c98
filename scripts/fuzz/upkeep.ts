import type { Wire } from '../../server/test/openapi/wire.ts';
import { readQrCode } from '../demo/qr-code.ts';

export interface Key {
  key_id: string;
  key_secret: string;
}

/** Calls that keep the world alive between the fuzzed requests; they are not counted. */
export interface Upkeep {
  /** Answers `data`; throws unless the answer is 200. */
  // biome-ignore lint/suspicious/noExplicitAny: members of many shapes, held against the document by the fuzzed requests
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Connects a device by scanning its code with this phone. */
  link(deviceId: string, phone: string): Promise<void>;
}

/** Exchanges the key for a token, with which all upkeep is done. Paths are below the API's prefix or the simulator's. */
export async function connectUpkeep(
  wire: Pick<Wire, 'send'>,
  key: Key,
): Promise<{ token: string; upkeep: Upkeep; exchange(key: Key): Promise<string> }> {
  const authorization: string[] = [];
  const call: Upkeep['call'] = async (method, path, body) => {
    const { status, text, json } = await wire.send({
      method,
      target: /^\/(api|simulator)\//.test(path) ? path : `/api/openapi/v1${path}`,
      headers: [...authorization, ...(body === undefined ? [] : ['content-type', 'application/json'])],
      body: body === undefined ? null : Buffer.from(JSON.stringify(body)),
    });
    if (status !== 200) throw new Error(`upkeep: ${method} ${path} answered ${status}: ${text}`);
    return (json as { data: unknown }).data;
  };
  const exchange = async ({ key_id, key_secret }: Key): Promise<string> =>
    (await call('POST', '/api/openapi/auth/token', { key_id, key_secret })).access_token;
  const token = await exchange(key);
  authorization.push('authorization', `Bearer ${token}`);
  return { token, exchange, upkeep: { call, link: (deviceId, phone) => link(call, deviceId, phone) } };
}

async function link(call: Upkeep['call'], deviceId: string, phone: string): Promise<void> {
  await call('POST', `/devices/${deviceId}/connect`);
  const { qr_code } = await until(call, deviceId, (status) => status['qr_code'] !== undefined);
  await call('POST', '/simulator/scan', { qr: readQrCode(String(qr_code)), phone_number: phone });
  await until(call, deviceId, (status) => status['connected'] === true);
}

async function until(
  call: Upkeep['call'],
  deviceId: string,
  fulfils: (status: Record<string, unknown>) => boolean,
): Promise<Record<string, unknown>> {
  for (let attempt = 0; attempt < 400; attempt++) {
    const status = await call('GET', `/devices/${deviceId}/status`);
    if (fulfils(status)) return status;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`upkeep: device ${deviceId} did not come that far in ten seconds`);
}
