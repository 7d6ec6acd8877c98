import type { BotAnswer } from '@parley/sdk';

export type Version = 'draft' | 'published';

export interface Turn {
  /** Never used again, because an answer may arrive after the chat began again. */
  id: number;
  question: string;
  version: Version;
  /** Null while the bot is thinking. */
  answer: BotAnswer | null;
}

interface HistoryMessage {
  role: 'contact' | 'assistant';
  text: string;
}

/** Limits of the API. Texts are counted in code points. */
const maxMessages = 50;
const maxTextLength = 4_096;

/** Returns as much of the chat as the API accepts: the last messages, and the beginnings of long texts. */
export const historyOf = (turns: readonly Turn[]): HistoryMessage[] =>
  turns
    .flatMap(({ question, answer }): HistoryMessage[] => [
      { role: 'contact', text: question },
      { role: 'assistant', text: answer?.answer ?? '' },
    ])
    .filter(({ text }) => text !== '')
    .slice(-maxMessages)
    .map(({ role, text }) => ({ role, text: [...text].slice(0, maxTextLength).join('') }));
