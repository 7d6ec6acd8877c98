import { selectApprovedVariables } from '../../devices/templates.sql.ts';
import { continueOperation } from '../../platform/database/connection-errors.ts';
import type { Database, Transaction } from '../../platform/database/database.ts';
import type { Notifications } from '../../platform/database/notifications.ts';
import type { Scope } from '../../platform/database/scopes.ts';
import { invalidInput, notFound } from '../../platform/http/errors.ts';
import { toInternationalNumber } from '../../platform/http/fields.ts';
import type { Idempotency } from '../../platform/http/idempotency/idempotency.ts';
import { success } from '../../platform/http/operation.ts';
import type { BoundedMap } from '../../platform/shared/bounded-map.ts';
import { type Clock, toMonth } from '../../platform/shared/clock.ts';
import type { KeyedHash } from '../../platform/shared/encryption.ts';
import { faultPoint } from '../../platform/shared/fault-points.ts';
import { newId } from '../../platform/shared/ids.ts';
import type { Logger } from '../../platform/shared/logger.ts';
import { hashContact } from '../consents/consents.sql.ts';
import { insertCharged, type NewMessage, type SendContext, selectSendContext } from './accept.queries.ts';
import type { Accept } from './accept-batch.ts';
import { toNetworkId } from './delivery-attempt.ts';
import { selectOutcomes } from './delivery-outcomes.queries.ts';
import { type DeliveryOutcome, type DeliveryOutcomes, toOutcome, undecided } from './delivery-outcomes.ts';
import { recordMedia, voiceNote } from './media.ts';
import type { MediaFiles } from './media-files.ts';
import type { SendMessage, SentMessage } from './messages.schemas.ts';
import {
  asUnprepared,
  hasImage,
  type MessageSources,
  needsPreparation,
  type PreparedMessage,
  prepareMessage,
} from './prepare-message.ts';
import { circumstancesOf, findRefusal, monthlyQuotaExceeded, refusedBeforeDelivery } from './send.errors.ts';

export interface SendDependencies {
  db: Database;
  clock: Clock;
  keyedHash: KeyedHash;
  notifications: Pick<Notifications, 'publish'>;
  accept: Accept;
  outcomes: Pick<DeliveryOutcomes, 'wait'>;
  sources: MessageSources;
  mediaFiles: MediaFiles;
  logger: Pick<Logger, 'warn'>;
  outcomeTimeoutMs: number;
  /** Learned from accepted messages. A team's sends share limits, also those with a key of scope `global`. */
  teamsOfDevices: Pick<BoundedMap<string, string>, 'set'>;
}

interface AcceptedMessage {
  id: string;
  context: SendContext;
  used: number;
  generation: PreparedMessage['generation'];
}

interface SendResponse {
  success: true;
  data: SentMessage;
}

/** The steps of one `POST /send`, the same with and without an Idempotency-Key. */
interface SendCommand {
  /** Whether `prepare` has to fetch an image, rewrite the text or synthesize speech. */
  needsPreparation: boolean;
  fetchesImage: boolean;
  prepare(): Promise<PreparedMessage>;
  /** Charges and stores the message, or throws the refusal. Needs a transaction if there are media. */
  accept(tx: Transaction | null, prepared: PreparedMessage): Promise<AcceptedMessage>;
  deliver(accepted: AcceptedMessage): Promise<DeliveryOutcome>;
  /** Throws when the network refused the message. */
  respond(accepted: AcceptedMessage, outcome: DeliveryOutcome): SendResponse;
}

