import { type Static, Type } from 'typebox';
import { Id, Nullable, Timestamp } from '../../platform/http/fields.ts';

export const ComplianceQuery = Type.Object(
  {
    days: Type.Integer({ minimum: 1, maximum: 366, default: 30, description: 'The time until now.' }),
  },
  { title: 'ComplianceQuery', additionalProperties: false },
);
export type ComplianceQuery = Static<typeof ComplianceQuery>;

const Recipient = Type.Object(
  {
    kind: Type.Enum(
      [
        'model',
        'embedding',
        'speech',
        'database',
        'files',
        'network',
        'mail',
        'telemetry',
        'webhook',
        'action',
      ],
      {
        description:
          '`model`: messages, and knowledge of the bot, for answers. `embedding`: questions, pairs and documents. `speech`: voice notes and spoken answers. `database` and `files`: all that is stored. `network`: all messages. `telemetry`: traces and metrics, without texts. `webhook`: events. `action`: what the bot fills in.',
      },
    ),
    name: Nullable(Type.String({ description: 'Such as `openai`. Null: only the host is known.' })),
    host: Nullable(Type.String({ description: 'Null: Parley does not know it.' })),
    own: Type.Boolean({
      description: 'Whether the host is private, so that it is hardly a company of its own.',
    }),
  },
  { title: 'Recipient' },
);
export type Recipient = Static<typeof Recipient>;

export const Storage = Type.Object({
  database: Type.Enum(['embedded', 'external'], {
    description: '`embedded`: on the machine of Parley. `external`: see the recipient `database`.',
  }),
  files: Type.Enum(['local', 's3'], {
    description: '`local`: on the disk of Parley. `s3`: see the recipient `files`.',
  }),
  documents: Type.Enum(['database', 'provider'], {
    description: '`provider`: the provider of the model also keeps the texts of documents.',
  }),
});
export type Storage = Static<typeof Storage>;

export const Compliance = Type.Object(
  {
    team_id: Id(),
    team_name: Type.String(),
    since: Timestamp(),
    until: Timestamp(),
    disclosure: Type.Object({
      mode: Type.Enum(['first_reply', 'every_conversation', 'off']),
      reason: Nullable(Type.String({ description: 'Why it is off.' })),
      set_by: Type.Enum(['team', 'deployment']),
    }),
    answers: Type.Integer({ description: 'Answers of bots in the time.' }),
    conversations: Type.Object({
      answered: Type.Integer({ description: 'With an answer in the time.' }),
      noticed: Type.Integer({
        description: 'Of these, those in which an answer carried the notice that a machine answers.',
      }),
      automated: Type.Integer({ description: 'How often the bot stopped answering a machine.' }),
    }),
    opt_outs: Type.Object({
      now: Type.Integer({ description: 'Contacts who want no active messages now.' }),
      added: Type.Integer({ description: 'In the time.' }),
      undone: Type.Integer({ description: 'In the time.' }),
    }),
    people: Type.Object({
      requested: Type.Integer({ description: 'How often a contact asked for a person.' }),
      took_over: Type.Integer({ description: 'How often a person took a conversation over.' }),
    }),
    bots: Type.Array(
      Type.Object({
        id: Id(),
        name: Type.String(),
        purpose: Nullable(Type.String({ description: 'What the bot is for.' })),
        disclosure_mode: Nullable(
          Type.Enum(['first_reply', 'every_conversation', 'off'], {
            description: 'Of the bot itself. Null: it follows `disclosure`.',
          }),
        ),
        answers: Type.Integer(),
        off_topic: Type.Integer({
          description: 'Questions that a model refused, because they are outside the purpose of the bot.',
        }),
      }),
      { description: 'The bots with answers in the time.' },
    ),
    retention_days: Type.Integer({ description: 'Counts of an earlier time are not complete.' }),
    erasures: Type.Integer({ description: 'Erased contacts of this team, in the time.' }),
    exports: Type.Integer({ description: 'Exports of the data of a contact of this team, in the time.' }),
    recipients: Type.Array(Recipient, {
      description: 'Who gets data, according to the running configuration and the objects of the team.',
    }),
    storage: Storage,
  },
  { title: 'Compliance' },
);
export type Compliance = Static<typeof Compliance>;
