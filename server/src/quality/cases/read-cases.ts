import { CsvError, parse } from 'csv-parse/sync';
import { invalidInput } from '../../platform/http/errors.ts';
import { isUuid } from '../../platform/shared/ids.ts';
import { toStorableText } from '../../platform/shared/storable-text.ts';
import {
  type Case,
  type Check,
  checkKinds,
  type ImportedCases,
  maxCases,
  maxChecks,
  neededMember,
} from './cases.schemas.ts';
import { toName } from './cases.ts';

export type ReadCase = Pick<Case, 'name' | 'messages' | 'checks'>;

const columns: ReadonlySet<string> = new Set(['question', 'name', ...checkKinds]);
const affirmative: ReadonlySet<string> = new Set(['yes', 'true', '1', 'x']);
const negative: ReadonlySet<string> = new Set(['', 'no', 'false', '0']);
const longest = { question: 4096, name: 200, value: 1000 };

/**
 * Reads cases from a CSV: a question in each row, and a column for each kind of check that it has. `|` separates several values in a
 * cell. Throws `validation` for a text that is no such table. A row that is wrong is refused.
 */
export function readCases(csv: string): { cases: ReadCase[]; refused: ImportedCases['refused'] } {
  const cases = new Map<string, ReadCase>();
  const refused: ImportedCases['refused'] = [];
  for (const { record, info } of parseRows(csv)) {
    const read = readRow(record);
    const problem =
      typeof read === 'string' ? read : cases.has(read.name) ? 'has the name of a row above' : null;
    if (problem !== null) refused.push({ row: info.lines, message: problem });
    else if (typeof read !== 'string') cases.set(read.name, read);
  }
  return { cases: [...cases.values()], refused };
}

type Row = Readonly<Record<string, string>>;

interface ParsedRow {
  record: Row;
  /** `lines`: the line in which the row ends. */
  info: { lines: number };
}

function parseRows(csv: string): ParsedRow[] {
  const refuse = (message: string) => invalidInput([{ path: 'csv', message }]);
  let header: string[] = [];
  let rows: ParsedRow[];
  try {
    rows = parse<ParsedRow>(csv, {
      bom: true,
      info: true,
      columns(names: string[]) {
        header = names.map((name) => name.trim().toLowerCase());
        return header;
      },
      delimiter: [',', ';', '\t'],
      skip_empty_lines: true,
      relax_column_count: true,
      trim: true,
      to: maxCases + 1,
    });
  } catch (error) {
    if (error instanceof CsvError) throw refuse(`is no CSV: ${error.message}`);
    throw error;
  }
  if (rows.length > maxCases) throw refuse(`has more than ${maxCases} rows`);
  if (!header.includes('question')) throw refuse('needs a header with question');
  const unknown = header.find((name) => !columns.has(name));
  if (unknown !== undefined)
    throw refuse(`has the unknown column ${unknown}; known ones are ${[...columns].join(', ')}`);
  return rows;
}

/** Returns the case of the row, or its problem. */
function readRow(row: Row): ReadCase | string {
  const question = toStorableText(row['question'] ?? '');
  const title = toName(question, longest.name);
  if (title === '') return 'question must not be empty';
  if (question.length > longest.question) return `question must have at most ${longest.question} characters`;
  const name = toName(toStorableText(row['name'] ?? ''), longest.name) || title;
  const checks: Check[] = [];
  for (const kind of checkKinds) {
    const found = readChecks(kind, row[kind] ?? '');
    if (typeof found === 'string') return `${kind} ${found}`;
    checks.push(...found);
  }
  if (checks.length > maxChecks) return `must have at most ${maxChecks} checks`;
  return {
    name,
    messages: [{ role: 'contact', text: question }],
    checks,
  };
}

function readChecks(kind: Check['kind'], cell: string): Check[] | string {
  const member = neededMember[kind];
  if (member === undefined) {
    if (affirmative.has(cell.toLowerCase())) return [{ kind }];
    return negative.has(cell.toLowerCase()) ? [] : 'must be yes or empty';
  }
  const values = cell.split('|').flatMap((part) => toStorableText(part).trim() || []);
  const checks: Check[] = [];
  for (const value of values) {
    const problem = findProblem(kind, value);
    if (problem !== null) return problem;
    checks.push({ kind, [member]: member === 'value' ? Number(value) : value });
  }
  return checks;
}

function findProblem(kind: Check['kind'], value: string): string | null {
  if (value.length > longest.value) return `must have at most ${longest.value} characters`;
  if (kind === 'cites_document') return isUuid(value) ? null : 'must be the id of a document';
  if (kind === 'calls_action') return value.length <= 100 ? null : 'must have at most 100 characters';
  if (kind === 'language') return /^[a-z]{2}$/.test(value) ? null : 'must be the code of a language, like en';
  if (kind !== 'max_cost' && kind !== 'max_ms') return null;
  const number = Number(value);
  return number >= 0 && number <= 1_000_000 ? null : 'must be a number from 0 to 1000000';
}
