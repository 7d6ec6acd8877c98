import { StringDecoder } from 'node:string_decoder';
import type { Encryption, SealedColumn } from '../../shared/encryption.ts';
import { RestoreRefused } from './archive-file.ts';
import type { RowStep } from './export-database.ts';
import type { StoredTable } from './stored-tables.ts';

export interface Resealing {
  sealed: readonly SealedColumn[];
  from: Pick<Encryption, 'open'>;
  to: Pick<Encryption, 'seal'>;
}

/** Returns a step of a stream of rows in the text format of COPY. It seals their values with the keys of `to`. */
export function createResealer({ name, columns }: StoredTable, { sealed, from, to }: Resealing): RowStep {
  const indexOf = (column: string): number => columns.indexOf(column);
  const own = sealed
    .filter(({ table }) => table === name)
    .map(({ column, identity, context }) => ({ at: indexOf(column), by: identity.map(indexOf), context }));

  const resealRow = (row: string): string => {
    const fields = row.split('\t');
    for (const { at, by, context } of own) {
      const value = fields[at] ?? nullField;
      if (value === nullField) continue;
      const text = context(...by.map((index) => unescapeField(fields[index] ?? '')));
      const plain = openValue(from, name, value, text);
      fields[at] = `${bytesPrefix}${to.seal(plain, text).toString('hex')}`;
    }
    return `${fields.join('\t')}\n`;
  };

  return async function* reseal(source) {
    if (own.length === 0) return yield* source;
    const decoder = new StringDecoder('utf8');
    let begun = '';
    for await (const chunk of source) {
      const rows = (begun + decoder.write(chunk)).split('\n');
      begun = rows.pop() ?? '';
      if (rows.length > 0) yield rows.map(resealRow).join('');
    }
  };
}

function openValue(from: Resealing['from'], table: string, value: string, context: string): Buffer {
  try {
    return from.open(Buffer.from(value.slice(bytesPrefix.length), 'hex'), context);
  } catch (error) {
    throw new RestoreRefused(`A secret of ${table} does not open with its key (${String(error)})`);
  }
}

const nullField = '\\N';
/** COPY escapes the backslash of bytea's format. */
const bytesPrefix = '\\\\x';

const escapes: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

const unescapeField = (field: string): string =>
  field.replace(/\\(.)/gs, (_, escaped: string) => escapes[escaped] ?? escaped);
