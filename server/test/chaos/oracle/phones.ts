import type { ChaosDatabase } from '../database.ts';
import type { Ledger } from '../ledger.ts';
import type { DeliveredCopy, NetworkJournal } from './network-journal.ts';

/** The first hand-off and three retries. */
const mostHandOffs = 4;

/** No text went out under two network ids, and none oftener than it was tried after outcomes that nobody knew. */
export async function checkCopies(
  { handedOff }: Pick<NetworkJournal, 'handedOff'>,
  database: Pick<ChaosDatabase, 'ask'>,
): Promise<string[]> {
  const wrong: string[] = [];
  for (const [text, sent] of Map.groupBy(
    handedOff,
    (message) => `${message.from} ${message.to} ${message.text}`,
  )) {
    const ids = new Set(sent.map(({ id }) => id));
    if (ids.size > 1) wrong.push(`"${text}" went out under ${ids.size} network ids`);
  }
  const attempts = new Map(
    (
      await database.ask<{ network_id: string; attempts: number }>(
        `select network_id, attempts from messages where direction = 'out'`,
      )
    ).map((row) => [row.network_id, row.attempts]),
  );
  for (const [id, copies] of Map.groupBy(handedOff, (message) => message.id)) {
    const allowed = Math.min(attempts.get(id) ?? 0, mostHandOffs);
    if (copies.length > allowed)
      wrong.push(
        `"${copies[0]?.text}" was handed off ${copies.length} times in ${attempts.get(id)} attempts`,
      );
  }
  return wrong;
}

/** What the rows call sent is on the network, and what was refused and given back is not. */
export async function checkDeliveryStatuses(
  { handedOff }: Pick<NetworkJournal, 'handedOff'>,
  database: Pick<ChaosDatabase, 'ask'>,
): Promise<string[]> {
  const arrived = new Set(handedOff.map(({ id }) => id));
  const rows = await database.ask<{ network_id: string; text: string; status: string }>(
    `select network_id, text, status from messages where direction = 'out'`,
  );
  return rows.flatMap(({ network_id: id, text, status }) => {
    if (['sent', 'delivered', 'read'].includes(status))
      return arrived.has(id) ? [] : [`"${text}" is ${status}, and the network does not have it`];
    return status === 'refused' && arrived.has(id) ? [`"${text}" was refused, and the network has it`] : [];
  });
}

/** Every message of a contact was answered once, in order, by no older edition than was published before it. */
export async function checkAnswers(
  { handedOff }: Pick<NetworkJournal, 'handedOff'>,
  ledger: Ledger,
  database: Pick<ChaosDatabase, 'ask'>,
): Promise<string[]> {
  const wrong: string[] = [];
  const chats = Map.groupBy(withoutCopies(handedOff), ({ from, to }) => `${from} ${to}`);
  const explained = await explanations(database);
  for (const [chat, written] of Map.groupBy(ledger.inbound, ({ phone, contact }) => `${phone} ${contact}`)) {
    const replies = (chats.get(chat) ?? []).filter(({ text }) => text.startsWith('Re '));
    const answered = replies.flatMap(({ text }) => questionsIn(text));
    const expected = written.map(({ text }) => text).filter((text) => answered.includes(text));
    if (answered.join(' ') !== expected.join(' '))
      wrong.push(`${chat}: wrote ${expected.join(' ')}, was answered ${answered.join(' ')}`);
    for (const { text, id } of written) {
      if (answered.includes(text)) continue;
      const why = explained.get(id) ?? 'no row';
      if (!isExcuse(why)) wrong.push(`"${text}" was not answered: ${why}`);
    }
    wrong.push(...judgeParts(chat, chats.get(chat) ?? []));
  }
  return [...wrong, ...judgeEditions(withoutCopies(handedOff), ledger)];
}

/** Retries ended without the network's word: the message rests as unknown, for everyone to see. */
const isExcuse = (why: string): boolean => why === 'answered, reply unknown';

function withoutCopies(handedOff: readonly DeliveredCopy[]): DeliveredCopy[] {
  return [...Map.groupBy(handedOff, ({ id }) => id).values()].flatMap(([first]) => first ?? []);
}

const questionsIn = (text: string): string[] => (text.split('\n')[0] ?? '').split(' ').slice(1);

/** The second part of an answer, where it is a message of its own, comes after the first. */
function judgeParts(chat: string, messages: readonly DeliveredCopy[]): string[] {
  return messages.flatMap(({ text }, index) => {
    const [, question] = /^Edition \d+ to (.*)$/.exec(text) ?? [];
    if (question === undefined) return [];
    const first = messages.findIndex(
      (part) => part.text.startsWith('Re ') && questionsIn(part.text)[0] === question,
    );
    return first < index ? [] : [`${chat}: "${text}" came before what it belongs to`];
  });
}

function judgeEditions(messages: readonly DeliveredCopy[], ledger: Ledger): string[] {
  const editions = new Map<string, number>();
  const firstOf = new Map<string, string>();
  for (const { text } of messages) {
    const [, edition, question] = /Edition (\d+) to (.*)$/.exec(text) ?? [];
    if (question !== undefined) editions.set(question, Number(edition));
    if (text.startsWith('Re '))
      for (const each of questionsIn(text)) firstOf.set(each, questionsIn(text)[0] ?? '');
  }
  return ledger.inbound.flatMap(({ text, teamId, writtenAt }) => {
    const least = Math.max(
      0,
      ...ledger.publishes
        .filter((publish) => publish.teamId === teamId && publish.answeredAt < writtenAt)
        .map(({ edition }) => edition),
    );
    const edition = editions.get(firstOf.get(text) ?? '');
    return edition === undefined || edition >= least
      ? []
      : [`"${text}" was answered by edition ${edition}, written after ${least} was published`];
  });
}

/** By network id: what became of a message, and of the first part of its answer, which names what it answers. */
async function explanations(database: Pick<ChaosDatabase, 'ask'>): Promise<Map<string, string>> {
  const rows = await database.ask<{ id: string; why: string }>(`
    select i.network_id as id, i.status || coalesce(', reply ' || o.status, '') as why
    from messages i left join (
      select distinct on (answer_id) answer_id, status from messages where direction = 'out' order by answer_id, seq
    ) o on o.answer_id = i.answer_id where i.direction = 'in'`);
  return new Map(rows.map(({ id, why }) => [id, why]));
}
