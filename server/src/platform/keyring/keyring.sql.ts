import { sql } from 'kysely';

export const registeredKeyCount = sql`select count(*) from encryption_keys`;
