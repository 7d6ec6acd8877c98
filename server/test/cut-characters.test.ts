import assert from 'node:assert/strict';
import { test } from 'node:test';
import { replyParts } from '../src/chat/answering/reply-parts.ts';
import { keepCalls } from '../src/chat/answering/trace.ts';
import { toStorableMessage } from '../src/chat/conversations/storable-message.ts';
import { quoteSentences, shorten } from '../src/knowledge/assistant-provider/embedded/passage-answer.ts';
import { createLineJoiner } from '../src/knowledge/documents/extraction/pdf-blocks.ts';
import { splitIntoPortions } from '../src/knowledge/documents/extraction/portions.ts';
import { toExtractedText } from '../src/knowledge/documents/extraction/sections.ts';
import { toIndexTerms } from '../src/knowledge/search/index-terms.ts';
import { createPassageSplitter } from '../src/knowledge/search/passages.ts';
import { parseQuestion } from '../src/knowledge/search/question-features.ts';
import { splitSentences } from '../src/knowledge/search/sentences.ts';
import { truncateMiddle } from '../src/knowledge/search/text-limits.ts';
import { splitForms } from '../src/knowledge/search/words.ts';
import { invalidInput } from '../src/platform/http/errors.ts';
import { formatPath } from '../src/platform/http/validation/input-path.ts';
import { describeProblem } from '../src/process/config-report.ts';

const keepForms = {
  detectLanguages: async () => [],
  stems: async (_: string, forms: Iterable<string>) => new Map([...forms].map((form) => [form, form])),
};

const section = (text: string) => ({ page: 1, heading: text, text });

const sentence = (text: string) => ({ start: 0, end: text.length, matches: [], forms: [] });

/** Each returns everything that it makes of the text. */
const cutting: Record<string, (text: string) => unknown> = {
  'portions of a text': (text) => [...splitIntoPortions([{ ...section(text), heading: null }], 20)],
  'passages of a text': (text) => [...createPassageSplitter()(section(text))],
  'sections of a text': (text) => toExtractedText([{ page: 1, isHeading: true, text }]).sections,
  'sentences of a text': (text) => splitSentences(text).map(({ start, end }) => text.slice(start, end)),
  'joined lines': (text) => createLineJoiner([text]).join(text, text),
  'words of a text': splitForms,
  'index terms of words': (text) => toIndexTerms([text], new Map([[text, text]])),
  'features of a question': async (text) => [...(await parseQuestion(keepForms, [], text)).features.keys()],
  'a question in the middle': truncateMiddle,
  'a message of the network': (text) => {
    const content = { kind: 'text', text } as const;
    const details = { name: text, options: [text] };
    return toStorableMessage({
      networkId: text,
      contactNumber: text,
      fromMe: false,
      sentAt: new Date(),
      content,
      details,
    });
  },
  'kept calls of actions': (text) =>
    keepCalls({
      calls: [{ id: '1', tool: 'find', arguments: text, result: text }] as never,
      usage: [{}] as never,
    }),
  'parts of a reply': (text) => replyParts(text, true),
  'a shortened name': (text) => shorten(text, 40),
  'a quoted sentence': (text) =>
    quoteSentences(
      [{ candidate: { text }, sentences: [sentence(text)] }] as never,
      [{ rank: 0, index: 0, probability: 1 }],
      () => '— guide.pdf',
    ).map(({ quote }) => quote),
  'a path of an error': (text) => formatPath([text], 'body'),
  'a message of an error': (text) => invalidInput([{ path: 'name', message: text }]).details,
  'a problem of the configuration': (text) => describeProblem('BASE_URL', text, new Error('must be a URL')),
};

for (const [name, cut] of Object.entries(cutting))
  test(`never halves a character: ${name}`, async () => {
    for (const letter of ['😀', '𝑥', '𐌰', '👩‍👩‍👧'])
      for (let offset = 0; offset <= 5; offset += 1)
        for (const length of [1, 7, 25, 130, 2_100, 9_000]) {
          const text = 'a'.repeat(offset) + letter.repeat(length);
          const made = JSON.stringify(await cut(text));
          assert.doesNotMatch(made, /\\ud[89a-f]/i, `${letter} ${offset} ${length}`);
          assert.ok(!made.includes('\ufffd'), `${letter} ${offset} ${length}`);
        }
  });
