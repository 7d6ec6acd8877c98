import type { References } from '../../server/test/openapi/meanings.ts';
import type { WorldMaker } from './resources.ts';
import { planTerms } from './spare-resources.ts';

/** Teams with what belongs to them, by collection. */
export interface Places {
  /** Whom valid requests are about; its quotas are never reached. */
  home: References;
  /** A connected device of the home team. */
  sender: string;
  /** Another team, whose ids a key of the home team must not be able to use. */
  elsewhere: References;
  /** A team without active messages in its plan. */
  unentitled: References;
  /** A team that has used up its active messages, with a connected device. */
  spent: References;
}

const plenty = 2_000_000_000;
const plentiful = {
  bots: plenty,
  accounts: plenty,
  characters: plenty,
  documents: plenty,
  members: plenty,
  credits: plenty,
};
const contact = '+15550199';

export async function furnishPlaces(maker: WorldMaker): Promise<Places> {
  const { upkeep, make } = maker;
  await upkeep.call('PUT', '/plans/fuzz-spent', planTerms(0));
  await upkeep.call('PUT', '/plans/fuzz', { ...planTerms(plenty), quotas: plentiful });
  const home = await furnish(maker, 'fuzz');
  await upkeep.call('POST', `/bots/${home['bots']}/publish`);
  const sender = await make('devices', home);
  await upkeep.link(sender, '+15550100');
  const spent = await furnish(maker, 'fuzz-spent');
  await upkeep.link(spent['devices'] ?? '', '+15550101');
  return {
    home: { ...home, versions: '1', ...(await converse(maker, home, sender)) },
    sender,
    spent,
    elsewhere: await furnish(maker, 'enterprise'),
    unentitled: await furnish(maker, 'free'),
  };
}

/** A team with a bot, a document and a device that has never been connected. */
async function furnish({ upkeep, make }: WorldMaker, plan: string): Promise<Record<string, string>> {
  const { team } = await upkeep.call('POST', '/teams', {
    user: { name: 'Ada', email: 'ada@example.com' },
    team: { name: `On ${plan}`, plan_name: plan },
  });
  const place: Record<string, string> = { teams: team.id };
  for (const collection of ['documents', 'bots', 'devices'])
    place[collection] = await make(collection, place);
  return place;
}

/** A message in and a message out, where there are operations that show them. */
async function converse(
  { operations, upkeep }: WorldMaker,
  home: References,
  sender: string,
): Promise<References> {
  const lists = (path: string) => operations.some((o) => o.method === 'GET' && o.path.endsWith(`/v1${path}`));
  const first = async (path: string): Promise<string | undefined> => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const [found] = await upkeep.call('GET', `${path}?team_id=${home['teams']}`);
      if (found !== undefined) return found.id;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`upkeep: nothing came into ${path}`);
  };
  await upkeep.call('POST', '/simulator/messages', { from: contact, to: '+15550100', text: 'Are you open?' });
  if (operations.some(({ path }) => path.endsWith('/v1/send'))) {
    await upkeep.call('POST', '/send', { device_id: sender, message: 'Hello', destination_number: contact });
  }
  return {
    ...(lists('/conversations') ? { conversations: await first('/conversations') } : {}),
    ...(lists('/messages') ? { messages: await first('/messages') } : {}),
  };
}
