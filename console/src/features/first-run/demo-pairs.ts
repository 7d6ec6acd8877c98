import type { firstRunMessages } from './first-run.messages.ts';

export type DemoTexts = (typeof firstRunMessages)['en']['demo'];

/** Splits the pairs of the demo's bot, one in each line. */
export function demoPairs({ pairs }: Pick<DemoTexts, 'pairs'>): { question: string; answer: string }[] {
  return pairs.split('\n').map((line) => {
    const [question = '', answer = ''] = line.split('|');
    return { question, answer };
  });
}
