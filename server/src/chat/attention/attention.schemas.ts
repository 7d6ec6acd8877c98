import { type Static, Type } from 'typebox';
import { Nullable, Timestamp } from '../../platform/http/fields.ts';

const AttentionKind = Type.Enum([
  'human_requested',
  'unanswered',
  'payment_captured',
  'automated_contact',
  'device',
  'bot',
  'webhook',
  'document',
  'quota',
  'provider',
  'pool',
  'disk',
]);
export type AttentionKind = Static<typeof AttentionKind>;

const Item = Type.Object(
  {
    id: Type.String({
      description:
        'Of the conversation, device, bot, webhook, document or pool. Other kinds have a stable text.',
    }),
    team_id: Nullable(Type.String({ format: 'uuid' })),
    team_name: Nullable(Type.String()),
    name: Type.String({ description: 'The number of the contact, or the name or URL of the object.' }),
    reason: Nullable(
      Type.String({
        description:
          'Of a conversation: its flag or the kind of failure. Of a device: `banned`, `restricted`, `not_linked` or its `last_disconnect_reason`. Of a bot: `never_published` or `draft_changed`. Of a webhook: `retrying` or its `disabled_reason`. Of a quota: which one. Of a provider: the kind of failure.',
      }),
    ),
    since: Nullable(Timestamp()),
    used: Type.Optional(Type.Integer({ description: 'Of a quota.' })),
    limit: Type.Optional(Type.Integer({ description: 'Of a quota.' })),
  },
  { title: 'AttentionItem' },
);
export type AttentionItem = Static<typeof Item>;

export const Attention = Type.Object(
  {
    total: Type.Integer({ description: 'The sum of the counts.' }),
    kinds: Type.Array(
      Type.Object(
        {
          kind: AttentionKind,
          count: Type.Integer(),
          items: Type.Array(Item, {
            description: 'The first ones: those that have waited longest, and the fullest quotas.',
          }),
        },
        { title: 'AttentionOfKind' },
      ),
      { description: 'The kinds with at least one item, the most urgent first.' },
    ),
  },
  { title: 'Attention' },
);
export type Attention = Static<typeof Attention>;

export const maxAttentionItems = 100;

export const AttentionQuery = Type.Object(
  {
    limit: Type.Integer({
      minimum: 0,
      maximum: maxAttentionItems,
      default: 10,
      description: 'Of the items of each kind.',
    }),
  },
  { additionalProperties: false },
);

/** The most urgent first. */
export const attentionKinds: readonly AttentionKind[] = AttentionKind.enum;
