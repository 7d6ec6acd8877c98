import type { Defect } from '../defect.ts';

/** What is called on behalf of a partner. */
export const outboundDefects: readonly Defect[] = [
  {
    name: 'call-private-addresses',
    file: 'server/src/outbound/destination.ts',
    find: 'allowed ? undefined : addresses.find(',
    replace: 'allowed || isIP(hostname) === 0 ? undefined : addresses.find(',
    test: {
      file: 'server/src/outbound/outbound.test.ts',
      name: 'no URL reaches what is not public, whichever way it is called',
    },
    why: 'A name that resolves to an address inside would be called.',
  },
];
