import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * The conversation of this alias is left to a person. A pause that has ended by time is none, though nothing was written
 * at its end; one without an end lasts until it is resumed. False where there is no conversation yet.
 */
export const isPaused = (conversations: string): RawBuilder<SqlBool> => {
  const column = (name: string) => sql.ref(`${conversations}.${name}`);
  return sql<SqlBool>`coalesce(${column('state')} = 'paused' and coalesce(${column('paused_until')} > now(), true), false)`;
};
