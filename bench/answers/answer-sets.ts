import { readFile } from 'node:fs/promises';
import { handbook } from '../../scripts/demo/handbook-text.ts';

/** Articles in one language, with questions whose answers occur verbatim in the paragraphs. */
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

/** A question about the documents. `answer` is `null` when they do not contain it. */
export interface Probe {
  question: string;
  answer: string | null;
  /** The paragraph that the question was written for. */
  paragraph: string;
  /** True for even-numbered paragraphs. Models are fitted on these, and results are reported for the others. */
  even: boolean;
  /** The question that the contact asked before, to which this one may refer. */
  before?: string;
  /** The answer of an old version of the document. */
  outdated?: string;
}

/** The articles that become documents. Questions about other articles and paragraphs have no answer. */
export interface Fold {
  name: string;
  documents: readonly Article[];
  probes: readonly Probe[];
}

export const setLanguages = ['en', 'es', 'de'] as const;

/**
 * The origin of the questions. `paraphrased` questions avoid the words of the text, increasingly from the first to the
 * fourth of a paragraph. `crowd` questions were asked by readers of the text.
 */
export const setStyles = ['crowd', 'paraphrased'] as const;

/** `talk`: small talk to recognise, and chit-chat without an answer. `prompt`: the passage has to be among the first of a prompt. */
const customerStyles = ['customers', 'following', 'versions', 'talk', 'prompt'] as const;

export const rowStyles = [...setStyles, ...customerStyles] as const;

