import { contactNumber, eventCursor, ids, keyId } from './example.ts';

const pageCursor = (id: string) => `1795426200000-${id}`;

/** By name. */
const common: Readonly<Record<string, unknown>> = {
  actionId: ids.action,
  assignee: ids.user,
  blocked: true,
  caseId: ids.case,
  templateId: ids.template,
  changed: true,
  bot_id: ids.bot,
  by: 'month',
  connected: true,
  contact_number: contactNumber,
  device_id: ids.device,
  document_id: ids.document,
  direction: 'in',
  failing: true,
  days: 90,
  hours: 6,
  'idempotency-key': 'reminder-HR-2041',
  key_id: keyId,
  keyId,
  label: 'rental',
  limit: 50,
  month: '2026-11',
  name: 'harbour',
  number: contactNumber,
  object_id: ids.bot,
  operation: 'updateBot',
  outcome: 'failed',
  page: 1,
  paying: true,
  plan_name: 'starter',
  published: false,
  rating: 'down',
  since: '2026-11-01T00:00:00Z',
  sort: 'last_message_at',
  state: 'paused',
  team_id: ids.team,
  type: 'pdf',
  until: '2026-12-01T00:00:00Z',
  user_id: ids.user,
  userId: ids.user,
  version: '3',
  worse: true,
};

/** By operation. */
const special: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  deletePasskey: { id: ids.session },
  endSession: { id: ids.session },
  deletePushSubscription: { id: ids.session },
  deletePlan: { name: 'reseller' },
  listBots: { after: pageCursor(ids.bot), name: 'rental' },
  listConversationMessages: { after: pageCursor(ids.message) },
  listConversations: {
    after: pageCursor(ids.conversation),
    flag: 'human_requested',
    outcome: 'bot_not_published',
    q: 'voucher',
    unread: true,
  },
  listContacts: { after: pageCursor(ids.reply), q: 'ines' },
  listCases: { after: pageCursor(ids.case) },
  listRuns: { after: pageCursor(ids.run) },
  getRun: { id: ids.run },
  listRunResults: { id: ids.run },
  getBotAnalytics: { since: '2026-11-01', until: '2026-11-30' },
  getTeamAnalytics: { since: '2026-11-01', until: '2026-11-30' },
  listNotes: { after: pageCursor(ids.reply) },
  listTemplates: { after: pageCursor(ids.template), state: 'approved' },
  listDevices: { after: pageCursor(ids.device), status: 'started' },
  listDocuments: { after: pageCursor(ids.document), name: 'price list' },
  listEvents: { after: eventCursor },
  listMessages: { after: pageCursor(ids.message), status: 'unknown' },
  listTeams: { after: pageCursor(ids.team) },
  listWebhookDeliveries: { status: 'failed' },
  putPlan: { name: 'reseller' },
  getHost: { name: 'desk.harbour-rentals.example' },
  putHost: { name: 'desk.harbour-rentals.example' },
  deleteHost: { name: 'desk.harbour-rentals.example' },
};

/** `path` is like `/api/openapi/v1/teams/{id}`. */
export function parameterExample(operationId: string, path: string, name: string): unknown {
  const segments = path.split('/');
  const plural = segments[segments.indexOf('{id}') - 1] ?? '';
  const id = new Map(Object.entries(ids)).get(plural.slice(0, -1));
  return special[operationId]?.[name] ?? (name === 'id' ? id : common[name]);
}