export function createSendCommand(
  deps: SendDependencies,
  { scope, auditContext }: { scope: Scope; auditContext: string | null },
  input: SendMessage,
): SendCommand {
  const { clock, outcomes, notifications, outcomeTimeoutMs } = deps;
  const contactNumber = toInternationalNumber(input.destination_number);
  const contactHash = hashContact(deps.keyedHash, contactNumber);
  const month = () => toMonth(clock.now());
  return {
    needsPreparation: needsPreparation(input),
    fetchesImage: hasImage(input),

    async prepare() {
      if (!needsPreparation(input)) return asUnprepared(input);
      const asked = { deviceId: input.device_id, month: month(), contactNumber, contactHash };
      const context = await selectSendContext(deps.db, scope, asked);
      if (context === undefined) throw notFound('device');
      const hasTemplate = input.template !== undefined || goesAsDefaultTemplate(context, input);
      const refusal = findRefusal(context, clock.now(), { hasTemplate });
      if (refusal !== null) throw refusal;
      if (input.template !== undefined) await requireTemplate(deps.db, input.device_id, input.template);
      return prepareMessage(deps, context, contactNumber, input);
    },

    async accept(tx, prepared) {
      const message = toNewMessage(prepared, {
        scope,
        month: month(),
        deviceId: input.device_id,
        contactNumber,
        contactHash,
        whenRestricted: input.when_restricted ?? 'refuse',
        template: input.template === undefined ? null : JSON.stringify(input.template),
        choices: input.choices === undefined ? null : JSON.stringify(input.choices),
        audit: auditContext,
      });
      const row = tx === null ? await deps.accept(message) : await insertCharged(tx, message);
      if (row === undefined) throw notFound('device');
      const { used_after: used, ...context } = row;
      if (used === null) {
        const now = clock.now();
        throw findRefusal(context, now, circumstancesOf(row)) ?? monthlyQuotaExceeded(context, now);
      }
      deps.teamsOfDevices.set(context.device_id, context.team_id);
      if (tx !== null) await recordPreparedMedia(tx, message.id, prepared);
      return { id: message.id, context, used, generation: prepared.generation };
    },

    async deliver({ id, context }) {
      faultPoint('send.after_accept');
      const outcome = outcomes.wait(id, outcomeTimeoutMs);
      notifications.publish('message-due', context.device_id);
      return outcome;
    },

    respond(accepted, outcome) {
      if (outcome.status === 'refused') throw refusedBeforeDelivery(outcome.failure);
      return success(present(input, contactNumber, accepted, outcome));
    },
  };
}

/** Runs the command without an Idempotency-Key and without a preparation. Such messages share a statement. */
export async function runSend(command: SendCommand): Promise<SendResponse> {
  const accepted = await command.accept(null, await command.prepare());
  return command.respond(accepted, await command.deliver(accepted));
}

/** Limits of what runs at once. */
export interface SendLimits {
  /** Runs the preparation with the transaction after it: there must be memory for both. */
  admit<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Runs the transaction that charges and stores the message. */
  throttle<Result>(transaction: () => Promise<Result>): Promise<Result>;
}

/** Runs the command once per Idempotency-Key, if the request has one. A retry gets the response for the message as it is now. */
export async function runSendOnce(
  { db, idempotency }: Pick<SendDependencies, 'db'> & { idempotency: Idempotency },
  call: Parameters<Idempotency['withKey']>[0],
  command: SendCommand,
  { admit, throttle }: SendLimits,
): Promise<SendResponse> {
  return idempotency.withKey(call, async (key) => {
    const replay = async (tx: Transaction): Promise<{ replayed: SendResponse } | null> => {
      const stored = (await key?.claim(tx)) ?? null;
      return stored === null ? null : { replayed: await replaySend(tx, stored as SendResponse) }; // `accept` stored it
    };
    const accept = async (tx: Transaction, prepared: PreparedMessage) => {
      const accepted = await command.accept(tx, prepared);
      await key?.complete(tx, command.respond(accepted, undecided));
      return { accepted };
    };
    const inTransaction = <Result>(work: (tx: Transaction) => Promise<Result>) =>
      throttle(() => db.transaction().execute(work));

    const acceptAtOnce = async () => {
      const prepared = await command.prepare();
      return inTransaction(async (tx) => (await replay(tx)) ?? accept(tx, prepared));
    };
    const prepareAndAccept = async () => {
      const known = key === null ? null : await db.transaction().execute(replay);
      if (known !== null) return known;
      try {
        return await admit(async () => {
          // The key is claimed while an image is fetched. No step may take longer than a claim.
          await key?.renew(db);
          const prepared = await command.prepare();
          if (key !== null) faultPoint('idempotency.after_prepare');
          return continueOperation(async () => {
            await key?.renew(db);
            return inTransaction(async (tx) => {
              await key?.renew(tx);
              return accept(tx, prepared);
            });
          });
        });
      } catch (error) {
        await key?.releaseAfter(error);
        throw error;
      }
    };

    const begun = command.needsPreparation ? await prepareAndAccept() : await acceptAtOnce();
    if ('replayed' in begun) return begun.replayed;
    key?.committed();
    // A process that dies here leaves the delivery to the pool that owns the device.
    return continueOperation(async () =>
      command.respond(begun.accepted, await command.deliver(begun.accepted)),
    );
  });
}

