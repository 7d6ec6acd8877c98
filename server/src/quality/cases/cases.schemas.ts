import { type Static, Type } from 'typebox';
import { expectedUpdate } from '../../platform/http/expected-update.ts';
import { Id, Name, Text, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery } from '../../platform/http/pagination.ts';

export const maxCases = 500;
const maxMessages = 20;
export const maxChecks = 20;

const CaseMessage = Type.Object(
  {
    role: Type.Unsafe<'contact' | 'assistant'>({ type: 'string', enum: ['contact', 'assistant'] }),
    text: Text(4096, { minLength: 1 }),
  },
  { additionalProperties: false, title: 'CaseMessage' },
);

export const checkKinds = [
  'contains',
  'lacks',
  'cites_pair',
  'cites_document',
  'calls_action',
  'calls_none',
  'hands_over',
  'silent',
  'asks_back',
  'language',
  'max_cost',
  'max_ms',
  'judge',
] as const;

const CheckKind = () => Type.Unsafe<(typeof checkKinds)[number]>({ type: 'string', enum: [...checkKinds] });

const Check = Type.Object(
  {
    kind: CheckKind(),
    text: Type.Optional(
      Text(1000, {
        minLength: 1,
        description: 'For `contains` and `lacks`: words of the answer. Case and punctuation do not count.',
      }),
    ),
    question: Type.Optional(Text(1000, { minLength: 1, description: 'For `cites_pair`: that of the pair.' })),
    document_id: Type.Optional(Id({ description: 'For `cites_document`.' })),
    name: Type.Optional(Name()),
    arguments: Type.Optional(
      Type.Record(Type.String({ maxLength: 100 }), Type.Union([Text(1000), Type.Number(), Type.Boolean()]), {
        maxProperties: 50,
        description: 'For `calls_action`: those that must have these values. Others may have any.',
      }),
    ),
    language: Type.Optional(
      Type.String({ pattern: '^[a-z]{2}$', 'x-pattern-means': 'must be the code of a language, like en' }),
    ),
    value: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1_000_000,
        description: 'For `max_cost`, in the currency of `MODEL_PRICES`, and for `max_ms`.',
      }),
    ),
    criterion: Type.Optional(
      Text(1000, {
        minLength: 1,
        description: 'For `judge`: what a language model must find in the answer. It warns only.',
      }),
    ),
  },
  { additionalProperties: false, title: 'Check' },
);
export type Check = Static<typeof Check>;

/** The member that each kind of check needs. */
export const neededMember: Partial<Record<Check['kind'], keyof Check>> = {
  contains: 'text',
  lacks: 'text',
  cites_pair: 'question',
  cites_document: 'document_id',
  calls_action: 'name',
  language: 'language',
  max_cost: 'value',
  max_ms: 'value',
  judge: 'criterion',
};

const content = {
  name: Name(200),
  messages: Type.Array(CaseMessage, {
    minItems: 1,
    maxItems: maxMessages,
    description: 'Oldest first. The bot replies to the last ones of the contact.',
  }),
  checks: Type.Array(Check, { maxItems: maxChecks, description: 'What must hold for the reply.' }),
};
const Enabled = Type.Boolean({ description: 'Runs leave out cases that are not.' });

export const CreateCase = Type.Object(
  {
    name: Type.Optional(content.name),
    messages: Type.Optional(content.messages),
    checks: Type.Optional(content.checks),
    message_id: Type.Optional(
      Id({
        description:
          'Instead of `messages`: a message of a contact, or an answer of the bot. The case gets the conversation up to the question, and without `checks` those that the answer passed.',
      }),
    ),
    enabled: Type.Optional(Enabled),
  },
  { additionalProperties: false, title: 'CreateCase' },
);
export type CreateCase = Static<typeof CreateCase>;

export const UpdateCase = Type.Partial(Type.Object({ ...content, enabled: Enabled, ...expectedUpdate }), {
  additionalProperties: false,
  title: 'UpdateCase',
});
export type UpdateCase = Static<typeof UpdateCase>;

const origins = ['manual', 'message', 'csv', 'proposed'] as const;

export const Case = Type.Object(
  {
    id: Id(),
    bot_id: Id(),
    ...content,
    origin: Type.Unsafe<(typeof origins)[number]>({
      type: 'string',
      enum: [...origins],
      description:
        'Whether a request wrote it, it was made from a message, a CSV contained it, or Parley proposed it.',
    }),
    enabled: Enabled,
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Case' },
);
export type Case = Static<typeof Case>;

export const ListCases = Type.Object(cursorQuery, { additionalProperties: false });
export type ListCases = Static<typeof ListCases>;

export const ImportCases = Type.Object(
  {
    csv: Type.String({
      maxLength: 900_000,
      description: `Rows separated by commas, semicolons or tabs, at most ${maxCases}, with a header that has \`question\` and may have \`name\` and kinds of checks. \`|\` separates several values in a cell; \`yes\` sets a check without a value.`,
    }),
  },
  { title: 'ImportCases', additionalProperties: false },
);
export type ImportCases = Static<typeof ImportCases>;

export const ImportedCases = Type.Object(
  {
    imported: Type.Integer(),
    refused: Type.Array(
      Type.Object({
        row: Type.Integer({ description: 'The line in which the row ends; the header is line 1.' }),
        message: Type.String(),
      }),
      { description: 'Rows that changed nothing.' },
    ),
  },
  { title: 'ImportedCases' },
);
export type ImportedCases = Static<typeof ImportedCases>;

export const ProposedCases = Type.Object(
  { proposed: Type.Integer({ description: 'Cases that were added.' }) },
  { title: 'ProposedCases' },
);
export type ProposedCases = Static<typeof ProposedCases>;
