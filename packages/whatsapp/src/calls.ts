import { type BinaryNode, getAllBinaryNodeChildren, getBinaryNodeChild } from 'baileys';
import { type ReadContent, text } from './content-text.ts';

/** Calls that are ringing or were accepted. A phone has few at a time. */
const maxCalls = 100;

/** Finds out which calls of contacts nobody accepted. Calls of groups are ignored. */
export class Calls {
  readonly #withVideo = new Set<string>();
  readonly #accepted = new Set<string>();

  /** Returns a missed call like a message of the contact, or null. */
  read({ attrs, content }: BinaryNode): { stanza: BinaryNode; read: ReadContent } | null {
    const [step] = getAllBinaryNodeChildren({ tag: 'call', attrs, content: content ?? [] });
    const id = step?.attrs['call-id'];
    if (step === undefined || id === undefined || step.attrs['group-jid'] !== undefined) return null;
    if (getBinaryNodeChild(step, 'video') !== undefined) remember(this.#withVideo, id);
    if (step.tag === 'accept' || step.attrs['reason'] === 'accepted_elsewhere') remember(this.#accepted, id);
    if (step.tag !== 'terminate' && step.tag !== 'reject') return null;
    if (this.#accepted.has(id)) return null;
    const { 'call-creator': creator, caller_pn: number, caller_lid: lid } = step.attrs;
    const from = creator ?? attrs['from'] ?? '';
    const alternative = from.endsWith('@lid') ? number && { sender_pn: number } : lid && { sender_lid: lid };
    const { t = '', notify } = attrs;
    return {
      stanza: { tag: 'message', attrs: { id, from, t, ...(notify && { notify }), ...alternative } },
      read: text('[missed call]', { type: 'call', video: this.#withVideo.has(id) }),
    };
  }
}

function remember(calls: Set<string>, id: string): void {
  calls.add(id);
  const [oldest] = calls;
  if (calls.size > maxCalls && oldest !== undefined) calls.delete(oldest);
}
