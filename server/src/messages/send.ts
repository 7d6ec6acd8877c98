import { continueOperation } from '../database/connection-errors.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import type { Scope } from '../database/scopes.ts';
import { notFound } from '../http/errors.ts';
import { toInternationalNumber } from '../http/fields.ts';
import type { Steps } from '../http/idempotency/idempotency.ts';
import { success } from '../http/operation.ts';
import { type Clock, toMonth } from '../shared/clock.ts';
import type { FaultPoint } from '../shared/fault-points.ts';
import { newId } from '../shared/ids.ts';
import type { Logger } from '../shared/logger.ts';
import { insertCharged, type SendContext, selectSendContext } from './accept.queries.ts';
import { toNetworkId } from './delivery-attempt.ts';
import { type DeliveryOutcome, type DeliveryOutcomes, undecided } from './delivery-outcomes.ts';
import { recordMedia, voiceNote } from './media.ts';
import type { SendMessage, SentMessage } from './messages.schemas.ts';
import {
  asUnprepared,
  type MessageSources,
  needsPreparation,
  type PreparedMessage,
  prepareMessage,
} from './prepare-message.ts';
import { findRefusal, monthlyQuotaExceeded, refusedByNetwork } from './send.errors.ts';

export interface SendDependencies {
  db: Database;
  clock: Clock;
  notifications: Pick<Notifications, 'publish'>;
  outcomes: Pick<DeliveryOutcomes, 'wait'>;
  sources: MessageSources;
  logger: Pick<Logger, 'warn'>;
  faultPoint: FaultPoint;
  outcomeTimeoutMs: number;
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
  prepare(): Promise<PreparedMessage>;
  /** Charges and stores the message, or throws the refusal. Needs a transaction if there are media. */
  accept(db: Transaction | Database, prepared: PreparedMessage): Promise<AcceptedMessage>;
  deliver(accepted: AcceptedMessage): Promise<DeliveryOutcome>;
  /** Throws when the network refused the message. */
  respond(accepted: AcceptedMessage, outcome: DeliveryOutcome): SendResponse;
}

export function createSendCommand(deps: SendDependencies, scope: Scope, input: SendMessage): SendCommand {
  const { clock, outcomes, notifications, faultPoint, outcomeTimeoutMs } = deps;
  const contactNumber = toInternationalNumber(input.destination_number);
  const month = () => toMonth(clock.now());
  return {
    needsPreparation: needsPreparation(input),

    async prepare() {
      if (!needsPreparation(input)) return asUnprepared(input);
      const context = await selectSendContext(deps.db, scope, input.device_id, month());
      if (context === undefined) throw notFound('device');
      const refusal = findRefusal(context);
      if (refusal !== null) throw refusal;
      return prepareMessage(deps, context, contactNumber, input);
    },

    accept: (db, prepared) =>
      acceptMessage(db, scope, month(), { deviceId: input.device_id, contactNumber, prepared }),

    async deliver({ id, context }) {
      faultPoint('send.after_accept');
      const outcome = outcomes.wait(id, outcomeTimeoutMs);
      notifications.publish('message-due', context.device_id);
      return outcome;
    },

    respond(accepted, outcome) {
      if (outcome.status === 'refused') throw refusedByNetwork(outcome.failure);
      return success(present(input, contactNumber, accepted, outcome));
    },
  };
}

/** Runs the command without an Idempotency-Key. A message without media is accepted in one statement. */
export async function runSend(db: Database, command: SendCommand): Promise<SendResponse> {
  const prepared = await command.prepare();
  const accept = () =>
    hasMedia(prepared)
      ? db.transaction().execute((tx) => command.accept(tx, prepared))
      : command.accept(db, prepared);
  const accepted = await (command.needsPreparation ? continueOperation(accept) : accept());
  return command.respond(accepted, await command.deliver(accepted));
}

/** Returns the steps that run once per Idempotency-Key. */
export const toIdempotentSteps = (
  command: SendCommand,
): Steps<AcceptedMessage, DeliveryOutcome, SendResponse, PreparedMessage> => ({
  ...(command.needsPreparation ? { prepare: command.prepare } : {}),
  async begin(tx, prepared) {
    const intent = await command.accept(tx, prepared ?? (await command.prepare()));
    return { intent, provisional: command.respond(intent, undecided) };
  },
  act: (accepted) => command.deliver(accepted),
  complete: async (_tx, accepted, outcome) => command.respond(accepted, outcome),
  // An accepted message cannot be undone. Its key must keep the first response, or a repeat would send another message.
  abandon: async (_tx, _accepted, outcome) => outcome?.status === 'refused',
});

async function acceptMessage(
  db: Transaction | Database,
  scope: Scope,
  month: string,
  message: { deviceId: string; contactNumber: string; prepared: PreparedMessage },
): Promise<AcceptedMessage> {
  const { deviceId, contactNumber, prepared } = message;
  const { image, spoken, text, generation } = prepared;
  const id = newId();
  const row = await insertCharged(db, scope, month, {
    id,
    networkId: toNetworkId(id),
    deviceId,
    contactNumber,
    kind: image !== null ? 'image' : spoken !== null ? 'voice' : 'text',
    text,
    generation,
  });
  if (row === undefined) throw notFound('device');
  const { charged, ...context } = row;
  if (charged === null) throw findRefusal(context) ?? monthlyQuotaExceeded(context);
  await recordPreparedMedia(db, id, prepared);
  return { id, context, used: charged, generation };
}

const hasMedia = ({ image, spoken }: PreparedMessage): boolean => image !== null || spoken !== null;

async function recordPreparedMedia(
  tx: Transaction | Database,
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
