import { contactNumber, created, type Examples, eventCursor, ids, keyId } from './example.ts';

const secret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

const webhook = {
  id: ids.webhook,
  team_id: ids.team,
  url: 'https://crm.harbour-rentals.example/hooks/parley',
  events: ['message.received', 'conversation.human_requested'],
  description: 'Tickets in the CRM',
  enabled: true,
  ordered: true,
  thin: false,
  disabled_reason: null,
  disabled_at: null,
  failing_since: null,
  ...created,
};

const received = {
  id: ids.event,
  type: 'message.received',
  created_at: '2026-11-23T09:30:00.000Z',
  team_id: ids.team,
  data: {
    message_id: ids.message,
    conversation_id: ids.conversation,
    device_id: ids.device,
    contact_number: contactNumber,
    origin: 'contact',
    kind: 'text',
    text: 'Do you rent out tandems?',
  },
};

export const eventExamples: Examples = {
  listEvents: {
    data: [received],
    meta: { next_cursor: eventCursor, has_more: false },
    stream: `retry: 2000\n\nid: ${eventCursor}\nevent: ${received.type}\ndata: ${JSON.stringify(received)}\n\n: heartbeat\n\n`,
  },
  createWebhook: {
    body: {
      team_id: ids.team,
      url: webhook.url,
      events: webhook.events,
      description: webhook.description,
      ordered: true,
    },
    data: { ...webhook, secret },
  },
  listWebhooks: { data: [webhook] },
  getWebhook: { data: webhook },
  updateWebhook: { body: { events: ['*'], thin: true }, data: { ...webhook, events: ['*'], thin: true } },
  deleteWebhook: { data: { message: 'Webhook deleted' } },
  rotateWebhookSecret: { data: { secret, previous_secret_until: '2026-11-24T09:30:00.000Z' } },
  testWebhook: { data: { delivered: true, response_status: 204, error: null, duration_ms: 87 } },
  listWebhookDeliveries: {
    data: [
      {
        event_id: ids.event,
        type: 'message.received',
        status: 'pending',
        attempts: 2,
        next_attempt_at: '2026-11-23T10:05:12.000Z',
        last_attempt_at: '2026-11-23T09:35:10.000Z',
        response_status: 502,
        error: 'the receiver answered 502',
        payload: `{"id":"${ids.event}","type":"message.received","created_at":"2026-11-23T09:30:00.000Z","team_id":"${ids.team}","data":{"message_id":"${ids.message}"}}`,
        created_at: '2026-11-23T09:30:00.000Z',
      },
    ],
  },
  replayWebhook: { body: { since: '2026-11-22T00:00:00Z' }, data: { deliveries: 214 } },
  listAuditLog: {
    data: [
      {
        id: ids.auditEntry,
        at: '2026-11-23T09:30:00.000Z',
        key_id: keyId,
        user_id: null,
        user_name: null,
        request_id: '7d1f0a52-8c2b-4a57-9a55-f2f3f1f5c0de',
        address: '203.0.113.7',
        operation: 'updateTeam',
        object_type: 'team',
        object_id: ids.team,
        team_id: ids.team,
        before: { plan_name: 'pro' },
        after: { plan_name: 'enterprise' },
      },
    ],
  },
};
