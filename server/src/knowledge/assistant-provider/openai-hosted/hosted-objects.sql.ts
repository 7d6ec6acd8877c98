import { sql } from 'kysely';

/** The number of files and vector stores at OpenAI. */
export const hostedObjectCount = sql<number>`(select count(*)::int from openai_objects where ref is not null)`;
