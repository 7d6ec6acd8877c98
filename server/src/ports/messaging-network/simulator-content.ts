import type { WireContent } from '@parley/simulator/protocol';
import type { InboundMessage, MessageContent, MessageDetails } from './messaging-network.ts';

export function toWireContent(content: MessageContent): WireContent {
  if (content.kind === 'text') return content;
  const { bytes, ...rest } = content;
  const base64 = encode(bytes);
  return rest.kind === 'voice' ? { ...rest, base64, waveform: encode(rest.waveform) } : { ...rest, base64 };
}

export function fromWireContent(content: WireContent): MessageContent {
  if (content.kind === 'text') return { kind: 'text', text: content.text };
  const { base64, ...rest } = content;
  const bytes = Buffer.from(base64, 'base64');
  return rest.kind === 'voice'
    ? { ...rest, bytes, waveform: Buffer.from(rest.waveform, 'base64') }
    : { ...rest, bytes };
}

/** The tests of the simulator send the structure of the port. */
export const readDetails = (content: WireContent): Pick<InboundMessage, 'details'> =>
  content.kind === 'text' && content.details ? { details: content.details as MessageDetails } : {};

function encode(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}
