import { open } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** An answer that the network has: from the device's phone to a contact's. */
export interface Delivered {
  contact: string;
  phone: string;
  text: string;
}

/** Lines are looked for this often, which is the error of what is timed by them. */
const everyMs = 2;

/** Follows the simulated network's journal from its present end: `delivered` hears of each message that a device handed over. */
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
      const answer = answerIn(line);
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

function answerIn(line: string): Delivered | null {
  if (!line.startsWith('{"type":"message"')) return null;
  // A fact of the network, as it keeps them.
  const { from, to, sender, content } = JSON.parse(line) as {
    from: string;
    to: string;
    sender: string | null;
    content: { text?: string };
  };
  return sender === null ? null : { contact: to, phone: from, text: content.text ?? '' };
}
