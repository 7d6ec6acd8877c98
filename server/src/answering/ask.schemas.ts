import { type Static, Type } from 'typebox';
import { Id, Text } from '../http/fields.ts';

/** Up to a message's length. */
const Words = Text(4096, { minLength: 1 });

const Version = Type.Unsafe<'draft' | 'published'>({
  type: 'string',
  enum: ['draft', 'published'],
  default: 'published',
  description: 'The version that devices answer with, or the draft as it is now.',
});

export const AskBot = Type.Object(
  {
    question: Words,
    version: Type.Optional(Version),
    history: Type.Optional(
      Type.Array(
        Type.Object(
          {
            role: Type.Unsafe<'contact' | 'assistant'>({ type: 'string', enum: ['contact', 'assistant'] }),
            text: Words,
          },
          { additionalProperties: false },
        ),
        { maxItems: 50, description: 'What was said before, oldest first.' },
      ),
    ),
  },
  { additionalProperties: false, title: 'AskBot' },
);
export type AskBot = Static<typeof AskBot>;

const Pair = Type.Object({ question: Type.String(), score: Type.Number() });

const Passage = Type.Object({
  document_id: Type.Optional(Id({ description: 'Absent when the document was deleted since.' })),
  document: Type.Optional(Type.String({ description: "The document's name." })),
  page: Type.Optional(Type.Integer()),
  heading: Type.Optional(Type.String()),
  quote: Type.String(),
  score: Type.Number(),
});

const CalledAction = Type.Object({
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  status: Type.Optional(Type.Integer({ description: 'HTTP status; absent when nothing answered.' })),
  ms: Type.Integer(),
  error: Type.Optional(Type.String({ description: 'What went wrong; absent when nothing did.' })),
});

export const BotAnswer = Type.Object(
  {
    answer: Type.String(),
    answered: Type.Boolean({ description: 'False when the bot says that it does not know.' }),
    trace: Type.Object({
      pair: Type.Optional(Pair),
      passages: Type.Array(Passage),
      actions: Type.Array(CalledAction),
      usage: Type.Object({
        input_tokens: Type.Integer(),
        output_tokens: Type.Integer(),
        credits: Type.Integer(),
      }),
      elapsed_ms: Type.Integer({ description: 'From the question to the answer, in milliseconds.' }),
    }),
  },
  { title: 'BotAnswer' },
);
export type BotAnswer = Static<typeof BotAnswer>;
