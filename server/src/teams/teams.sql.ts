import { type RawBuilder, sql } from 'kysely';
import { defaultSettings, type QuotaName, type TeamSettings } from './teams.schemas.ts';

/** What a team may have of it, from `teams t` and its `plans p`: its own quota where it has one, else the plan's. */
export const effectiveQuota = (name: QuotaName): RawBuilder<number> =>
  sql`coalesce(${sql.ref(`t.quota_${name}`)}, ${sql.ref(`p.${name}`)})`;

type NumberSetting = 'reply_delay_seconds' | 'human_takeover_minutes';

/** A setting of `teams t` that is a number, or its default. */
export const numberSetting = (name: NumberSetting): RawBuilder<number> =>
  sql`coalesce((t.settings->>${sql.lit(name)})::int, ${sql.lit(defaultSettings[name])})`;

/** A setting of `teams t` that is text, or its default. */
export const textSetting = (name: Exclude<keyof TeamSettings, NumberSetting>): RawBuilder<string> =>
  sql`coalesce(t.settings->>${sql.lit(name)}, ${sql.lit(defaultSettings[name])})`;
