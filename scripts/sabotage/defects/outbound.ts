import type { Defect } from '../defect.ts';

const file = 'server/src/platform/outbound/outbound.test.ts';

/** Calls of addresses that partners supplied. */
export const outboundDefects: readonly Defect[] = [
  {
    name: 'call-private-addresses',
    file: 'server/src/platform/outbound/destination.ts',
    find: 'allowed ? undefined : addresses.find(',
    replace: 'allowed || isIP(hostname) === 0 ? undefined : addresses.find(',
    test: { file, name: 'never reaches a non-public address, through any URL or method' },
    why: 'A name that resolves to a private address would be called.',
  },
  {
    name: 'skip-the-peer-check',
    file: 'server/src/platform/outbound/connect.ts',
    find: "if (!isSameAddress(socket.remoteAddress ?? '', address)) {",
    replace: "if (socket.remoteAddress === '') {",
    test: { file, name: 'sends no request to a peer with another address' },
    why: 'A host other than the checked address would receive the request.',
  },
];
