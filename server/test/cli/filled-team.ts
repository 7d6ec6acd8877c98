import { sql } from 'kysely';
import { sealedColumns } from '../../src/lifecycle/key-rotation/key-rotation.jobs.ts';
import { newId } from '../../src/platform/shared/ids.ts';
import { populateTeam } from '../team-fixture.ts';
import type { Cell } from './team-cells.ts';

export interface FilledTeam {
  teamId: string;
  /** What identifies its objects in other rows. */
  ids: Record<'bot' | 'document' | 'device' | 'conversation' | 'message' | 'answer', string>;
  refs: Record<'assistant' | 'store' | 'document', string>;
  fileKeys: readonly string[];
}

/** Creates a banned team with rows in every table that moves with it, and with two files. */
export async function fillTeam({ db, encryption, files }: Cell, name: string): Promise<FilledTeam> {
  const teamId = newId();
  await sql`
    insert into teams (id, name, plan_name, paying, banned, settings)
    values (${teamId}, ${name}, 'pro', true, true, '{"locale": "de"}')`.execute(db);
  const { botId: bot, documentId: document, devices } = await populateTeam(db, teamId);
  const device = devices.running;
  const seal = (table: string, ...identity: string[]): Buffer => {
    const column = sealedColumns.find((sealed) => sealed.table === table);
    return encryption.seal(Buffer.from('[]'), column?.context(...identity) ?? '');
  };
  const [assistant, store, documentRef] = [`asst_${newId()}`, `vs_${newId()}`, `file_${newId()}`];
  const [conversation, message, answer, action, webhook] = [newId(), newId(), newId(), newId(), newId()];
  const fileKeys = [`${teamId}/${documentRef}.txt`, `${teamId}/media/${newId()}`];
  for (const key of fileKeys) await files.put(key, Buffer.from(name));
  const spec = JSON.stringify({ knowledge: { storeRef: store, documentRefs: [documentRef] }, questions: [] });
  await sql`
    update documents set ai_provider_id = ${documentRef}, file_key = ${fileKeys[0]} where id = ${document}`.execute(
    db,
  );
  await sql`
    update bots set ai_provider_id = ${assistant}, vector_id = ${store}, live_version = 1 where id = ${bot}`.execute(
    db,
  );
  await sql`
    update device_sessions set value_sealed = ${seal('device_sessions', device, 'creds', '')}
    where device_id = ${device}`.execute(db);
  await sql`update conversations set id = ${conversation}, team_id = team_id where device_id = ${device}`.execute(
    db,
  );
  await sql`insert into team_usage (team_id) values (${teamId}) on conflict do nothing`.execute(db);
  await sql`
    insert into monthly_model_usage (team_id, month, provider, model, calls, calls_without_tokens, calls_without_cost)
    values (${teamId}, '2026-11-01', 'fake', 'fake', 1, 1, 1)`.execute(db);
  await sql`
    insert into monthly_message_prices (team_id, month, category, currency, billable, not_billable, without_price, amount)
    values (${teamId}, '2026-11-01', 'utility', 'EUR', 2, 1, 0, 0.0912)`.execute(db);
  await sql`
    insert into model_calls (team_id, purpose, answer_id, provider, model) values (${teamId}, 'answer', ${answer}, 'f', 'f')`.execute(
    db,
  );
  await sql`insert into users (id, team_id, name, email) values (${newId()}, ${teamId}, 'A', ${`${teamId}@a.example`})`.execute(
    db,
  );
  await sql`
    insert into bot_actions (bot_id, id, team_id, position, name, description, endpoint, method, headers_sealed, body)
    values (${bot}, ${action}, ${teamId}, 0, 'A', 'A', 'https://a.example/', 'GET',
            ${seal('bot_actions', teamId, bot, action)}, '[]')`.execute(db);
  await sql`
    insert into bot_versions (bot_id, version, team_id, spec, actions_sealed, provider_revision, draft_revision)
    values (${bot}, 1, ${teamId}, ${JSON.stringify({ document_refs: [documentRef] })}::jsonb,
            ${seal('bot_versions', teamId, bot, '1')}, 'r', 1)`.execute(db);
  await sql`
    insert into bot_version_documents (bot_id, version, document_id, team_id, position) values (${bot}, 1, ${document}, ${teamId}, 0)`.execute(
    db,
  );
  await sql`
    insert into contact_addresses (device_id, address, team_id, contact_number)
    values (${device}, 'lid:1', ${teamId}, '+15550100')`.execute(db);
  await sql`
    insert into contact_merges (device_id, merged_contact, team_id, contact_number)
    values (${device}, 'lid:2', ${teamId}, '+15550100')`.execute(db);
  await sql`
    insert into messages (id, team_id, device_id, contact_number, direction, origin, kind, text, network_id, status,
                          answer_id, details)
    values (${message}, ${teamId}, ${device}, '+15550100', 'in', 'contact', 'text', ${`of ${name}`}, 'n', 'answered',
            ${answer}, '{"reply_to": null}')`.execute(db);
  await sql`
    insert into message_media (message_id, position, kind, mime_type, file_key, size)
    values (${message}, 0, 'image', 'image/png', ${fileKeys[1]}, 1)`.execute(db);
  await sql`
    insert into tool_calls (conversation_id, first_message_id, position, call)
    values (${conversation}, ${message}, 0, '{"tool": "a"}')`.execute(db);
  await sql`
    insert into notes (id, team_id, conversation_id, author_id, author_name, text)
    values (${newId()}, ${teamId}, ${conversation}, 'pk_1', 'Desk', 'Call back')`.execute(db);
  await sql`
    insert into saved_replies (team_id, replies) values (${teamId}, '[{"name": "hours", "text": "9 to 18"}]')`.execute(
    db,
  );
  await sql`insert into opening_hours (team_id, hours) values (${teamId}, '{"text": "Monday"}')`.execute(db);
  await sql`
    insert into bot_cases (id, team_id, bot_id, name, messages, checks, origin)
    values (${newId()}, ${teamId}, ${bot}, 'Hours', '[{"role": "contact", "text": "When do you open?"}]', '[]', 'manual')`.execute(
    db,
  );
  await sql`
    insert into bot_gates (bot_id, team_id, min_pass, max_worse, sources, recent_count)
    values (${bot}, ${teamId}, 1, 0, '{cases}', 50)`.execute(db);
  await sql`
    insert into answers (id, team_id, bot_id, version, device_id, contact_number, answered, credits, trace)
    values (${answer}, ${teamId}, ${bot}, 1, ${device}, '+15550100', true, 1, '{"steps": []}')`.execute(db);
  await sql`
    insert into bot_testers (bot_id, team_id, contact_number) values (${bot}, ${teamId}, '+15550100')`.execute(
    db,
  );
  await sql`
    insert into bot_days (team_id, bot_id, day, kind, name, questions, answered, asked_back, declined, handed_over, credits,
                          wait_ms, cost, unpriced)
    values (${teamId}, ${bot}, '2026-11-01', 'all', '', 1, 1, 0, 0, 0, 1, 900, 0, 0)`.execute(db);
  await sql`insert into bot_days_settled (team_id, until) values (${teamId}, now())`.execute(db);
  await sql`
    insert into webhooks (id, team_id, url, events, description, ordered, thin, secret_sealed)
    values (${webhook}, ${teamId}, 'https://w.example/', '{message.received}', '', false, false,
            ${seal('webhooks', webhook)})`.execute(db);
  const installation = sql`(select id::text from installation)`;
  await sql`
    insert into embedded_provider.assistants (ref, installation_id, team_id, object_id, operation, created_at)
    values (${assistant}, ${installation}, ${teamId}, ${bot}, ${newId()}, now())`.execute(db);
  await sql`
    insert into embedded_provider.knowledge_stores (ref, installation_id, team_id, object_id, operation, created_at)
    values (${store}, ${installation}, ${teamId}, ${bot}, ${newId()}, now())`.execute(db);
  await sql`
    insert into embedded_provider.documents (ref, installation_id, team_id, object_id, operation, content_hash, name,
                                             language, state, created_at)
    values (${documentRef}, ${installation}, ${teamId}, ${document}, ${newId()}, 'h', 'a.txt', 'en', 'ready', now())`.execute(
    db,
  );
  await sql`
    insert into embedded_provider.revisions (assistant_ref, revision, operation, content_hash, spec, created_at)
    values (${assistant}, 'r', ${newId()}, 'h', ${spec}::jsonb, now())`.execute(db);
  await sql`
    insert into embedded_provider.passages (document_ref, ordinal, text, terms)
    values (${documentRef}, 0, ${`Secret of ${name}`}, '{secret}')`.execute(db);
  await sql`
    insert into embedded_provider.passage_vectors (document_ref, ordinal, model, signs)
    values (${documentRef}, 0, 'm', '1')`.execute(db);
  await sql`
    insert into embedded_provider.postings (document_ref, term, ordinals) values (${documentRef}, 'secret', '{0}')`.execute(
    db,
  );
  return {
    teamId,
    ids: { bot, document, device, conversation, message, answer },
    refs: { assistant, store, document: documentRef },
    fileKeys,
  };
}
