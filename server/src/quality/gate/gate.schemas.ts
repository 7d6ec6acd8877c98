import { type Static, Type } from 'typebox';
import { expectedFirstUpdate } from '../../platform/http/expected-update.ts';
import { Nullable, Timestamp } from '../../platform/http/fields.ts';
import { RecentCount, Sources } from '../runs/runs.schemas.ts';

const content = {
  min_pass: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The least share of cases that pass or only warn.',
  }),
  max_worse: Type.Integer({
    minimum: 0,
    maximum: 1000,
    description: 'The most questions that may be worse than before.',
  }),
  sources: Sources(),
};

export const PutGate = Type.Object(
  { ...content, recent_count: Type.Optional(RecentCount()), ...expectedFirstUpdate },
  { additionalProperties: false, title: 'PutGate' },
);
export type PutGate = Static<typeof PutGate>;

export const Gate = Type.Object(
  { ...content, recent_count: RecentCount(), updated_at: Timestamp() },
  { title: 'Gate' },
);
export type Gate = Static<typeof Gate>;

export const BotGate = Type.Object(
  { gate: Nullable(Gate), updated_at: Nullable(Timestamp({ description: 'Null: the bot has no gate.' })) },
  { title: 'BotGate' },
);
export type BotGate = Static<typeof BotGate>;
