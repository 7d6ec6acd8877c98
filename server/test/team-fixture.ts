import { sql } from 'kysely';
import type { Database } from '../src/platform/database/database.ts';
import { newId } from '../src/platform/shared/ids.ts';

export interface PopulatedTeam {
  botId: string;
  documentId: string;
  poolId: string;
  devices: { running: string; idle: string };
}

/**
 * Inserts rows of every kind for a team, without external objects: a bot, a document, a running device with a stored
 * session, a stopped device, and bulk rows. References and keys end in the object's id.
 */
export async function populateTeam(db: Database, teamId: string): Promise<PopulatedTeam> {
  const [botId, documentId, poolId, running, idle] = [newId(), newId(), newId(), newId(), newId()];
  await sql`
    insert into bots (id, team_id, state, name, role, description, instructions, identification_name, temperature,
                      chat_model_level, allow_human, use_audio_responses, allow_user_audio_requests, capture_payments,
                      break_lines, questions, ai_provider_id, vector_id)
    values (${botId}, ${teamId}, 'live', 'Bot', 'assistant', '', '', '', 0.7, 1, false, false, false, false, false,
            '[]', ${`asst_${botId}`}, ${`vs_${botId}`})`.execute(db);
  await sql`
    insert into documents (id, team_id, state, name, type, size, ai_provider_id, file_key, chars, charged_characters)
    values (${documentId}, ${teamId}, 'live', 'a.txt', 'txt', 1, ${`file_${documentId}`}, ${`key_${documentId}`}, 1, 1)`.execute(
    db,
  );
  await sql`
    insert into bot_documents (bot_id, document_id, team_id, position)
    values (${botId}, ${documentId}, ${teamId}, 0)`.execute(db);
  await sql`
    insert into pools (id, url, capacity, devices, lease_until) values (${poolId}, 'http://pool', 5, 3, now())`.execute(
    db,
  );
  await sql`
    insert into devices (id, team_id, bot_id, name, status, connected, pool_id, pool_url) values
      (${running}, ${teamId}, ${botId}, 'Running', 'started', true, ${poolId}, 'http://pool'),
      (${idle}, ${teamId}, ${botId}, 'Idle', 'stopped', false, ${poolId}, 'http://pool')`.execute(db);
  await sql`
    insert into device_sessions (device_id, kind, entry_id, value_sealed) values (${running}, 'creds', '', '\\x00')`.execute(
    db,
  );
  await sql`
    insert into conversations (id, team_id, device_id, contact_number)
    values (${newId()}, ${teamId}, ${running}, '+15550100')`.execute(db);
  await sql`insert into monthly_usage (team_id, month) values (${teamId}, '2026-11-01')`.execute(db);
  return { botId, documentId, poolId, devices: { running, idle } };
}
