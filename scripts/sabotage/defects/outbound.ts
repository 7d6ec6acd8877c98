import type { Defect } from '../defect.ts';

const file = 'server/src/outbound/outbound.test.ts';

/** Calls to URLs that a partner supplied. */
export const outboundDefects: readonly Defect[] = [
  {
    name: 'call-private-addresses',
    file: 'server/src/outbound/destination.ts',
    find: 'allowed ? undefined : addresses.find(',
    replace: 'allowed || isIP(hostname) === 0 ? undefined : addresses.find(',
    test: { file, name: 'never reaches a non-public address, through any URL or method' },
    why: 'A name that resolves to a private address would be called.',
  },
  {
    name: 'check-only-the-first-address',
    file: 'server/src/outbound/destination.ts',
    find: 'addresses.find((address) => !isPublicAddress(address))',
    replace: 'addresses.slice(0, 1).find((address) => !isPublicAddress(address))',
    test: { file, name: 'never reaches a non-public address, through any URL or method' },
    why: 'A name with one public and one private address would reach the private one.',
  },
  {
    name: 'skip-the-peer-check',
    file: 'server/src/outbound/connect.ts',
    find: "if (!isSameAddress(socket.remoteAddress ?? '', address)) {",
    replace: "if (socket.remoteAddress === '') {",
    test: { file, name: 'sends no request to a peer with another address' },
    why: 'A host other than the checked address would receive the request.',
  },
  {
    name: 'allow-action-hosts-for-images',
    file: 'server/src/outbound/outbound.ts',
    find: 'const callPublic = createCall(() => false);',
    replace: 'const callPublic = createCall(createAllowList(options.allowedHosts));',
    test: { file, name: 'allows exactly the listed hosts and ports, for actions but not for images' },
    why: 'Hosts allowed for actions would also be allowed for message images.',
  },
  {
    name: 'send-line-breaks-in-headers',
    file: 'server/src/bots/action-headers.ts',
    find: '\\u000a-\\u001f',
    replace: '\\u000e-\\u001f',
    test: {
      file: 'server/src/bots/action-headers.test.ts',
      name: 'rejects control characters except the tab in a header value',
    },
    why: 'A header value could add further headers.',
  },
];
