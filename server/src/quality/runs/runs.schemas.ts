import { type Static, Type } from 'typebox';
import { Id, Nullable, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery, pageQuery } from '../../platform/http/pagination.ts';

const sourceNames = ['cases', 'recent'] as const;
export type RunSource = (typeof sourceNames)[number];

export const Sources = () =>
  Type.Array(Type.Unsafe<RunSource>({ type: 'string', enum: [...sourceNames] }), {
    minItems: 1,
    maxItems: sourceNames.length,
    uniqueItems: true,
    description:
      '`cases`: the enabled cases. `recent`: the newest questions that contacts asked, with the answers that they got.',
  });

export const RecentCount = () =>
  Type.Integer({ minimum: 1, maximum: 200, description: 'For `recent`: how many. 50 if absent.' });
export const defaultRecentCount = 50;

const versionNames = ['draft', 'published'] as const;
export type RunVersion = (typeof versionNames)[number];
const Version = (description: string) =>
  Type.Unsafe<RunVersion>({ type: 'string', enum: [...versionNames], description });

export const CreateRun = Type.Object(
  {
    version: Type.Optional(Version('`draft` if absent.')),
    baseline: Type.Optional(
      Nullable(
        Type.Unsafe<'published'>({
          type: 'string',
          enum: ['published'],
          description: 'What cases are compared with. Questions of contacts are compared with their answers.',
        }),
      ),
    ),
    sources: Type.Optional(Sources()),
    recent_count: Type.Optional(RecentCount()),
  },
  { additionalProperties: false, title: 'CreateRun' },
);
export type CreateRun = Static<typeof CreateRun>;

const runStates = ['waiting', 'running', 'finished', 'failed'] as const;
export type RunState = (typeof runStates)[number];

export const Run = Type.Object(
  {
    id: Id(),
    bot_id: Id(),
    version: Version('The version that answered.'),
    baseline: Nullable(Type.String()),
    sources: Sources(),
    state: Type.Unsafe<RunState>({ type: 'string', enum: [...runStates] }),
    error: Nullable(Type.String({ description: 'Why the run failed.' })),
    progress: Type.Number({ description: 'From 0 to 1.' }),
    total: Type.Integer({ description: 'Questions of the run.' }),
    passed: Type.Integer({ description: 'Cases whose checks all hold.' }),
    failed: Type.Integer({
      description: 'Cases with a check that does not hold, or a question without an answer.',
    }),
    warned: Type.Integer({
      description: 'Cases that only a judge doubts, and questions that need an unrecorded call.',
    }),
    changed: Type.Integer({ description: 'Questions with another answer than before.' }),
    worse: Type.Integer({ description: 'Questions that were answered or passed before, and are not now.' }),
    cost: Nullable(
      Type.Number({
        description: 'Of the models, in the currency of `MODEL_PRICES`. Null if it is unknown.',
      }),
    ),
    results_url: Type.String(),
    created_at: Timestamp(),
    finished_at: Nullable(Timestamp()),
  },
  { title: 'Run' },
);
export type Run = Static<typeof Run>;

export const ListRuns = Type.Object(cursorQuery, { additionalProperties: false });
export type ListRuns = Static<typeof ListRuns>;

const outcomes = ['passed', 'failed', 'warned'] as const;
export type Outcome = (typeof outcomes)[number];
const OutcomeName = () => Type.Unsafe<Outcome>({ type: 'string', enum: [...outcomes] });

const RunAnswer = Type.Object(
  {
    text: Type.String({ description: 'Empty: the bot stays silent.' }),
    answered: Type.Boolean(),
    source: Nullable(
      Type.String({ description: 'The pair, the document or the action that the answer is from.' }),
    ),
  },
  { title: 'RunAnswer' },
);
export type RunAnswer = Static<typeof RunAnswer>;

export const RunResult = Type.Object(
  {
    position: Type.Integer(),
    case_id: Nullable(Id()),
    conversation_id: Nullable(Id({ description: 'Of the contact who asked.' })),
    name: Type.String({ description: 'Of the case, or the question of the contact.' }),
    outcome: OutcomeName(),
    changed: Type.Boolean(),
    worse: Type.Boolean(),
    old: Nullable(RunAnswer),
    new: RunAnswer,
    reasons: Type.Array(Type.String(), { description: 'Why it failed, is worse or changed.' }),
  },
  { title: 'RunResult' },
);
export type RunResult = Static<typeof RunResult>;

export const ListResults = Type.Object(
  {
    ...pageQuery,
    outcome: Type.Optional(OutcomeName()),
    changed: Type.Optional(Type.Boolean()),
    worse: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type ListResults = Static<typeof ListResults>;
