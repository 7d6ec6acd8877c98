import { type Static, Type } from 'typebox';
import { Id, Text, Timestamp } from '../../platform/http/fields.ts';

const MessageText = Text(4096, { minLength: 1 });

const Version = Type.Unsafe<'draft' | 'published'>({
  type: 'string',
  enum: ['draft', 'published'],
  default: 'published',
  description: 'The published version or the current draft.',
});

export const AskBot = Type.Object(
  {
    question: MessageText,
    version: Type.Optional(Version),
    history: Type.Optional(
      Type.Array(
        Type.Object(
          {
            role: Type.Unsafe<'contact' | 'assistant'>({ type: 'string', enum: ['contact', 'assistant'] }),
            text: MessageText,
          },
          { title: 'EarlierMessage', additionalProperties: false },
        ),
        { maxItems: 50, description: 'Earlier messages, oldest first.' },
      ),
    ),
  },
  { additionalProperties: false, title: 'AskBot' },
);
export type AskBot = Static<typeof AskBot>;

const Pair = Type.Object({ question: Type.String(), score: Type.Number() });

const Passage = Type.Object({
  document_id: Type.Optional(Id({ description: 'Absent when the document has been deleted.' })),
  document: Type.Optional(Type.String({ description: "The document's name." })),
  page: Type.Optional(Type.Integer()),
  heading: Type.Optional(Type.String()),
  quote: Type.String(),
  score: Type.Number(),
});

const CalledAction = Type.Object({
  name: Type.String(),
  arguments: Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()])),
  status: Type.Optional(Type.Integer({ description: 'HTTP status. Absent when there was no response.' })),
  ms: Type.Integer(),
  error: Type.Optional(Type.String({ description: 'Absent when the call succeeded.' })),
});

const Tokens = () =>
  Type.Union([Type.Integer(), Type.Null()], { description: 'Null if the provider does not report it.' });

const Sources = {
  pair: Type.Optional(Pair),
  passages: Type.Array(Passage),
  actions: Type.Array(CalledAction),
  shortened: Type.Optional(
    Type.Boolean({
      description:
        'True if the model reached its limit of tokens. The answer then ends at its last whole sentence, or with an ellipsis. Else absent.',
    }),
  ),
  off_topic: Type.Optional(
    Type.Boolean({
      description: 'True if a model said that the question is outside the purpose of the bot. Else absent.',
    }),
  ),
};

export const ActionResult = () =>
  Type.String({ description: 'The text for the model: the response, or the error.' });

export const BotAnswer = Type.Object(
  {
    answer: Type.String({ description: 'In the notation of the network, as a contact would get it.' }),
    answered: Type.Boolean({ description: 'False when the bot does not know the answer.' }),
    trace: Type.Object({
      ...Sources,
      actions: Type.Array(Type.Object({ ...CalledAction.properties, result: ActionResult() })),
      usage: Type.Object({
        input_tokens: Tokens(),
        output_tokens: Tokens(),
        credits: Type.Integer(),
        cost: Type.Union([Type.Number(), Type.Null()], {
          description: 'In the currency of `MODEL_PRICES`. Null if it is unknown.',
        }),
      }),
      elapsed_ms: Type.Integer({ description: 'Duration of the answer in milliseconds.' }),
    }),
  },
  { title: 'BotAnswer' },
);
export type BotAnswer = Static<typeof BotAnswer>;

export const MessageAnswer = Type.Object(
  {
    id: Id(),
    bot_id: Id(),
    version: Type.Integer({
      description: 'The version of the bot that answered. 0: the draft answered a tester.',
    }),
    answered: Type.Boolean({ description: 'False when the bot did not know the answer.' }),
    credits: Type.Integer(),
    trace: Type.Object({
      ...Sources,
      draft_revision: Type.Optional(
        Type.Integer({ description: 'Which state of the draft answered a tester. Else absent.' }),
      ),
    }),
    created_at: Timestamp(),
  },
  { title: 'MessageAnswer' },
);
export type MessageAnswer = Static<typeof MessageAnswer>;
