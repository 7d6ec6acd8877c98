import { formerPoolUrl } from '../../devices/pools/pools.sql.ts';
import type { References } from '../../platform/database/backup/staged-rows.ts';
import type { TeamTable } from '../../platform/database/backup/team-rows.ts';

const ofTeam = (name: string, replaced: Readonly<Record<string, string>> = {}): TeamTable => ({
  name,
  rows: 'team_id = $team',
  replaced,
});

const ofProvider = (name: string): TeamTable => ({
  ...ofTeam(`embedded_provider.${name}`),
  adapted: { installation_id: '(select id::text from installation)' },
});

const ofDocument = (name: string): TeamTable => ({
  name: `embedded_provider.${name}`,
  rows: 'document_ref in (select ref from embedded_provider.documents where team_id = $team)',
});

/** The tables that move with a team, in the order of their foreign keys. */
export const teamTables: readonly TeamTable[] = [
  { name: 'teams', rows: 'id = $team', replaced: { banned: 'true' } },
  ofTeam('team_usage'),
  ofTeam('monthly_usage'),
  ofTeam('monthly_model_usage'),
  ofTeam('model_calls'),
  ofTeam('users'),
  ofTeam('brands'),
  { ...ofTeam('documents'), fileKey: 'file_key' },
  ofTeam('bots'),
  ofTeam('bot_actions'),
  ofTeam('bot_policies'),
  ofTeam('bot_documents'),
  ofTeam('bot_versions'),
  ofTeam('bot_version_documents'),
  ofTeam('bot_cases'),
  ofTeam('bot_gates'),
  ofTeam('devices', {
    pool_id: 'team_id',
    pool_url: `'${formerPoolUrl}'`,
    status: `'stopped'`,
    connected: 'false',
    qr_text: 'null',
    qr_expires_at: 'null',
  }),
  {
    name: 'device_sessions',
    rows: 'device_id in (select id from devices where team_id = $team)',
  },
  ofTeam('network_inbox'),
  ofTeam('contact_addresses'),
  ofTeam('contact_merges'),
  ofTeam('consents'),
  ofTeam('contacts'),
  ofTeam('conversations', { claimed_until: 'null' }),
  {
    name: 'tool_calls',
    rows: 'conversation_id in (select id from conversations where team_id = $team)',
  },
  ofTeam('notes'),
  ofTeam('saved_replies'),
  ofTeam('opening_hours'),
  ofTeam('messages', { claimed_until: 'null' }),
  {
    name: 'message_media',
    rows: 'message_id in (select id from messages where team_id = $team)',
    fileKey: 'file_key',
  },
  ofTeam('answers'),
  ofTeam('webhooks', { claimed_by: 'null', claimed_until: 'null' }),
  ofProvider('assistants'),
  {
    name: 'embedded_provider.revisions',
    rows: 'assistant_ref in (select ref from embedded_provider.assistants where team_id = $team)',
  },
  ofProvider('knowledge_stores'),
  ofProvider('documents'),
  ofDocument('passages'),
  ofDocument('passage_vectors'),
  ofDocument('postings'),
];

/** The tables whose rows other columns name. An import refuses rows that name another team's. */
export const teamReferences: References = {
  identities: {
    users: 'id',
    bots: 'id',
    documents: 'id',
    devices: 'id',
    conversations: 'id',
    messages: 'id',
    answers: 'id',
    'embedded_provider.assistants': 'ref',
    'embedded_provider.knowledge_stores': 'ref',
    'embedded_provider.documents': 'ref',
  },
  columns: {
    ref: [
      'embedded_provider.assistants',
      'embedded_provider.knowledge_stores',
      'embedded_provider.documents',
    ],
    bot_id: ['bots'],
    document_id: ['documents'],
    device_id: ['devices'],
    conversation_id: ['conversations'],
    message_id: ['messages'],
    first_message_id: ['messages'],
    assignee_id: ['users'],
    answer_id: ['answers'],
    object_id: ['bots', 'documents'],
    assistant_ref: ['embedded_provider.assistants'],
    document_ref: ['embedded_provider.documents'],
    vector_id: ['embedded_provider.knowledge_stores'],
    ai_provider_id: ['embedded_provider.assistants', 'embedded_provider.documents'],
    next_provider_id: ['embedded_provider.documents'],
  },
  inJson: [
    'bots',
    'documents',
    'devices',
    'embedded_provider.assistants',
    'embedded_provider.knowledge_stores',
    'embedded_provider.documents',
  ],
};

/** Tables that stay: those of the deployment, how people sign in to it, and a team's keys, events and audit log, which refer to it. */
export const otherTables: readonly string[] = [
  'address_proofs',
  'alert_settings',
  'alerts',
  'api_key_roles',
  'api_keys',
  'audit_log',
  'device_links',
  'document_counts',
  'document_totals',
  'encryption_keys',
  'event_log',
  'events',
  'former_staff',
  'hosts',
  'idempotency_keys',
  'installation',
  'job_runners',
  'knowledge_moves',
  'mail_rates',
  'mails',
  'memberships',
  'openai_attachments',
  'openai_objects',
  'passkey_challenges',
  'passkeys',
  'people',
  'person_identities',
  'plans',
  'pools',
  'portal_links',
  'push_keys',
  'push_subscriptions',
  'second_factors',
  'sessions',
  'sign_in_links',
  'team_counts',
  'tombstones',
  'webhook_deliveries',
];
