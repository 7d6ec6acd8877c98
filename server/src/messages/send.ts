import { continueOperation } from '../database/connection-errors.ts';
import type { Database, Transaction } from '../database/database.ts';
import type { Notifications } from '../database/notifications.ts';
import type { Scope } from '../http/actor.ts';
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
import type { DeliveryOutcome, DeliveryOutcomes } from './delivery-outcomes.ts';
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

export interface SendDeps {
  db: Database;
  clock: Clock;
  notifications: Pick<Notifications, 'publish'>;
  settlements: Pick<DeliveryOutcomes, 'of'>;
  sources: MessageSources;
  logger: Pick<Logger, 'warn'>;
  faultPoint: FaultPoint;
  /** How long a request waits for what becomes of its message. */
  settleTimeoutMs: number;
}

interface Accepted {
  id: string;
  facts: SendContext;
  /** Of the month, with this message. */
  used: number;
  generation: PreparedMessage['generation'];
  settlement: DeliveryOutcome;
}

type SendResponse = { success: true; data: SentMessage };

/** One active message in the steps of an idempotent operation. */
export interface SendSteps extends Steps<Accepted, DeliveryOutcome, SendResponse> {
  /** All of them, for a request without a key: the acceptance is one statement where there are no media. */
  run(): Promise<SendResponse>;
}

/**
 * What must be fetched or made first; the acceptance, which is the deed; the wait for the network's word, which may or
 * may not come in time.
 */
export function sendSteps(deps: SendDeps, scope: Scope, input: SendMessage): SendSteps {
  const { db, clock, settlements, notifications } = deps;
  const contactNumber = toInternationalNumber(input.destination_number);
  let prepared = asUnprepared(input);
  const begin = (on: Transaction | Database) => accept(on, clock, scope, { input, contactNumber, prepared });

  const prepare = async () => {
    const facts = await selectSendContext(db, scope, input.device_id, toMonth(clock.now()));
    if (facts === undefined) throw notFound('device');
    const refusal = findRefusal(facts);
    if (refusal !== null) throw refusal;
    prepared = await prepareMessage(deps, facts, contactNumber, input);
  };

  const act = async (accepted: Accepted) => {
    deps.faultPoint('send.after_accept');
    const settlement = settlements.of(accepted.id, deps.settleTimeoutMs);
    notifications.publish('message-due', accepted.facts.device_id);
    accepted.settlement = await settlement;
    return accepted.settlement;
  };

  const needed = needsPreparation(input);
  return {
    ...(needed ? { prepare } : {}),
    act,

    async begin(tx) {
      const intent = await begin(tx);
      return { intent, provisional: success(present(input, contactNumber, intent)) };
    },

    async complete(_tx, accepted) {
      return respond(input, contactNumber, accepted);
    },

    async abandon(_tx, { settlement }) {
      // An accepted message cannot be undone: its key must keep the first answer, or a repeat would send another.
      return settlement.outcome === 'refused';
    },

    async run() {
      if (needed) await prepare();
      const accept = () => (hasMedia(prepared) ? db.transaction().execute(begin) : begin(db));
      const accepted = await (needed ? continueOperation(accept) : accept());
      await act(accepted);
      return respond(input, contactNumber, accepted);
    },
  };
}

/** Charges and keeps the message, or throws the first reason why not. `db` is a transaction where there are media. */
async function accept(
  db: Transaction | Database,
  clock: Clock,
  scope: Scope,
  message: { input: SendMessage; contactNumber: string; prepared: PreparedMessage },
): Promise<Accepted> {
  const { input, contactNumber, prepared } = message;
  const { image, spoken, text, generation } = prepared;
  const id = newId();
  const row = await insertCharged(db, scope, toMonth(clock.now()), {
    id,
    networkId: toNetworkId(id),
    deviceId: input.device_id,
    contactNumber,
    kind: image !== null ? 'image' : spoken !== null ? 'voice' : 'text',
    text,
    generation,
  });
  if (row === undefined) throw notFound('device');
  const { charged, ...facts } = row;
  if (charged === null) throw findRefusal(facts) ?? monthlyQuotaExceeded(facts);
  await keepMedia(db, id, prepared);
  return { id, facts, used: charged, generation, settlement: { outcome: 'accepted', failure: null } };
}

const hasMedia = ({ image, spoken }: PreparedMessage): boolean => image !== null || spoken !== null;

async function keepMedia(
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

/** Throws where the network refused the message for certain. */
function respond(input: SendMessage, contactNumber: string, accepted: Accepted): SendResponse {
  const { outcome, failure } = accepted.settlement;
  if (outcome === 'refused') throw refusedByNetwork(failure);
  return success(present(input, contactNumber, accepted));
}

function present(input: SendMessage, contactNumber: string, accepted: Accepted): SentMessage {
  const { facts, used, generation, settlement } = accepted;
  return {
    device_id: facts.device_id,
    name: facts.name,
    destinationNumber: contactNumber,
    sendAsAudio: input.send_as_audio ?? false,
    aiGeneratesMessage: input.ai_generates_message ?? false,
    imageUrl: input.image_url ?? null,
    imageMimeType: input.image_mime_type ?? null,
    usage: {
      activeMessagesUsed: used,
      activeMessagesQuota: facts.quota,
      activeMessagesRemaining: Math.max(0, facts.message_limit - used),
    },
    messageId: accepted.id,
    status: settlement.outcome === 'sent' ? 'sent' : 'accepted',
    ...(generation === null ? {} : { generation }),
  };
}
