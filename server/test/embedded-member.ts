/**
 * A program that uses the embedded server, for tests to start, signal and kill. Its argument is the data directory; it
 * sends `{url}` or `{error}` to its parent once it is up, and releases the server when it gets a message.
 */
import { startEmbeddedServer } from '../src/database/embedded/embedded-server.ts';

const [dataDir = ''] = process.argv.slice(2);
const logger = { info() {}, warn() {}, error() {} };

try {
  const server = await startEmbeddedServer({ dataDir, logger });
  process.once('message', async () => {
    await server.release();
    process.disconnect();
  });
  process.send?.({ url: server.url });
} catch (error) {
  process.send?.({ error: { message: String(error), reason: Object(error).reason } });
  process.disconnect();
}
