import type { WireResponse } from '../../server/test/openapi/wire.ts';
import { readQrCode } from '../demo/qr-code.ts';

type Send = (method: string, path: string, body?: unknown) => Promise<WireResponse>;

/** Calls that keep the world alive between the fuzzed requests; they are not counted. */
export interface Upkeep {
  /** Answers `data`; throws unless the answer is 200. */
  // biome-ignore lint/suspicious/noExplicitAny: members of many shapes, held against the document by the fuzzed requests
  call(method: string, path: string, body?: unknown): Promise<any>;
  /** Connects a device by scanning its code with this phone. */
  link(deviceId: string, phone: string): Promise<void>;
}

/** `send` takes paths below the API's prefix, or such as begin with `/simulator`. */
export function createUpkeep(send: Send): Upkeep {
  const call: Upkeep['call'] = async (method, path, body) => {
    const { status, text, json } = await send(method, path, body);
    if (status !== 200) throw new Error(`upkeep: ${method} ${path} answered ${status}: ${text}`);
    return (json as { data: unknown }).data;
  };
  return {
    call,
    async link(deviceId, phone) {
      await call('POST', `/devices/${deviceId}/connect`);
      const { qr_code } = await until(call, deviceId, (status) => status['qr_code'] !== undefined);
      await call('POST', '/simulator/scan', { qr: readQrCode(String(qr_code)), phone_number: phone });
      await until(call, deviceId, (status) => status['connected'] === true);
    },
  };
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
