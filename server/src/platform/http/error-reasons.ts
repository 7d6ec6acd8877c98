import { type Static, type TObject, Type } from 'typebox';
import { because, retryAfter } from './because.ts';
import { documentReasons } from './document-reasons.ts';
import { networkReasons } from './network-reasons.ts';
import { peopleReasons } from './people-reasons.ts';
import { qualityReasons } from './quality-reasons.ts';

const checkId = 'Check the id. A key of scope `team` sees only the objects of its team.';

const Ids = () => Type.Array(Type.String({ format: 'uuid' }));
const Count = () => Type.Integer({ minimum: 0 });

/** Every `details.reason` that the API sends. docs/errors.md and the schema of `details` are generated from it. */
export const errorReasons = {
  validation: because(
    400,
    'The body, the query or a reference in them is invalid.',
    'Correct every field in `details.issues`. With `more_issues`, there are more.',
    {
      issues: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
      more_issues: Type.Optional(
        Type.Literal(true, {
          'x-extension': true,
          description:
            'There are more problems than `issues` lists. A list or map over its limit counts as one.',
        }),
      ),
    },
  ),
  changed_meanwhile: because(
    400,
    'The object changed after the time in `expected_updated_at`. Nothing was changed.',
    'Compare both values, then send the update with the `updated_at` of the details, or without.',
    {
      updated_at: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
        description: 'When the object last changed. Null: it does not exist.',
      }),
      differences: Type.Array(
        Type.Object({ path: Type.String(), yours: Type.Unknown(), current: Type.Unknown() }),
        { description: 'The members of the request whose values differ from the present ones.' },
      ),
    },
  ),
  ...peopleReasons,
  malformed_json: because(
    400,
    'The body is not valid JSON in UTF-8, or it is nested too deeply.',
    'Correct the JSON at `details.position`.',
    {
      position: Type.Optional(
        Type.Integer({
          'x-extension': true,
          description: 'The position of the first error in malformed JSON, in characters from 0.',
        }),
      ),
    },
  ),
  content_type: because(
    400,
    'The content type or content encoding of the body is wrong.',
    'Send `application/json`, or `multipart/form-data` for an upload, without compression.',
  ),
  body_too_large: because(400, 'The body is over the limit.', 'Send less; see [limits.md](limits.md).'),
  malformed_request: because(400, 'The request is not valid HTTP.', 'Check the client or the proxy.'),
  malformed_multipart: because(
    400,
    'The multipart body of the upload could not be read.',
    'Send one field `file` and let your HTTP library write the boundaries.',
  ),
  headers_too_large: because(400, 'The headers are over the limit.', 'Send fewer or shorter headers.'),
  request_timeout: because(400, 'The request arrived too slowly.', 'Retry over a faster connection.'),
  host_not_allowed: because(
    400,
    'The `Host` header is not a name of this deployment.',
    'Use the configured address, or add the name to `ALLOWED_HOSTS`.',
  ),
  origin_not_allowed: because(
    403,
    'A web page of another site sent the request.',
    'Send it from your server, or from a page of this deployment.',
  ),
  signature_invalid: because(
    403,
    'The website did not sign the visitor, or with another secret.',
    'Sign the id on your server with the `visitor_secret` of the device: HMAC-SHA256, in hex.',
  ),
  role: because(
    403,
    'The role of the caller may not do this.',
    'Use an API key with another role, or without one ([roles.md](roles.md)).',
  ),
  scope: because(
    403,
    'The operation or a field of the body needs an API key of scope `global`.',
    'Use such a key, or leave the field out.',
  ),
  route_not_found: because(
    404,
    'No operation has this path and method.',
    'Check the path. If it exists, `Allow` lists its methods.',
  ),
  resource_not_found: because(404, 'The object does not exist, or the API key may not see it.', checkId),
  team_not_found: because(404, 'The team does not exist, or the API key may not see it.', checkId),
  member_not_found: because(404, 'The team has no such member.', 'List the members of the team.'),
  user_not_found: because(404, "The partner's staff has no such person.", 'List the users.'),
  plan_not_found: because(404, 'The plan does not exist.', 'List the plans for their names.'),
  passkey_not_found: because(404, 'The person has no such passkey.', 'List the passkeys.'),
  host_not_found: because(404, 'No team has the host name.', 'Correct the name.'),
  bot_not_found: because(404, 'The bot does not exist, or the API key may not see it.', checkId),
  bot_version_not_found: because(404, 'The bot has no such version.', 'List the versions of the bot.'),
  action_not_found: because(
    404,
    'The draft of the bot has no such action.',
    'Get the bot for the ids of its actions.',
  ),
  pool_not_found: because(404, 'The pool does not exist or has ended.', 'List the pools for their ids.'),
  device_not_found: because(404, 'The device does not exist, or the API key may not see it.', checkId),
  ...qualityReasons,
  case_not_found: because(404, 'The case does not exist, or belongs to another bot.', 'Check both ids.'),
  run_not_found: because(404, 'The run does not exist, or the API key may not see it.', checkId),
  document_not_found: because(404, 'The document does not exist, or the API key may not see it.', checkId),
  conversation_not_found: because(
    404,
    'The conversation does not exist, or the API key may not see it.',
    checkId,
  ),
  message_not_found: because(404, 'The message does not exist, or the API key may not see it.', checkId),
  media_not_found: because(
    404,
    'The message has no media, or they are no longer stored.',
    'Check `mime_type` of the message.',
  ),
  answer_not_found: because(404, 'No bot answered the message.', 'Check `outcome` of the message.'),
  webhook_not_found: because(404, 'The webhook does not exist, or the API key may not see it.', checkId),
  api_key_not_found: because(404, 'The API key does not exist.', 'List the API keys for their ids.'),
  push_device_not_found: because(404, 'The person has no such browser.', 'Add the browser again.'),
  session_not_found: because(404, 'The person has no such session.', 'List the sessions.'),
  too_many_attempts: because(429, 'Too many attempts to sign in.', retryAfter),
  request_rate: because(429, 'The caller sent too many requests in a minute.', retryAfter, {
    quota: Type.Optional(Count()),
    used: Type.Optional(Count()),
    limit: Type.Optional(Type.Integer({ description: 'Only for send: the active messages of the month.' })),
  }),
  active_messages: because(
    429,
    "The month's active messages are used up.",
    'Wait until `details.resets_at`, or raise the limit of the plan.',
    {
      quota: Count(),
      used: Count(),
      limit: Count(),
      resets_at: Type.String({
        format: 'date-time',
        'x-extension': true,
        description: 'The beginning of the next month in UTC.',
      }),
    },
  ),
  active_messaging_not_in_plan: because(
    403,
    "Active messaging is not in the team's plan.",
    'Move the team to a plan that has it.',
  ),
  quota_exceeded: because(
    400,
    'The request needs more of a quota of the team than is left.',
    'Delete objects, or raise the quota. Credits return at the beginning of the next month in UTC.',
    {
      quota: Type.Enum(['bots', 'accounts', 'characters', 'documents', 'members', 'credits']),
      used: Count(),
      limit: Count(),
      needed: Type.Integer({
        'x-extension': true,
        description: 'How much the request would add to `used`.',
      }),
    },
  ),
  team_banned: because(400, 'The team is banned.', 'Lift the ban of the team first.'),
  plan_in_use: because(400, 'Teams are on the plan.', 'Move them to another plan first.', { teams: Count() }),
  too_many_hosts: because(
    400,
    'The deployment has the largest number of host names.',
    'Delete host names that no team needs.',
  ),
  own_key: because(
    400,
    'A request cannot delete or deactivate the API key that authenticates it.',
    'Use another API key.',
  ),
  bot_linked: because(400, 'Devices use the bot.', 'Delete the devices, or bind them to another bot.', {
    device_ids: Ids(),
  }),
  bot_not_published: because(400, 'The bot has no published version.', 'Publish it, or ask its draft.'),
  documents_not_ready: because(
    400,
    'A document of the bot is not ready.',
    'Wait for `document.ready`, or remove the document from the bot.',
    { document_ids: Ids(), failed_document_ids: Ids() },
  ),
  provider_misconfigured: because(
    400,
    'The AI provider refuses the configured key or model.',
    'Correct the configuration of the deployment; see [models.md](models.md).',
  ),
  provider_unavailable: because(
    500,
    'The AI provider failed or timed out. Nothing was changed.',
    'Retry later.',
  ),
  creation_interrupted: because(500, 'The creation took too long and was undone.', 'Retry.'),
  pool_capacity: because(
    400,
    'No pool has capacity for another device.',
    'Start another pool, or delete devices.',
  ),
  device_not_stopped: because(400, 'The device is started.', 'Stop it first.'),
  conversation_paused: because(400, 'The bot is paused in the conversation.', 'Resume it first.'),
  contact_blocked: because(400, 'The team blocked the contact.', 'Unblock the contact first.'),
  nobody_present: because(
    400,
    'No member of the team made a request in the last 10 minutes.',
    'Name a user instead.',
  ),
  nothing_to_answer: because(400, 'No message of the contact waits for an answer.', 'Wait for a message.'),
  device_not_connected: because(
    400,
    'The device is not started and connected.',
    'If `details.retry_after` is there, another pool is taking the device over: retry after that time. Otherwise connect it and wait for `device.connected`.',
    {
      retry_after: Type.Optional(
        Type.Integer({ description: 'In seconds. Present while another pool takes the device over.' }),
      ),
    },
  ),
  ...networkReasons,
  too_many_mails: because(
    400,
    'In the last hour, 5 mails were sent for the device, or 20 for its team or to the address.',
    'Give the address of the link to the person yourself, or wait.',
  ),
  device_linked: because(400, 'A phone is linked to the device.', 'Unlink it with `logout` first.'),
  device_restricted: because(
    400,
    'The network refuses messages of this device to contacts who never wrote to it.',
    'Wait until `details.until`, or send to contacts who wrote to the device.',
    { until: Type.Optional(Type.String({ format: 'date-time' })) },
  ),
  recipient_opted_out: because(
    400,
    'The contact wants no active messages of the team.',
    'Send none. The contact can undo it, for example by writing START; answers to what the contact writes are still sent.',
  ),
  contact_opted_out: because(
    400,
    'The contact decided to get no active messages, and only the contact can undo that.',
    'Wait until the contact writes START.',
  ),
  blocked: because(
    400,
    'The network has blocked the account of the device permanently.',
    'Create a device for another account.',
  ),
  recipient_unknown: because(400, 'The number has no account on the network.', 'Check the number.'),
  image_unavailable: because(
    400,
    'The image could not be fetched, or the messaging network cannot send images. `details.cause` says why. It is `host_unknown` for a name without an address and for a name with a private address, so that callers cannot probe a private network.',
    'Use a public address of an image within the limits. After `host_unknown`, `unreachable`, `timeout`, and `bad_status` because of a 429 or 5xx, you can retry with the same `Idempotency-Key`.',
    {
      cause: Type.Enum(
        [
          'not_supported',
          'host_unknown',
          'not_public',
          'unreachable',
          'timeout',
          'bad_status',
          'too_large',
          'not_an_image',
          'other_type',
        ],
        { 'x-extension': true },
      ),
    },
  ),
  speech_not_configured: because(
    400,
    'The deployment has no model that speaks.',
    'Configure one; see [models.md](models.md#voice).',
  ),
  speech_failed: because(500, 'Speech synthesis failed. Nothing was sent or charged.', 'Retry later.'),
  network_refused: because(
    500,
    'The network refused the message.',
    'Retry later with a new `Idempotency-Key`.',
  ),
  idempotency_key: because(
    400,
    '`Idempotency-Key` is not 1 to 255 printable characters.',
    'Use a UUID, for example.',
  ),
  idempotency_mismatch: because(
    400,
    'The `Idempotency-Key` was used for a different request.',
    'Use a new key for each request.',
  ),
  idempotency_in_flight: because(
    400,
    'The first request with this `Idempotency-Key` is still in progress.',
    'Retry later with the same key.',
  ),
  idempotency_expired: because(
    400,
    'The first request with this `Idempotency-Key` succeeded, and the contact that it concerned was erased since.',
    'Use a new key, if the request is meant to run again.',
  ),
  idempotency_secret_shown: because(
    400,
    'The first request with this `Idempotency-Key` succeeded, and only its response contains the secret.',
    'If the secret is lost, delete the object that `details` names and create another.',
    { key_id: Type.Optional(Type.String()), webhook_id: Type.Optional(Type.String({ format: 'uuid' })) },
  ),
  name_empty: because(400, 'The file has no name.', 'Send a name with an extension.'),
  name_too_long: because(400, 'The name of the file is too long.', 'Shorten it.'),
  extension_changed: because(
    400,
    'The new name has another extension than the document.',
    'Keep the extension.',
  ),
  ...documentReasons,
  cursor_unknown: because(
    400,
    'The cursor of the events does not belong to this database.',
    'Read the events again without a cursor.',
  ),
  too_many_webhooks: because(
    400,
    'The team has the maximum number of webhooks.',
    'Delete one that is not needed.',
  ),
  too_many_streams: because(503, 'Too many event streams are opening.', retryAfter),
  overloaded: because(503, 'The process has too much work. Nothing was changed.', retryAfter),
  database_busy: because(
    503,
    'Another request holds the rows that this one needs. Nothing was changed.',
    retryAfter,
  ),
  storage_full: because(
    503,
    'The disk of the database or of the files is full. Nothing was changed.',
    'Free some space, then retry after the time that the `Retry-After` header gives.',
  ),
  database_away: because(503, 'The database is unavailable. Nothing was changed.', retryAfter),
  starting: because(503, 'The process is starting.', retryAfter),
  stopping: because(503, 'The process is stopping.', retryAfter),
  not_ready: because(503, 'The process is not ready for work.', retryAfter),
  console_not_ready: because(503, 'The console is being built, or its build failed.', retryAfter),
  simulator_away: because(500, 'The simulator does not respond.', 'Start the simulator.'),
  outcome_unknown: because(
    500,
    'The database connection was lost, so the outcome is unknown.',
    'Retry with the same `Idempotency-Key`. Without one, read the object first.',
  ),
  internal: because(
    500,
    'The service failed unexpectedly.',
    'Look up `X-Request-Id` in the logs, or report it.',
  ),
};

type Reasons = typeof errorReasons;

/** The reasons that may have the status. Every reason has one status. */
export type ErrorReason<Status extends number = number> = {
  [Name in keyof Reasons]: Reasons[Name]['status'] extends Status ? Name : never;
}[keyof Reasons];

/** The members of `details` beside `reason`. */
export type DetailsOf<Reason extends ErrorReason> = Static<TObject<Reasons[Reason]['details']>>;

type DetailedReason = {
  [Name in keyof Reasons]: keyof DetailsOf<Name> extends never ? never : Name;
}[keyof Reasons];

/** `reason` is stable, for programs. The message is for people and may change. */
export type ErrorDetails =
  | { reason: Exclude<ErrorReason, DetailedReason> }
  | { [Name in DetailedReason]: { reason: Name } & DetailsOf<Name> }[DetailedReason];
