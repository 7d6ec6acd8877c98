import type { ReceivedEvent } from './messaging-network.ts';
import { describePushedNetwork } from './pushed-network.contract.ts';
import { createWebNetwork, type WebEvent } from './web.ts';

const contact = 'web:v-1';
const png = Buffer.from('89504e470d0a1a0a00', 'hex');

const push = (payload: WebEvent, bytes: Uint8Array | null = null): ReceivedEvent => ({ payload, bytes });

describePushedNetwork('web', async () => {
  const message = (number: number, text: string) =>
    ({
      type: 'message',
      id: `message-${number}`,
      contact,
      sentAt: new Date().toISOString(),
      text,
      file: null,
    }) as const;
  return {
    openNetwork: () => createWebNetwork({ error: () => undefined }),
    contact,
    write: (number, words) => push(message(number, words)),
    writeImage: (number, caption) => ({
      event: push(
        { ...message(number, caption), file: { kind: 'image', mimeType: 'image/png', name: 'a.png' } },
        png,
      ),
      bytes: png,
    }),
    receipt: (id, state) => push({ type: 'receipt', id, state }),
  };
});
