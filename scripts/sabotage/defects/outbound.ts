import type { Defect } from '../defect.ts';

const file = 'server/src/platform/outbound/outbound.test.ts';

/** Calls to URLs that a partner supplied. */
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
    name: 'check-only-the-first-address',
    file: 'server/src/platform/outbound/destination.ts',
    find: 'addresses.find((address) => !isPublicAddress(address))',
    replace: 'addresses.slice(0, 1).find((address) => !isPublicAddress(address))',
    test: { file, name: 'never reaches a non-public address, through any URL or method' },
    why: 'A name with one public and one private address would reach the private one.',
  },
  {
    name: 'skip-the-peer-check',
    file: 'server/src/platform/outbound/connect.ts',
    find: "if (!isSameAddress(socket.remoteAddress ?? '', address)) {",
    replace: "if (socket.remoteAddress === '') {",
    test: { file, name: 'sends no request to a peer with another address' },
    why: 'A host other than the checked address would receive the request.',
  },
  {
    name: 'allow-action-hosts-for-images',
    file: 'server/src/platform/outbound/outbound.ts',
    find: 'const callPublic = createCall(() => false);',
    replace: 'const callPublic = createCall(createAllowList(options.allowedHosts));',
    test: { file, name: 'allows exactly the listed hosts and ports, for actions but not for images' },
    why: 'Hosts allowed for actions would also be allowed for message images.',
  },
  {
    name: 'send-line-breaks-in-headers',
    file: 'server/src/knowledge/bots/action-headers.ts',
    find: '\\u000a-\\u001f',
    replace: '\\u000e-\\u001f',
    test: {
      file: 'server/src/knowledge/bots/action-headers.test.ts',
      name: 'rejects control characters except the tab in a header value',
    },
    why: 'A header value could add further headers.',
  },
  {
    name: 'fill-a-path-segment-with-dots',
    file: 'server/src/chat/answering/action-request.ts',
    find: '/^[\\s.]*$|[/\\\\\\0]/',
    replace: '/^[.][.]$/',
    test: {
      file: 'server/src/chat/answering/call-action.test.ts',
      name: 'refuses a filled path segment that is empty or only dots',
    },
    why: 'A contact could make a bot call another path, such as DELETE /folders/ instead of DELETE /folders/7.',
  },
  {
    name: 'fail-on-nested-answers-of-actions',
    file: 'server/src/chat/answering/call-action.ts',
    find: '  } catch {\n',
    replace: '  } catch (error) {\n    if (!(error instanceof SyntaxError)) throw error;\n',
    test: {
      file: 'server/src/chat/answering/call-action.test.ts',
      name: 'passes a deeply nested response on as plain text',
    },
    why: 'A partner response could fail the answer after the call, and each retry would call again.',
  },
  {
    name: 'leave-the-contact-unsigned',
    file: 'server/src/chat/answering/action-signature.ts',
    find: "const payload = [request.method, pathname + search, contactNumber, conversationId, request.body ?? ''];",
    replace: "const payload = [request.method, pathname + search, '', conversationId, request.body ?? ''];",
    test: {
      file: 'server/src/chat/answering/action-signature.test.ts',
      name: 'for a contact is signed with the contact and the conversation',
    },
    why: 'An attacker who can change a header could act as another contact.',
  },
  {
    name: 'decompress-without-a-limit',
    file: 'server/src/platform/outbound/read-body.ts',
    find: 'for await (const chunk of limited(maxBytes)(source)) chunks.push(chunk);',
    replace: 'for await (const chunk of source) chunks.push(chunk);',
    test: { file, name: 'decompresses bodies and reads at most the limit, compressed or not' },
    why: 'A small body that decompresses to gigabytes would fill the memory.',
  },
];
