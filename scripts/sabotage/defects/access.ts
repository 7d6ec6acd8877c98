import type { Defect } from '../defect.ts';

/** Who may come in, and whose things they see. */
export const accessDefects: readonly Defect[] = [
  {
    name: 'accept-any-algorithm',
    file: 'server/src/access-tokens/access-tokens.ts',
    find: 'algorithms: [algorithm],',
    replace: '',
    test: {
      file: 'server/src/access-tokens/access-tokens.test.ts',
      name: 'the stronger HS512 under our key',
    },
    why: 'Tokens of another algorithm than the one we issue would be taken.',
  },
];
