import type { References } from '../../server/test/openapi/sample-values.ts';
import { planTerms, type ResourceFactory } from './setup-client.ts';

/** Teams with the ids of their objects by collection. */
export interface Targets {
  /** The team of valid requests. Its quotas are never reached. */
  home: References;
  /** A connected device of the home team. */
  sender: string;
  /** Another team. A key of the home team must not be able to use its ids. */
  otherTeam: References;
  /** A team whose plan has no active messages. */
  withoutMessaging: References;
  /** A team that has used up its active messages, with a connected device. */
  exhausted: References;
}

const unlimited = 2_000_000_000;
const unlimitedQuotas = {
  bots: unlimited,
  accounts: unlimited,
  characters: unlimited,
  documents: unlimited,
  members: unlimited,
  credits: unlimited,
};
const contact = '+15550199';

export async function createTargets(factory: ResourceFactory): Promise<Targets> {
  const { setup, createObject } = factory;
  await setup.call('PUT', '/plans/fuzz-exhausted', planTerms(0));
  await setup.call('PUT', '/plans/fuzz', { ...planTerms(unlimited), quotas: unlimitedQuotas });
  const home = await createTarget(factory, 'fuzz');
  await setup.call('POST', `/bots/${home['bots']}/publish`);
  const sender = await createObject('devices', home);
  await setup.link(sender, '+15550100');
  const exhausted = await createTarget(factory, 'fuzz-exhausted');
  await setup.link(exhausted['devices'] ?? '', '+15550101');
  return {
    // Erasing this contact deletes no other target.
    home: {
      ...home,
      versions: '1',
      contacts: '+15550177',
      ...(await exchangeMessages(factory, home, sender)),
    },
    sender,
    exhausted,
    otherTeam: await createTarget(factory, 'enterprise'),
    withoutMessaging: await createTarget(factory, 'free'),
  };
}

/** Creates a team with a bot, a document and a device that was never connected. */
async function createTarget(
  { setup, createObject }: ResourceFactory,
  plan: string,
): Promise<Record<string, string>> {
  const { team } = await setup.call('POST', '/teams', {
    user: { name: 'Ada', email: 'ada@example.com' },
    team: { name: `On ${plan}`, plan_name: plan },
  });
  const target: Record<string, string> = { teams: team.id };
  for (const collection of ['documents', 'bots', 'devices'])
    target[collection] = await createObject(collection, target);
  return target;
}

/** Exchanges a message in each direction, if the API lists conversations or messages. */
async function exchangeMessages(
  { operations, setup }: ResourceFactory,
  home: References,
  sender: string,
): Promise<References> {
  const lists = (path: string) => operations.some((o) => o.method === 'GET' && o.path.endsWith(`/v1${path}`));
  const first = async (path: string): Promise<string | undefined> => {
    for (let attempt = 0; attempt < 200; attempt++) {
      const [found] = await setup.call('GET', `${path}?team_id=${home['teams']}`);
      if (found !== undefined) return found.id;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
    throw new Error(`setup: ${path} is still empty after 5 seconds`);
  };
  await setup.call('POST', '/simulator/messages', { from: contact, to: '+15550100', text: 'Are you open?' });
  if (operations.some(({ path }) => path.endsWith('/v1/send'))) {
    await setup.call('POST', '/send', { device_id: sender, message: 'Hello', destination_number: contact });
  }
  return {
    ...(lists('/conversations') ? { conversations: await first('/conversations') } : {}),
    ...(lists('/messages') ? { messages: await first('/messages') } : {}),
  };
}
