import type { BinaryNode, WASocket } from 'baileys';
import {
  type OutboundMessage,
  SendOutcomeUnknown,
  SendRefused,
} from '../../../server/src/adapters/messaging-network/messaging-network.ts';
import type { RunExclusive } from './mutex.ts';

const maxCachedAddresses = 10_000;

export class MessageSender {
  readonly #socket: WASocket;
  readonly #runExclusive: RunExclusive;
  readonly #waiting = new Map<string, PromiseWithResolvers<void>>();
  /** By number. The digits of an address may differ from the number. */
  readonly #addresses = new Map<string, string>();

  constructor(socket: WASocket, runExclusive: RunExclusive) {
    this.#socket = socket;
    this.#runExclusive = runExclusive;
  }

  async send(message: OutboundMessage, signal: AbortSignal): Promise<void> {
    const { networkId, to, content } = message;
    if (content.kind !== 'text') throw new SendRefused('network_refused');
    const answer = Promise.withResolvers<void>();
    const abort = () => answer.reject(new SendOutcomeUnknown(signal.reason));
    signal.addEventListener('abort', abort, { once: true });
    this.#waiting.set(networkId, answer);
    this.#sendText(to.slice(1), content.text, networkId).catch((error: unknown) =>
      answer.reject(error instanceof SendRefused ? error : new SendOutcomeUnknown(error)),
    );
    try {
      await answer.promise;
    } finally {
      signal.removeEventListener('abort', abort);
      if (this.#waiting.get(networkId) === answer) this.#waiting.delete(networkId);
    }
  }

  acknowledged({ attrs }: BinaryNode): void {
    const waiting = this.#waiting.get(attrs['id'] ?? '');
    if (attrs['error'] === undefined) waiting?.resolve();
    else waiting?.reject(new SendRefused('network_refused'));
  }

  end(reason: string): void {
    for (const answer of this.#waiting.values()) answer.reject(new SendOutcomeUnknown(reason));
  }

  /** Sends no link preview, because the library would fetch the address in the text. */
  async #sendText(number: string, text: string, messageId: string): Promise<void> {
    const address = this.#addresses.get(number) ?? (await this.#lookUp(number));
    await this.#runExclusive(() =>
      this.#socket.sendMessage(address, { text, linkPreview: null }, { messageId }),
    );
  }

  async #lookUp(number: string): Promise<string> {
    const found = await this.#socket.onWhatsApp(`+${number}`);
    if (found === undefined) throw new Error('the network did not report whether the number has an account');
    const account = found.find(({ exists }) => exists === true);
    if (account === undefined) throw new SendRefused('recipient_unknown');
    if (this.#addresses.size >= maxCachedAddresses) this.#addresses.clear();
    this.#addresses.set(number, account.jid);
    return account.jid;
  }
}
