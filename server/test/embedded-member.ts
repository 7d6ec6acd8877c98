/**
 * A program that uses the embedded server of the data directory in its argument. It sends `{url}` or `{error}` to its
 * parent, and releases the server when it receives a message.
 */
import { startEmbeddedServer } from '../src/platform/database/embedded/embedded-server.ts';
import { createEncryption } from '../src/platform/shared/encryption.ts';

const [dataDir = ''] = process.argv.slice(2);
const logger = { info() {}, warn() {}, error() {} };

try {
  const server = await startEmbeddedServer({
    dataDir,
    encryption: createEncryption(Buffer.alloc(32, 7)),
    logger,
  });
  process.once('message', async () => {
    await server.release();
    process.disconnect();
  });
  process.send?.({ url: server.url });
} catch (error) {
  process.send?.({ error: { message: String(error), reason: Object(error).reason } });
  process.disconnect();
}
