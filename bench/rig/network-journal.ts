import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** A reply on the network, from the device's phone to a contact. */
export interface Delivered {
  contact: string;
  phone: string;
  text: string;
}

/** The polling interval of the journal. It is also the error of measured times. */
const everyMs = 2;

/** Follows the simulated network's journal from its current end. Calls `delivered` for each message that a device sends. */
export async function followJournal(
  path: string,
  delivered: (answer: Delivered) => void,
): Promise<{ close(): Promise<void> }> {
  const file = await open(path, 'r');
  let position = (await file.stat()).size;
  let rest = '';
  let closed = false;
  const buffer = Buffer.alloc(1024 * 1024);

  const read = async (): Promise<void> => {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
    position += bytesRead;
    const lines = (rest + buffer.toString('latin1', 0, bytesRead)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const answer = parseReply(line);
      if (answer !== null) delivered(answer);
    }
  };
  const following = (async () => {
    while (!closed) {
      await read();
      await delay(everyMs);
    }
  })();
  return {
    async close() {
      closed = true;
      await following;
      await file.close();
    },
  };
}

function parseReply(line: string): Delivered | null {
  if (!line.startsWith('{"type":"message"')) return null;
  // The network's journal contains one fact per line.
  const { from, to, sender, content } = JSON.parse(line) as {
    from: string;
    to: string;
    sender: string | null;
    content: { text?: string };
  };
  return sender === null ? null : { contact: to, phone: from, text: content.text ?? '' };
}
