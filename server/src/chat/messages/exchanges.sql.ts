import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isChange, isInChat, words } from './messages.sql.ts';

const maxSpoken = 20;

/** What both sides said in a chat until `asked`, as a JSON array, oldest first. `asked` has `seq`, and ends with the contact. */
export const spokenUntil = (asked: string) => sql`
  select json_agg(json_build_object('role', case m.direction when 'in' then 'contact' else 'assistant' end, 'text', m.text)
                  order by m.seq)
  from (select m.direction, m.seq, left(${words('m')}, 4096) as text from messages m
        where ${isInChat(asked)} and m.seq <= ${sql.ref(`${asked}.seq`)} and m.failure is null and ${words('m')} <> ''
          and not ${isChange}
        order by m.seq desc limit ${maxSpoken}) m`;

/** What an answer said. */
export const repliesOfAnswer = (answer: string) => sql`
  select string_agg(m.text, E'\n' order by m.seq) from messages m
  where ${isInChat(answer)} and m.answer_id = ${sql.ref(`${answer}.id`)} and m.direction = 'out'`;

/** The last message of a contact that an answer is for. */
export const lastQuestionOfAnswer = (answer: string) => sql`
  select m.device_id, m.contact_number, m.seq, m.answer_id from messages m
  where ${isInChat(answer)} and m.answer_id = ${sql.ref(`${answer}.id`)} and m.direction = 'in' and m.failure is null
    and ${words('m')} <> ''
  order by m.seq desc limit 1`;

/** The message if it is of a contact, else the last one that its answer is for. */
export const joinAsked = (messageId: string, isVisible: RawBuilder<SqlBool>) => sql`
  select q.device_id, q.contact_number, q.seq, q.answer_id from messages m
  join lateral (select other.* from messages other
    where other.device_id = m.device_id and other.contact_number = m.contact_number and other.direction = 'in'
      and (other.id = m.id or m.direction = 'out' and other.answer_id = m.answer_id)
    order by other.seq desc limit 1) q on true
  where m.id = ${messageId} and ${isVisible}`;

const longestQuestion = 500;

/**
 * What contacts asked in the messages of each answer in `answers`, without messages that could not be read: `answer_id`, `question`, and
 * the id of the last message. `answers` has `id`, `device_id` and `contact_number`.
 */
export const questionsOfAnswers = (answers: string) => sql`
  select m.answer_id, left(string_agg(m.text, E'\n' order by m.seq), ${longestQuestion}) as question,
         (array_agg(m.id order by m.seq desc))[1] as message_id
  from (select distinct device_id, contact_number from ${sql.table(answers)}) chat
  join lateral (select m.id, m.seq, m.answer_id, ${words('m')} as text from messages m
                where ${isInChat('chat')} and m.direction = 'in' and m.failure is null
                  and m.answer_id in (select id from ${sql.table(answers)})) m on m.text <> ''
  group by m.answer_id`;
