import type { Defect } from '../defect.ts';

const file = 'server/src/outbound/outbound.test.ts';

/** What is called on behalf of a partner. */
export const outboundDefects: readonly Defect[] = [
  {
    name: 'call-private-addresses',
    file: 'server/src/outbound/destination.ts',
    find: 'allowed ? undefined : addresses.find(',
    replace: 'allowed || isIP(hostname) === 0 ? undefined : addresses.find(',
    test: { file, name: 'no URL reaches what is not public, whichever way it is called' },
    why: 'A name that resolves to an address inside would be called.',
  },
  {
    name: 'judge-the-first-address-only',
    file: 'server/src/outbound/destination.ts',
    find: 'addresses.find((address) => !isPublicAddress(address))',
    replace: 'addresses.slice(0, 1).find((address) => !isPublicAddress(address))',
    test: { file, name: 'no URL reaches what is not public, whichever way it is called' },
    why: 'A name with a public address and one inside could be called inside.',
  },
  {
    name: 'take-the-peer-on-trust',
    file: 'server/src/outbound/connect.ts',
    find: "if (!isSameAddress(socket.remoteAddress ?? '', address)) {",
    replace: "if (socket.remoteAddress === '') {",
    test: { file, name: 'a peer that is not the address dialled gets no request' },
    why: 'Whoever answers in place of the judged address would get the request.',
  },
  {
    name: 'follow-redirects-for-ever',
    file: 'server/src/outbound/fetch-image.ts',
    find: 'const maxRedirects = 3;',
    replace: 'const maxRedirects = 30;',
    test: { file, name: 'an image may be three redirects away, each judged anew' },
    why: 'A host could keep us going round.',
  },
  {
    name: 'fetch-images-inside',
    file: 'server/src/outbound/outbound.ts',
    find: 'const callPublic = calling(() => false);',
    replace: 'const callPublic = calling(createAllowList(options.allowedHosts));',
    test: { file, name: 'the allow-list opens exactly its hosts and ports, for actions and not for images' },
    why: 'What is opened for actions would be open for the image of any message.',
  },
  {
    name: 'read-without-end',
    file: 'server/src/outbound/read-body.ts',
    find: 'for await (const chunk of limited(maxBytes)(source)) chunks.push(chunk);',
    replace: 'for await (const chunk of source) chunks.push(chunk);',
    test: { file, name: 'bodies are unpacked, and no more than the limit is read, packed or not' },
    why: 'A small body that unpacks to gigabytes would fill the memory.',
  },
  {
    name: 'send-headers-in-latin-1',
    file: 'server/src/outbound/outbound.ts',
    find: "[name, Buffer.from(value).toString('latin1')]",
    replace: '[name, value]',
    test: {
      file: 'server/src/answering/call-action.test.ts',
      name: 'header values arrive as they are written, in UTF-8, arguments in them too',
    },
    why: 'An action with any other script in a header could be published, and then fail every time.',
  },
  {
    name: 'send-line-breaks-in-headers',
    file: 'server/src/bots/action-headers.ts',
    find: '\\u000a-\\u001f',
    replace: '\\u000e-\\u001f',
    test: {
      file: 'server/src/bots/action-headers.test.ts',
      name: 'no control character but the tab can stand in a header value',
    },
    why: "A header's value could begin further headers.",
  },
];
