import { isAskingBack } from '../../knowledge/assistant-provider/embedded/offered-questions.ts';
import { takeStart } from '../../platform/shared/cut-text.ts';
import { localTime } from '../hours/opening.ts';
import type { AnswerTrace } from './trace.ts';

/** As what a reply counts in the numbers over weeks. It holds nothing that a contact wrote. */
export interface AnswerCount {
  /** In the time zone of the team. */
  day: string;
  outcome: 'answered' | 'asked_back' | 'declined' | 'handed_over';
  /** The pair, the heading, the document or the action that the answer is from. */
  topic: string | null;
  /** The code of the language of the contact. */
  language: string | null;
}

const longestTopic = 200;

/** Returns null for a canned reply that answers no question, such as the one to a sticker. */
export function countAnswer(
  { text, answered, flag, trace }: { text: string; answered: boolean; flag: string | null; trace: object },
  { language, now, timeZone }: { language: string | null; now: Date; timeZone: string },
): AnswerCount | null {
  // The trace of an answer, or that of a canned reply.
  const { line, pair, passages, actions } = trace as Partial<AnswerTrace> & { line?: string };
  const isHandedOver = flag === 'human_requested';
  if (line !== undefined && !isHandedOver) return null;
  const [passage] = passages ?? [];
  const topic = pair?.question ?? passage?.heading ?? passage?.document ?? actions?.[0]?.name ?? null;
  return {
    day: localTime(now, timeZone).date,
    outcome: isHandedOver
      ? 'handed_over'
      : isAskingBack(text)
        ? 'asked_back'
        : answered
          ? 'answered'
          : 'declined',
    topic: topic === null ? null : takeStart(topic, longestTopic),
    language,
  };
}
