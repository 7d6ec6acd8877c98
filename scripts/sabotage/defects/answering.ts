import type { Defect } from '../defect.ts';

/** From what a contact writes to what the bot replies. */
export const answeringDefects: readonly Defect[] = [
  {
    name: 'cut-a-paragraph-off',
    file: 'server/src/answering/reply-parts.ts',
    find: ": [...kept.slice(0, mostMessages - 1), kept.slice(mostMessages - 1).join('\\n\\n')];",
    replace: ': kept.slice(0, mostMessages);',
    test: {
      file: 'server/src/answering/words.test.ts',
      name: 'parts of an answer hold all its words, in order, and none is longer than a message',
    },
    why: 'The end of a long answer with broken lines would not be sent.',
  },
];
