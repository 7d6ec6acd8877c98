import type { Defect } from '../defect.ts';

const file = 'server/src/knowledge/documents/extraction/team-queues.test.ts';

/** Fairness between the uploads of teams. */
export const uploadDefects: readonly Defect[] = [
  {
    name: 'read-documents-first-come-first-served',
    file: 'server/src/knowledge/documents/extraction/extractor.ts',
    find: '{ group: teamId, weight',
    replace: "{ group: 'all', weight",
    test: { file, name: 'reads one document of a team at a time and takes teams in turn' },
    why: "The documents of one team would delay all other teams' uploads.",
  },
  {
    name: 'report-exploding-documents-as-overload',
    file: 'server/src/knowledge/documents/extraction/extraction-process.ts',
    find: "if (signal === 'SIGXCPU') return 'timeout';",
    replace: "if (signal === 'SIGXCPU') return 'overloaded';",
    test: {
      file: 'server/src/knowledge/documents/extraction/extractor.reliability.test.ts',
      name: 'stops a document at its processor time limit',
    },
    why: 'A client would upload a document that can never be read again and again.',
  },
  {
    name: 'forget-wasted-reader-time',
    file: 'server/src/knowledge/documents/extraction/extractor.ts',
    find: "if (!isFailure(error, 'interrupted')) wasted.add(",
    replace: "if (isFailure(error, 'interrupted')) wasted.add(",
    test: { file, name: 'makes a team wait longer with every document that wastes time' },
    why: 'A team could keep readers busy with documents that never end.',
  },
  {
    name: 'let-wasteful-teams-use-all-readers',
    file: 'server/src/knowledge/documents/extraction/wasted-time.ts',
    find: 'Math.max(1, readers - 1)',
    replace: 'readers',
    test: { file, name: 'keeps a reader for the others when several teams waste time' },
    why: 'Two hostile teams could keep all readers busy.',
  },
  {
    name: 'fetch-all-images-of-one-team-at-once',
    file: 'server/src/chat/messages/send.routes.ts',
    find: 'perGroup: { maxRunning: 8,',
    replace: 'perGroup: { maxRunning: 32,',
    test: {
      file: 'server/src/chat/messages/send-idempotency.test.ts',
      name: 'a device has at most eight images in memory',
    },
    why: 'One team could fill the memory of the api with images, and delay those of all others.',
  },
  {
    name: 'let-one-caller-take-all-upload-memory',
    file: 'server/src/knowledge/documents/upload-limiter.ts',
    find: 'maxWeight: maxBytes / 2 }',
    replace: 'maxWeight: maxBytes }',
    test: {
      file: 'server/src/knowledge/documents/upload-limiter.test.ts',
      name: 'leaves half of the memory to other callers and lets callers take turns',
    },
    why: "Slow uploads of one key would block all other callers' uploads.",
  },
  {
    name: 'keep-the-priority-of-long-documents',
    file: 'server/src/knowledge/documents/extraction/process-guard.ts',
    find: 'if (usedMs > ordinaryMs &&',
    replace: 'if (usedMs > maxProcessorMs &&',
    test: {
      file: 'server/src/knowledge/documents/extraction/processor-time.reliability.test.ts',
      name: 'gives a document that takes long the lowest priority, and does not reuse its reader',
    },
    why: 'Exploding documents would take as much processor time as the ordinary documents of other teams.',
  },
  {
    name: 'let-readers-open-sockets',
    file: 'server/src/knowledge/documents/extraction/confine.pl',
    find: 'refused => [41, ',
    replace: 'refused => [',
    test: {
      file: 'server/src/knowledge/documents/extraction/reader-isolation.reliability.test.ts',
      name: 'a confined reader reaches no port and no socket and signals no process',
    },
    why: "A document that took over its reader could reach the database's socket.",
  },
  {
    name: 'let-long-documents-finish-their-turn',
    file: 'server/src/knowledge/documents/extraction/extraction-process.ts',
    find: "spawn('chrt', ['-i', '-p',",
    replace: "spawn('chrt', ['-o', '-p',",
    test: {
      file: 'server/src/knowledge/documents/extraction/processor-time.reliability.test.ts',
      name: 'a document that takes long gives way to every other process at once',
    },
    why: 'Each step of other requests would wait some milliseconds for a processor while a hostile document is read.',
  },
  {
    name: 'start-readers-without-isolation',
    file: 'server/src/knowledge/documents/extraction/extraction-process.ts',
    find: '[...launch.launcher, process.execPath,',
    replace: '[process.execPath,',
    test: {
      file: 'server/src/knowledge/documents/extraction/reader-isolation.reliability.test.ts',
      name: 'a reader has its own account, gains no privileges and reads documents',
    },
    why: 'A document that took over its reader could reach the network.',
  },
  {
    name: 'read-headings-in-quadratic-time',
    file: 'server/src/knowledge/documents/extraction/plain-text-blocks.ts',
    find: 'return heading.slice(0, end).trim() || heading || null;',
    replace: "return heading.replace(/[ \\t]*#*$/, '') || null;",
    test: {
      file: 'server/test/patterns/patterns.reliability.test.ts',
      name: 'reads a plain text in linear time',
    },
    why: 'A text of 80,000 characters would keep a reader busy for 18 seconds.',
  },
];