/** Reads the articles with the questions of one style. The articles of both styles are the same. */
export async function readAnswerSet(
  language: (typeof setLanguages)[number],
  style: (typeof setStyles)[number],
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

/** Returns the handbook of the demo with short questions as customers ask them. Nothing was fitted on these. */
export async function readHandbook(): Promise<Fold> {
  const { questions, offTopic } = await readJson<{ questions: [string, string][]; offTopic: string[] }>(
    'sets/handbook.json',
  );
  return {
    name: 'handbook',
    documents: handbook.map(({ heading, paragraphs }) => ({
      title: heading,
      paragraphs: [heading, ...paragraphs].map((text) => ({ text, questions: [] })),
    })),
    probes: [
      ...questions.map(([question, answer]) => toProbe(question, answer)),
      ...offTopic.map((question) => toProbe(question, null)),
    ],
  };
}

/** Messages of customers of one business. */
interface CustomerSet extends Fold {
  language: string;
  style: (typeof customerStyles)[number];
  layout: 'a file per article' | 'one file';
}

interface Business {
  name: string;
  language: string;
  text: readonly string[];
  questions: readonly [string, string][];
  /** An earlier question, one that refers to it, and its answer. */
  followUps?: readonly [string, string, string][];
  unanswerable?: readonly string[];
}

/** Returns small businesses, price lists in two versions, small talk, and texts of languages without spaces. Nothing was fitted on these. */
export async function readCustomerSets(): Promise<CustomerSet[]> {
  const businesses = await readJson<Business[]>('sets/businesses.json');
  const unspaced = await readJson<Business[]>('sets/unspaced.json');
  const prices = await readJson<Record<'old' | 'new', string[]> & { questions: [string, string, string][] }>(
    'sets/price-lists.json',
  );
  const { smallTalk, chat } = await readJson<{ smallTalk: string[]; chat: string[] }>('sets/small-talk.json');
  const [{ text: talkedTo } = { text: [] }] = businesses;
  return [
    ...businesses.flatMap((business): CustomerSet[] => {
      const { name, language, text, questions, followUps = [], unanswerable = [] } = business;
      const shared = { language, name, layout: 'one file', documents: [toArticle(text)] } as const;
      const asked = [
        ...questions.map(([question, answer]) => toProbe(question, answer)),
        ...unanswerable.map((question) => toProbe(question, null)),
      ];
      const following = followUps.map(([before, question, answer]) => toProbe(question, answer, { before }));
      return [
        { ...shared, style: 'customers', probes: asked },
        { ...shared, style: 'following', probes: following },
        { ...shared, style: 'prompt', probes: asked.filter(({ answer }) => answer !== null) },
      ];
    }),
    {
      language: 'en',
      style: 'versions',
      name: 'price lists',
      layout: 'a file per article',
      documents: [toArticle(prices.old), toArticle(prices.new)],
      probes: prices.questions.map(([question, answer, outdated]) => toProbe(question, answer, { outdated })),
    },
    {
      language: 'all',
      style: 'talk',
      name: 'small talk',
      layout: 'one file',
      documents: [toArticle(talkedTo)],
      probes: [...smallTalk.map((text) => toProbe(text, '')), ...chat.map((text) => toProbe(text, null))],
    },
    ...unspaced.map(
      ({ name, language, text, questions }): CustomerSet => ({
        language,
        style: 'prompt',
        name,
        layout: 'a file per article',
        documents: text.map((paragraph) => toArticle([paragraph])),
        probes: questions.map(([question, answer]) => toProbe(question, answer)),
      }),
    ),
  ];
}

const toArticle = (text: readonly string[]): Article => ({
  title: text[0] ?? '',
  paragraphs: text.map((paragraph) => ({ text: paragraph, questions: [] })),
});

const toProbe = (question: string, answer: string | null, more: Partial<Probe> = {}): Probe => ({
  question,
  answer,
  paragraph: '',
  even: false,
  ...more,
});

/** Questions on the paragraphs of a set, in the same order. */
interface QuestionSet {
  articles: readonly { paragraphs: readonly Pick<Article['paragraphs'][number], 'questions'>[] }[];
}

async function readJson<Shape>(path: string): Promise<Shape> {
  // The files belong to this benchmark and have the shapes above.
  return JSON.parse(await readFile(new URL(path, import.meta.url), 'utf8')) as Shape;
}

/**
 * Splits a set in four ways. The first twenty articles become documents, then the last twenty. Then all articles do, without
 * their odd-numbered or even-numbered paragraphs, so that the questions about these are on topic but have no answer.
 */
export function createFolds({ articles }: AnswerSet): Fold[] {
  return [
    fold('articles 1-20', articles.slice(0, 20), articles.slice(20)),
    fold('articles 11-30', articles.slice(10), articles.slice(0, 10)),
    withoutParagraphs(articles, false),
    withoutParagraphs(articles, true),
  ];
}

function fold(name: string, documents: readonly Article[], others: readonly Article[]): Fold {
  return { name, documents, probes: [...createProbes(documents, true), ...createProbes(others, false)] };
}

function withoutParagraphs(articles: readonly Article[], even: boolean): Fold {
  const documents = articles.map(({ title, paragraphs }) => ({
    title,
    paragraphs: paragraphs.filter((_, index) => (index % 2 === 0) !== even),
  }));
  const probes = createProbes(articles, false).filter((probe) => probe.even === even);
  return { name: `without ${even ? 'even' : 'odd'} paragraphs`, documents, probes };
}

function createProbes(articles: readonly Article[], answerable: boolean): Probe[] {
  return articles.flatMap(({ paragraphs }) =>
    paragraphs.flatMap(({ text, questions }, index) =>
      questions.map(({ question, answer }) => ({
        question,
        answer: answerable ? answer : null,
        paragraph: text,
        even: index % 2 === 0,
      })),
    ),
  );
}

/** The ways to split the documents into files. */
export const pageLayouts = {
  'a file per article': (articles: readonly Article[]) =>
    articles.map(({ paragraphs }) => paragraphs.map(({ text }) => text).join('\n\n')),
  'one file': (articles: readonly Article[]): string[] => [
    articles.flatMap(({ paragraphs }) => paragraphs.map(({ text }) => text)).join('\n\n'),
  ],
  'one file twice': (articles: readonly Article[]): string[] => [
    ...pageLayouts['one file'](articles),
    ...pageLayouts['one file'](articles),
  ],
} as const;

/** True when a reply contains the answer, regardless of case and line breaks. */
export function containsAnswer(reply: string, answer: string): boolean {
  return plain(reply).includes(plain(answer));
}

const plain = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();
