import { createHash } from 'node:crypto';
import type {
  AssistantSpec,
  AssistantStep,
  AssistantTurn,
  OwnerTag,
} from '../../../src/knowledge/assistant-provider/assistant-provider.ts';
import { ProviderError } from '../../../src/ports/provider-error.ts';
import type { ListedObject } from './calls.ts';

/** An entry of the provider's log. */
export type ProviderFact =
  | { type: 'made'; at: string; kind: ListedObject['kind']; ref: string; tag: OwnerTag }
  | {
      type: 'revised';
      at: string;
      ref: string;
      revision: string;
      version: number | null;
      tool: string | null;
    }
  | { type: 'removed'; at: string; ref: string }
  | { type: 'answered'; at: string; revision: string; questions: string[] };

/** The provider's objects, rebuilt from its log. Repeated puts of one operation are one object. */
export class ProviderState {
  readonly #objects = new Map<string, ListedObject>();
  /** By assistant, then by revision. */
  readonly #revisions = new Map<string, Map<string, Revision>>();

  apply(fact: ProviderFact): void {
    switch (fact.type) {
      case 'made':
        if (!this.#objects.has(fact.ref)) {
          const { kind, ref, tag, at: createdAt } = fact;
          this.#objects.set(ref, { kind, ref, tag, createdAt });
        }
        return;
      case 'revised': {
        const revisions = this.#revisions.get(fact.ref) ?? new Map<string, Revision>();
        this.#revisions.set(fact.ref, revisions.set(fact.revision, fact));
        return;
      }
      case 'removed':
        this.#objects.delete(fact.ref);
        this.#revisions.delete(fact.ref);
        return;
      case 'answered':
        return;
    }
  }

  listObjects(): ListedObject[] {
    return [...this.#objects.values()];
  }

  has(ref: string): boolean {
    return this.#objects.has(ref);
  }

  /**
   * Returns the tool call, once, if one of the last questions ends with an exclamation mark; otherwise the answer. Throws
   * `ProviderError` for an unknown revision.
   */
  createStep({ assistantRef, revision, messages }: AssistantTurn): {
    step: AssistantStep;
    questions: string[];
  } {
    const known = this.#revisions.get(assistantRef)?.get(revision);
    if (known === undefined)
      throw new ProviderError('not_found', `there is no ${revision} of ${assistantRef}`);
    const since =
      messages.findLastIndex((message) => message.role === 'assistant' && message.calls === undefined) + 1;
    const turn = messages.slice(since);
    const questions = turn.flatMap((message) => (message.role === 'contact' ? [message.text] : []));
    const actionQuestion = questions.find((question) => question.endsWith('!'));
    const hasResult = turn.some(({ role }) => role === 'tool_results');
    const step: AssistantStep =
      actionQuestion !== undefined && known.tool !== null && !hasResult
        ? {
            kind: 'tool_calls',
            text: '',
            calls: [
              {
                callId: actionQuestion,
                tool: known.tool,
                arguments: JSON.stringify({ question: actionQuestion }),
              },
            ],
            ...origin,
          }
        : {
            kind: 'answer',
            text: createAnswer(questions, known.version),
            answered: true,
            sources: [],
            handsOver: false,
            ...origin,
          };
    return { step, questions };
  }
}

interface Revision {
  version: number | null;
  tool: string | null;
}

const origin = { usage: [], state: null, fallback: null };

/** Names the questions, so that the oracle can match replies. Has two paragraphs for bots that break lines. */
export const createAnswer = (questions: readonly string[], version: number | null): string =>
  `Re ${questions.join(' ')}\n\nVersion ${version ?? 0} to ${questions[0] ?? ''}`;

/** Returns the version in a bot's instructions. */
export function parseVersion({ instructions }: AssistantSpec): number | null {
  const [, number] = /version (\d+)/.exec(instructions) ?? [];
  return number === undefined ? null : Number(number);
}

/** Returns the same reference for the same operation and content, so that retries converge. */
export const createRef = (kind: ListedObject['kind'], ...parts: readonly string[]): string =>
  `${kind}_${createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 24)}`;