/** Derives the response from the message's row. A deleted message leaves the stored response. */
async function replaySend(tx: Transaction, stored: SendResponse): Promise<SendResponse> {
  const [row] = await selectOutcomes(tx, [stored.data.messageId]);
  const outcome = row === undefined ? undecided : toOutcome(row);
  if (outcome.status === 'refused') throw refusedBeforeDelivery(outcome.failure);
  return { ...stored, data: { ...stored.data, status: outcome.status } };
}

/** Throws unless the network has approved the template, and the parameters fit it. */
async function requireTemplate(
  db: Database,
  deviceId: string,
  template: NonNullable<SendMessage['template']>,
): Promise<void> {
  const variables = await selectApprovedVariables(db, deviceId, template);
  if (variables === undefined)
    throw invalidInput([
      { path: 'template', message: 'must name an approved template of the device and its language' },
    ]);
  if (variables === null)
    throw invalidInput([{ path: 'template', message: 'must have no variables outside of its body' }]);
  if (variables !== template.parameters.length)
    throw invalidInput([
      { path: 'template.parameters', message: `must have ${variables} items, one for each variable` },
    ]);
}

/** Only a text can be a variable. */
const goesAsDefaultTemplate = (context: SendContext, input: SendMessage): boolean =>
  context.default_template !== null &&
  !hasImage(input) &&
  input.send_as_audio !== true &&
  input.choices === undefined;

function toNewMessage(
  { image, spoken, text, generation }: PreparedMessage,
  to: Omit<NewMessage, 'id' | 'networkId' | 'kind' | 'text' | 'generation'>,
): NewMessage {
  const id = newId();
  const kind = image !== null ? 'image' : spoken !== null ? 'voice' : 'text';
  return { ...to, id, networkId: toNetworkId(id), kind, text, generation };
}

async function recordPreparedMedia(
  tx: Transaction,
  messageId: string,
  { image, spoken }: PreparedMessage,
): Promise<void> {
  if (image !== null) {
    const { bytes, mimeType } = image;
    await recordMedia(tx, {
      messageId,
      position: 0,
      kind: 'image',
      mimeType,
      bytes,
      seconds: null,
      waveform: null,
    });
  }
  if (spoken !== null) await recordMedia(tx, voiceNote(messageId, image === null ? 0 : 1, spoken));
}

function present(
  input: SendMessage,
  contactNumber: string,
  { id, context, used, generation }: AcceptedMessage,
  outcome: DeliveryOutcome,
): SentMessage {
  return {
    device_id: context.device_id,
    name: context.name,
    destinationNumber: contactNumber,
    sendAsAudio: input.send_as_audio ?? false,
    aiGeneratesMessage: input.ai_generates_message ?? false,
    imageUrl: input.image_url ?? null,
    imageMimeType: input.image_mime_type ?? null,
    usage: {
      activeMessagesUsed: used,
      activeMessagesQuota: context.quota,
      activeMessagesRemaining: Math.max(0, context.message_limit - used),
    },
    messageId: id,
    status: outcome.status === 'sent' ? 'sent' : 'accepted',
    ...(generation === null ? {} : { generation }),
  };
}
