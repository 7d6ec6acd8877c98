import type { BinaryNode, WASocket } from 'baileys';
import {
  type OutboundMessage,
  SendOutcomeUnknown,
  SendRefused,
} from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import type { RunExclusive } from './mutex.ts';

/** Numbers whose address is known; forgotten all at once when there are too many. */
const knownNumbers = 10_000;

/** Gives messages to the network and waits for its word on each. */
export class MessageSender {
  readonly #socket: WASocket;
  readonly #takeTurn: RunExclusive;
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  /** The network's address of a number: not always the same digits. */
  readonly #known = new Map<string, string>();

  constructor(socket: WASocket, takeTurn: RunExclusive) {
    this.#socket = socket;
    this.#takeTurn = takeTurn;
  }

  /** Resolves with the network's acknowledgement; rejects as the port says. */
  async send(message: OutboundMessage, signal: AbortSignal): Promise<void> {
    const { networkId, to, content } = message;
    // As `sends` says; callers of the API were told before.
    if (content.kind !== 'text') throw new SendRefused('network_refused');
    const answer = Promise.withResolvers<void>();
    const abort = () => answer.reject(new SendOutcomeUnknown(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.set(networkId, answer);
    this.#giveText(to.slice(1), content.text, networkId).catch((error: unknown) =>
      answer.reject(error instanceof SendRefused ? error : new SendOutcomeUnknown(error)),
    );
    try {
      await answer.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      if (this.#waiting.get(networkId) === answer) this.#waiting.delete(networkId);
    }
  }

  /** The network's word on a message. */
  acknowledged({ attrs }: BinaryNode): void {
    const waiting = this.#waiting.get(attrs['id'] ?? '');
    if (attrs['error'] === undefined) waiting?.resolve();
    else waiting?.reject(new SendRefused('network_refused'));
  }

  /** Nothing is answered any more. */
  end(reason: string): void {
    for (const answer of this.#waiting.values()) answer.reject(new SendOutcomeUnknown(reason));
  }

  /** Without a link preview, for which the library would fetch whatever address is in the text. */
  async #giveText(number: string, text: string, messageId: string): Promise<void> {
    const address = this.#known.get(number) ?? (await this.#lookUp(number));
    await this.#takeTurn(() => this.#socket.sendMessage(address, { text, linkPreview: null }, { messageId }));
  }

  async #lookUp(number: string): Promise<string> {
    const found = await this.#socket.onWhatsApp(`+${number}`);
    if (found === undefined) throw new Error('the network did not say whether the number has an account');
    const account = found.find(({ exists }) => exists === true);
    if (account === undefined) throw new SendRefused('recipient_unknown');
    if (this.#known.size >= knownNumbers) this.#known.clear();
    this.#known.set(number, account.jid);
    return account.jid;
  }
}
