import { declarationsIn, templatesIn } from './sql-tables.ts';

/** A trigger of server/schema/functions, without those of the audit log, which every audited table has. */
interface Trigger {
  table: string;
  /** The function that it calls. */
  effect: string;
  on: 'insert' | 'update' | 'delete';
  /** The columns whose change has an effect; null stands for any. */
  watched: readonly string[] | null;
}

interface Write {
  table: string;
  on: Trigger['on'];
  /** The columns that an update sets; null if the text does not tell. */
  columns: readonly string[] | null;
}

const functions = 'server/schema/functions/';
const isProduct = (path: string) =>
  path.startsWith('server/src/') && !/\.(test|contract)\.ts$/.test(path) && !path.endsWith('.generated.ts');

/** Returns one line for each statement that sets off a trigger whose function its declaration does not name. */
export function findHiddenEffects(sources: ReadonlyMap<string, string>): string[] {
  const triggers = [...sources]
    .filter(([path]) => path.startsWith(functions) && !path.includes('audit'))
    .flatMap(([, source]) => triggersIn(source));
  return [...sources]
    .filter(([path]) => isProduct(path))
    .flatMap(([path, source]) =>
      declarationsIn(source).flatMap(({ name, text, comment }) => {
        const writes = [
          ...templatesIn(text).flatMap((template) => writesIn(template.text)),
          ...buildsIn(text),
        ];
        const effects = triggers.filter((trigger) => writes.some((write) => setsOff(write, trigger)));
        const hidden = new Set(effects.map(({ effect }) => effect));
        return [...hidden]
          .filter((effect) => !`${comment}${text}`.includes(effect))
          .map(
            (effect) =>
              `${path}: ${name} writes what ${effect} watches: name it in a comment, like "Watched by ${effect}."`,
          );
      }),
    );
}

/** Reads `create or replace trigger`, and the columns after `-- Watches:`. */
function triggersIn(source: string): Trigger[] {
  const watches = /^-- Watches: (?<columns>.+)$/m.exec(source)?.groups?.['columns']?.split(', ') ?? null;
  const statements = source.matchAll(
    /create or replace trigger \w+ (?:after|before) (?<events>[\s\S]+?) on (?<table>[\w.]+)\s[\s\S]*?execute function (?<effect>\w+)/g,
  );
  return [...statements].flatMap(({ groups }) =>
    (['insert', 'update', 'delete'] as const)
      .filter((event) => new RegExp(`\\b${event}\\b`).test(groups?.['events'] ?? ''))
      .map((on) => ({
        on,
        table: groups?.['table'] ?? '',
        effect: groups?.['effect'] ?? '',
        watched: on === 'update' ? watches : null,
      })),
  );
}

const setsOff = (write: Write, trigger: Trigger): boolean =>
  write.table === trigger.table &&
  write.on === trigger.on &&
  (trigger.watched === null ||
    write.columns === null ||
    write.columns.some((column) => trigger.watched?.includes(column)));

/** Reads the statements of a template, in which `$` stands for `${…}`. */
function writesIn(text: string): Write[] {
  const sql = text.replaceAll(/--.*$/gm, ' ').replaceAll(/'[^']*'/g, "''");
  const found: Write[] = [];
  for (const { groups } of sql.matchAll(/\binsert into (?<table>[a-z_.]+)/g))
    found.push({ table: groups?.['table'] ?? '', on: 'insert', columns: null });
  for (const { groups } of sql.matchAll(/\bdelete from (?<table>[a-z_.]+)/g))
    found.push({ table: groups?.['table'] ?? '', on: 'delete', columns: null });
  for (const match of sql.matchAll(
    /(?<!\bfor |\bdo |\bkey )\bupdate (?<table>[a-z_.]+)(?: (?:as )?\w+)?\s+set\b/g,
  ))
    found.push({
      table: match.groups?.['table'] ?? '',
      on: 'update',
      columns: setColumns(sql.slice(match.index + match[0].length)),
    });
  return found;
}

/** Returns the columns that the text after `set` assigns, or null if a placeholder stands where a column does. */
function setColumns(text: string): string[] | null {
  let depth = 0;
  let item = '';
  const items: string[] = [];
  for (const [token] of text.matchAll(/[a-z_.]+|[(),$=]|[^\sa-z_]/g)) {
    if (token === '(') depth += 1;
    if (token === ')') depth -= 1;
    if (depth < 0 || (depth === 0 && /^(?:from|where|returning)$/.test(token))) break;
    if (depth === 0 && token === ',') {
      items.push(item);
      item = '';
    } else item += `${token} `;
  }
  items.push(item);
  const columns = items.map((assignment) => assignment.trim().split(' ')[0] ?? '');
  return columns.includes('$') ? null : columns.map((column) => column.replace(/^\(/, ''));
}

const builders = { insertInto: 'insert', updateTable: 'update', deleteFrom: 'delete' } as const;

const buildsIn = (text: string): Write[] =>
  [...text.matchAll(/\.(?<call>insertInto|updateTable|deleteFrom)\('(?<table>[\w.]+)/g)].map(
    ({ groups }) => ({
      table: groups?.['table'] ?? '',
      on: builders[groups?.['call'] as keyof typeof builders],
      columns: null,
    }),
  );
