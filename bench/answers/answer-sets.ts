import { readFile } from 'node:fs/promises';

/** One language's articles, with questions whose answers stand word for word in their paragraphs. */
export interface AnswerSet {
  language: string;
  articles: readonly Article[];
}

export interface Article {
  title: string;
  paragraphs: readonly {
    text: string;
    questions: readonly { question: string; answer: string }[];
  }[];
}

/** A question put to the documents; `answer` is `null` when they do not hold it. */
export interface Probe {
  question: string;
  answer: string | null;
  /** What the question was made for. */
  paragraph: string;
  /** Of an even-numbered paragraph: on these models are fitted, on the others results are reported. */
  even: boolean;
}

/** Which articles become documents; the questions about the others have no answer. */
export interface Fold {
  name: string;
  documents: readonly Article[];
  probes: readonly Probe[];
}

export const SET_LANGUAGES = ['en', 'es', 'de'] as const;

/**
 * How the questions were written: `paraphrased` ones avoid the words of the text more and more from the first to the
 * fourth of a paragraph; `crowd` ones are what readers ask who have the text before them.
 */
export const SET_STYLES = ['crowd', 'paraphrased'] as const;

/** The same articles in both styles. */
export async function readAnswerSet(
  language: (typeof SET_LANGUAGES)[number],
  style: (typeof SET_STYLES)[number],
): Promise<AnswerSet> {
  const set = await readJson<AnswerSet>(`sets/${language}.json`);
  if (style === 'paraphrased') return set;
  const crowd = await readJson<QuestionSet>(`sets/${language}-crowd.json`);
  return {
    language,
    articles: set.articles.map(({ title, paragraphs }, article) => ({
      title,
      paragraphs: paragraphs.map(({ text }, paragraph) => ({
        text,
        questions: crowd.articles[article]?.paragraphs[paragraph]?.questions ?? [],
      })),
    })),
  };
}

/** Questions on the paragraphs of a set, in its order. */
interface QuestionSet {
  articles: readonly { paragraphs: readonly Pick<Article['paragraphs'][number], 'questions'>[] }[];
}

async function readJson<Shape>(path: string): Promise<Shape> {
  // The files are this benchmark's own, of the shapes above.
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8')) as Shape;
}

/** The set both ways round: documents from the first twenty articles, and from the last twenty. */
export function foldsOf({ articles }: AnswerSet): Fold[] {
  return [
    fold('articles 1-20', articles.slice(0, 20), articles.slice(20)),
    fold('articles 11-30', articles.slice(10), articles.slice(0, 10)),
  ];
}

function fold(name: string, documents: readonly Article[], others: readonly Article[]): Fold {
  return { name, documents, probes: [...probesOf(documents, true), ...probesOf(others, false)] };
}

function probesOf(articles: readonly Article[], answerable: boolean): Probe[] {
  return articles
    .flatMap(({ paragraphs }) => paragraphs)
    .flatMap(({ text, questions }, index) =>
      questions.map(({ question, answer }) => ({
        question,
        answer: answerable ? answer : null,
        paragraph: text,
        even: index % 2 === 0,
      })),
    );
}

/** How the documents are cut into files. */
export const LAYOUTS = {
  'a file per article': (articles: readonly Article[]) =>
    articles.map(({ paragraphs }) => paragraphs.map(({ text }) => text).join('\n\n')),
  'one file': (articles: readonly Article[]) => [
    articles.flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text)).join('\n\n'),
  ],
} as const;

/** Whether a reply holds the answer, whatever its capitals and line breaks. */
export function holds(reply: string, answer: string): boolean {
  return plain(reply).includes(plain(answer));
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();
