import type { ChaosDatabase } from '../database.ts';
import type { Ledger } from '../ledger.ts';
import type { DeliveredCopy, NetworkJournal } from './network-journal.ts';

/** The first delivery attempt and three retries. */
const maxDeliveries = 4;

/** A text has one network id, and no more copies than delivery attempts. */
export async function checkCopies(
  { deliveries }: Pick<NetworkJournal, 'deliveries'>,
  database: Pick<ChaosDatabase, 'query'>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [text, sent] of Map.groupBy(
    deliveries,
    (message) => `${message.from} ${message.to} ${message.text}`,
  )) {
    const ids = new Set(sent.map(({ id }) => id));
    if (ids.size > 1) wrong.push(`"${text}" went out under ${ids.size} network ids`);
  }
  const attempts = new Map(
    (
      await database.query<{ network_id: string; attempts: number }>(
        `select network_id, attempts from messages where direction = 'out'`,
      )
    ).map((row) => [row.network_id, row.attempts]),
  );
  for (const [id, copies] of Map.groupBy(deliveries, (message) => message.id)) {
    const allowed = Math.min(attempts.get(id) ?? 0, maxDeliveries);
    if (copies.length > allowed)
      wrong.push(`"${copies[0]?.text}" was delivered ${copies.length} times in ${attempts.get(id)} attempts`);
  }
  return wrong;
}

/** Sent messages are on the network, refused ones are not. */
export async function checkDeliveryStatuses(
  { deliveries }: Pick<NetworkJournal, 'deliveries'>,
  database: Pick<ChaosDatabase, 'query'>,
): Promise<string[]> {
  const arrived = new Set(deliveries.map(({ id }) => id));
  const rows = await database.query<{ network_id: string; text: string; status: string }>(
    `select network_id, text, status from messages where direction = 'out'`,
  );
  return rows.flatMap(({ network_id: id, text, status }) => {
    if (['sent', 'delivered', 'read'].includes(status))
      return arrived.has(id) ? [] : [`"${text}" is ${status}, and the network does not have it`];
    return status === 'refused' && arrived.has(id) ? [`"${text}" was refused, and the network has it`] : [];
  });
}

/** Every message of a contact has one answer, in order, from the version published before the message or a newer one. */
export async function checkAnswers(
  { deliveries }: Pick<NetworkJournal, 'deliveries'>,
  ledger: Ledger,
  database: Pick<ChaosDatabase, 'query'>,
): Promise<string[]> {
  const wrong: string[] = [];
  const chats = Map.groupBy(withoutCopies(deliveries), ({ from, to }) => `${from} ${to}`);
  const explained = await explanations(database);
  for (const [chat, written] of Map.groupBy(ledger.inbound, ({ phone, contact }) => `${phone} ${contact}`)) {
    const replies = (chats.get(chat) ?? []).filter(({ text }) => text.startsWith('Re '));
    const answered = replies.flatMap(({ text }) => questionsIn(text));
    const expected = written.map(({ text }) => text).filter((text) => answered.includes(text));
    if (answered.join(' ') !== expected.join(' '))
      wrong.push(`${chat}: wrote ${expected.join(' ')}, received answers to ${answered.join(' ')}`);
    for (const { text, id } of written) {
      if (answered.includes(text)) continue;
      const why = explained.get(id) ?? 'no row';
      if (!isAcceptedGap(why)) wrong.push(`"${text}" was not answered: ${why}`);
    }
    wrong.push(...checkParts(chat, chats.get(chat) ?? []));
  }
  return [...wrong, ...checkVersions(withoutCopies(deliveries), ledger)];
}

/** Retries ended without an acknowledgement, so the reply's status is `unknown`. */
const isAcceptedGap = (why: string): boolean => why === 'answered, reply unknown';

/** Also without the notice that the first answer of a chat begins with. */
function withoutCopies(deliveries: readonly DeliveredCopy[]): DeliveredCopy[] {
  return [...Map.groupBy(deliveries, ({ id }) => id).values()].flatMap(([first]) =>
    first === undefined ? [] : { ...first, text: first.text.replace(noticePattern, '') },
  );
}

export const noticePattern = /^Hi, I am the automatic assistant of .+\.\n\n/;

/** The first answer of a chat says that a machine answers, and no other does. */
export async function checkNotices(database: Pick<ChaosDatabase, 'query'>): Promise<string[]> {
  const rows = await database.query<{ chat: string; nth: number; text: string }>(`
    select device_id || ' ' || contact_number as chat, text,
           row_number() over (partition by device_id, contact_number order by seq)::int as nth
    from messages where direction = 'out' and origin = 'bot' and status <> 'refused'`);
  return rows.flatMap(({ chat, nth, text }) =>
    noticePattern.test(text) === (nth === 1)
      ? []
      : [`${chat}: answer ${nth} begins with “${text.slice(0, 60)}”`],
  );
}

const questionsIn = (text: string): string[] => (text.split('\n')[0] ?? '').split(' ').slice(1);

/** The second part of an answer comes after the first. */
function checkParts(chat: string, messages: readonly DeliveredCopy[]): string[] {
  return messages.flatMap(({ text }, index) => {
    const [, question] = /^Version \d+ to (.*)$/.exec(text) ?? [];
    if (question === undefined) return [];
    const first = messages.findIndex(
      (part) => part.text.startsWith('Re ') && questionsIn(part.text)[0] === question,
    );
    return first < index ? [] : [`${chat}: "${text}" came before the first part`];
  });
}

function checkVersions(messages: readonly DeliveredCopy[], ledger: Ledger): string[] {
  const versions = new Map<string, number>();
  const firstQuestions = new Map<string, string>();
  for (const { text } of messages) {
    const [, version, question] = /Version (\d+) to (.*)$/.exec(text) ?? [];
    if (question !== undefined) versions.set(question, Number(version));
    if (text.startsWith('Re '))
      for (const each of questionsIn(text)) firstQuestions.set(each, questionsIn(text)[0] ?? '');
  }
  return ledger.inbound.flatMap(({ text, teamId, writtenAt }) => {
    const least = Math.max(
      0,
      ...ledger.publishes
        .filter((publish) => publish.teamId === teamId && publish.answeredAt < writtenAt)
        .map(({ version }) => version),
    );
    const version = versions.get(firstQuestions.get(text) ?? '');
    return version === undefined || version >= least
      ? []
      : [`"${text}" was answered by version ${version}, written after ${least} was published`];
  });
}

/** Returns the statuses of each inbound message and of the first part of its answer, by network id. */
async function explanations(database: Pick<ChaosDatabase, 'query'>): Promise<Map<string, string>> {
  const rows = await database.query<{ id: string; why: string }>(`
    select i.network_id as id, i.status || coalesce(', reply ' || o.status, '') as why
    from messages i left join (
      select distinct on (answer_id) answer_id, status from messages where direction = 'out' order by answer_id, seq
    ) o on o.answer_id = i.answer_id where i.direction = 'in'`);
  return new Map(rows.map(({ id, why }) => [id, why]));
}
