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
  hasHeader: boolean;
  /** Cells that began with an apostrophe against formulas, as exports of pairs have them. It was removed. */
  unguarded: number;
}

/** Headers in the languages of the console and some others. The export writes the first of each. */
const questionHeaders =
  'question questions q pregunta preguntas pergunta perguntas frage fragen domanda vraag prompt'.split(' ');
const answerHeaders =
  'answer answers a respuesta respuestas resposta respostas antwort antworten réponse risposta response'.split(
    ' ',
  );
export const exportHeader = ['question', 'answer'] as const;

/** Reads the columns that a header names, or the first two. */
export function readPairs({ rows, unclosed }: Table, existing: readonly Pair[] = []): PairsOfTable {
  const header = rows[0]?.cells.map((cell) => cell.trim().toLowerCase()) ?? [];
  const named = [questionHeaders, answerHeaders].map((names) =>
    header.findIndex((cell) => names.includes(cell)),
  );
  const hasHeader = named.every((column) => column >= 0);
  const [questionColumn = 0, answerColumn = 1] = hasHeader ? named : [];
  const result: PairsOfTable = {
    pairs: [],
    refused: unclosed.map((line) => ({ line, reason: 'unclosed' })),
    hasHeader,
    unguarded: 0,
  };
  const known = new Set(existing.map(({ question }) => normalize(question)));
  for (const { line, cells } of hasHeader ? rows.slice(1) : rows) {
    const [question = '', answer = ''] = [cells[questionColumn], cells[answerColumn]].map((cell = '') => {
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
