import type { AccountState } from '../messaging-network.ts';
import { type GraphClient, GraphRefusal } from './graph-client.ts';

export interface CloudAccount {
  phoneNumber: string | null;
  state: AccountState;
  /** Messages that the network takes in a second. */
  perSecond: number;
}

/** Numbers that are also on a phone have the lowest throughput. */
const throughputs = { onPhone: 20, standard: 80, high: 1000 };

const qualities: Readonly<Record<string, AccountState['quality']>> = {
  GREEN: 'high',
  YELLOW: 'medium',
  RED: 'low',
};

/** Reads what the network says about a phone number. */
export async function readAccount(
  { graph, phoneNumberId }: { graph: GraphClient; phoneNumberId: string },
  signal: AbortSignal,
): Promise<CloudAccount> {
  const read = (fields: string) => graph.call('GET', `${phoneNumberId}?fields=${fields}`, { signal });
  const number = await read('id,display_phone_number,quality_rating,throughput');
  const digits = String(number['display_phone_number'] ?? '').replace(/\D/g, '');
  // Not every version of the API and not every account has these.
  const more = await read('whatsapp_business_manager_messaging_limit,is_on_biz_app').catch(
    (error: unknown) => {
      if (error instanceof GraphRefusal && error.code === 100) return {};
      throw error;
    },
  );
  const { whatsapp_business_manager_messaging_limit: tier, is_on_biz_app: isOnPhone } = more as {
    whatsapp_business_manager_messaging_limit?: unknown;
    is_on_biz_app?: unknown;
  };
  const { level } = (number['throughput'] ?? {}) as { level?: unknown };
  return {
    phoneNumber: digits === '' ? null : `+${digits}`,
    state: { quality: qualities[String(number['quality_rating'])] ?? null, messagingLimit: readTier(tier) },
    perSecond:
      isOnPhone === true ? throughputs.onPhone : level === 'HIGH' ? throughputs.high : throughputs.standard,
  };
}

/** `TIER_2K` is 2,000. Other tiers have no limit. */
function readTier(tier: unknown): number | null {
  const [, count, thousand] = /^TIER_(\d+)(K?)$/.exec(String(tier)) ?? [];
  return count === undefined ? null : Number(count) * (thousand === 'K' ? 1000 : 1);
}
