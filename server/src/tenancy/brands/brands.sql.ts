import { type RawBuilder, sql } from 'kysely';

/** What the chat on a website shows of a team's brand, as JSON, or null. */
export const brandOf = (teamId: RawBuilder<unknown>) => sql`(
  select jsonb_build_object('name', b.name, 'color', b.color, 'has_logo', b.logo is not null) from brands b
  where b.team_id = ${teamId})`;

export interface ShownBrand {
  name: string | null;
  color: string | null;
  has_logo: boolean;
}
