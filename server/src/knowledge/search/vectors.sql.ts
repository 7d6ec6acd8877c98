import { sql } from 'kysely';

/** The number of passages of documents that are still without vectors of the model; 0 without a model. */
export const passagesToEmbed = (model: string | null) => sql<number>`
  select coalesce(sum(passage_count), 0)::int from embedded_provider.documents
  where ${model}::text is not null and state = 'ready' and vectors_model is distinct from ${model}`;
