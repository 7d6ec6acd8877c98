import { isGuarded, type Table } from '../../lib/csv.ts';
import type { Pair } from './bot-draft.ts';

const longestQuestion = 1000;
const longestAnswer = 4000;

type RefusalReason = 'unclosed' | 'noQuestion' | 'noAnswer' | 'longQuestion' | 'longAnswer' | 'repeated';

interface RefusedRow {
  line: number;
  reason: RefusalReason;
}

export interface PairsOfTable {
  pairs: Pair[];
  refused: RefusedRow[];
  /** Cells that began with an apostrophe against formulas, as exports of pairs have them. It was removed. */
  unguarded: number;
}

/** Where a table has its pairs. */
export interface PairColumns {
  question: number;
  answer: number;
  /** Whether the first row names the columns. */
  hasHeader: boolean;
}

/** Headers in the languages of the console and some others. The export writes the first of each. */
const questionHeaders =
  'question questions q pregunta preguntas pergunta perguntas frage fragen domanda vraag prompt'.split(' ');
const answerHeaders =
  'answer answers a respuesta respuestas resposta respostas antwort antworten réponse risposta response'.split(
    ' ',
  );
export const exportHeader = ['question', 'answer'] as const;

/** Returns the columns that a header names, or the first two. */
export function findColumns({ rows }: Table): PairColumns {
  const header = rows[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const named = [questionHeaders, answerHeaders].map((names) =>
    header.findIndex((cell) => names.includes(cell)),
  );
  const hasHeader = named.every((column) => column >= 0);
  const [question = 0, answer = 1] = hasHeader ? named : [];
  return { question, answer, hasHeader };
}

export function readPairs(
  { rows, unclosed }: Table,
  columns: PairColumns,
  existing: readonly Pair[] = [],
): PairsOfTable {
  const result: PairsOfTable = {
    pairs: [],
    refused: unclosed.map((line) => ({ line, reason: 'unclosed' })),
    unguarded: 0,
  };
  const known = new Set(existing.map(({ question }) => normalize(question)));
  for (const { line, cells } of columns.hasHeader ? rows.slice(1) : rows) {
    const [question = '', answer = ''] = [cells[columns.question], cells[columns.answer]].map((cell = '') => {
      const text = cell.trim();
      if (!isGuarded(text)) return text;
      result.unguarded += 1;
      return text.slice(1);
    });
    const reason = findReason({ question, answer }, known);
    if (reason !== null) result.refused.push({ line, reason });
    else {
      known.add(normalize(question));
      result.pairs.push({ question, answer });
    }
  }
  result.refused.sort((a, b) => a.line - b.line);
  return result;
}

function findReason({ question, answer }: Pair, known: ReadonlySet<string>): RefusalReason | null {
  if (question === '') return 'noQuestion';
  if (answer === '') return 'noAnswer';
  if ([...question].length > longestQuestion) return 'longQuestion';
  if ([...answer].length > longestAnswer) return 'longAnswer';
  return known.has(normalize(question)) ? 'repeated' : null;
}

const normalize = (question: string): string =>
  question.normalize('NFC').trim().replace(/\s+/g, ' ').toLowerCase();
