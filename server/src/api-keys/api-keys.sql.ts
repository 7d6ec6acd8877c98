import { sql } from 'kysely';

export const keysOfTeam = (teamId: string) => sql`select key_id from api_keys where team_id = ${teamId}`;
