import { startFakeGraph } from '../../../../test/fake-graph/fake-graph.ts';
import { credentialsEntry } from '../credentials.ts';
import type { ReceivedEvent } from '../messaging-network.ts';
import { describePushedNetwork } from '../pushed-network.contract.ts';
import type { CloudEvent, CloudMessage } from './webhook-shapes.ts';
import { WhatsappCloudNetwork } from './whatsapp-cloud.ts';

const contact = '+15550990001';
const png = Buffer.from('89504e470d0a1a0a00', 'hex');
const silent = { error: () => undefined, warn: () => undefined };

const push = (payload: CloudEvent): ReceivedEvent => ({ payload, bytes: null });

const messageOf = (number: number, content: Partial<CloudMessage>): ReceivedEvent =>
  push({
    type: 'message',
    message: {
      id: `wamid.${number}`,
      from: contact.slice(1),
      timestamp: String(Math.floor(Date.now() / 1000)),
      ...content,
    },
    profile: { wa_id: contact.slice(1), profile: { name: 'Ann' } },
  });

describePushedNetwork('whatsapp_cloud', async () => {
  const graph = await startFakeGraph();
  const credentials = await graph.addNumber('15550200000');
  const phone = credentials.phone_number_id;
  const image = await graph.addMedium(phone, 'image/png', png);
  const stored = { fields: credentials, accountKey: 'key', verifyToken: 'token' };
  return {
    openNetwork: () =>
      new WhatsappCloudNetwork({ baseUrl: graph.url, maxMediaBytes: 1_000_000, logger: silent }),
    prepare: (device) =>
      device.store.write([
        { kind: 'whatsapp_cloud', id: credentialsEntry, value: Buffer.from(JSON.stringify(stored)) },
      ]),
    contact,
    phoneNumber: '+15550200000',
    write: (number, words) => messageOf(number, { type: 'text', text: { body: words } }),
    writeImage: (number, caption) => ({
      event: messageOf(number, { type: 'image', image: { id: image, mime_type: 'image/png', caption } }),
      bytes: png,
    }),
    receipt: (id, state) =>
      push({
        type: 'status',
        status: {
          id: 'wamid.out',
          status: state,
          recipient_id: contact.slice(1),
          biz_opaque_callback_data: id,
        },
      }),
    close: graph.stop,
  };
});
