/** A table or schema that the SQL of a source file names. */
export interface TableReference {
  table: string;
  /** The top-level declaration that contains the SQL. */
  declaration: string;
}

/** Stands for `${…}` in the text of a statement. */
const placeholder = ' $ ';

const builderCall =
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom|mergeInto|using|(?:inner|left|right|full|cross)Join)\((?<argument>[^)]*)/g;
const tableCall = /\bsql\.table\((?<argument>(?:[^()]|\([^()]*\))*)\)/g;
const tableProperty = /\btable:\s*(?<argument>'\w+')/g;

/**
 * Returns the relations that a TypeScript source names: in `sql` templates, in calls of Kysely's builder, in `sql.table()`
 * and as the `table` of a list. CTEs, set-returning functions and
 * qualified names of any kind are among them.
 */
export function findTableReferences(source: string): TableReference[] {
  const code = blankComments(source);
  const found = templatesIn(code).flatMap(({ text, offset }) =>
    relationsIn(text).map((table) => ({ table, offset })),
  );
  for (const pattern of [builderCall, tableCall, tableProperty]) {
    for (const { groups, index } of code.matchAll(pattern)) {
      const names = [...(groups?.['argument'] ?? '').matchAll(/['"`](?<name>[a-z_][\w.]*)/g)];
      found.push(...names.map((name) => ({ table: name.groups?.['name'] ?? '', offset: index })));
    }
  }
  return found.map(({ table, offset }) => ({ table, declaration: declarationAt(code, offset) }));
}

/** A top-level declaration with the comment before it. */
interface Declaration {
  name: string;
  text: string;
  comment: string;
}

export function declarationsIn(source: string): Declaration[] {
  const starts = [...source.matchAll(declarationStart)];
  return starts.map(({ index, groups }, at) => {
    const before = source.slice(starts[at - 1]?.index ?? 0, index);
    return {
      name: groups?.['name'] ?? '',
      text: source.slice(index, starts[at + 1]?.index),
      comment: /(?:\/\*\*(?:(?!\*\/)[\s\S])*\*\/|\/\/[^\n]*)\s*$/.exec(before)?.[0] ?? '',
    };
  });
}

const declarationStart = /^(?:export )?(?:async )?(?:const|let|function|class) (?<name>\w+)/gm;

function declarationAt(code: string, offset: number): string {
  const before = [...code.matchAll(declarationStart)].filter(({ index }) => index <= offset);
  return before.at(-1)?.groups?.['name'] ?? '';
}

/** Replaces comments with spaces. Offsets stay the same. */
function blankComments(source: string): string {
  const blank = (comment: string) => comment.replaceAll(/[^\n]/g, ' ');
  return source.replaceAll(/^\s*\/\*[\s\S]*?\*\//gm, blank).replaceAll(/^\s*\/\/.*$/gm, blank);
}

interface Template {
  text: string;
  offset: number;
}

/** Returns the text of each `sql` template, nested ones separately. */
export function templatesIn(code: string): Template[] {
  const found: Template[] = [];

  const readTemplate = (start: number): number => {
    const isSql = isTaggedSql(code, start);
    let text = '';
    let at = start + 1;
    while (at < code.length && code[at] !== '`') {
      if (code[at] === '\\') at += 2;
      else if (code.startsWith('${', at)) {
        at = readCode(at + 2) + 1;
        text += placeholder;
      } else {
        text += code[at];
        at += 1;
      }
    }
    if (isSql) found.push({ text, offset: start });
    return at;
  };

  /** Reads up to the brace that closes this code, or to the end of the file. */
  const readCode = (start: number): number => {
    let depth = 0;
    let at = start;
    for (; at < code.length; at += 1) {
      const char = code[at];
      if (char === '`') at = readTemplate(at);
      else if (char === "'" || char === '"') at = endOfQuoted(code, at, char);
      else if (char === '/' && startsRegex(code, at)) at = endOfQuoted(code, at, '/');
      else if (char === '{') depth += 1;
      else if (char === '}' && depth === 0) return at;
      else if (char === '}') depth -= 1;
    }
    return at;
  };

  readCode(0);
  return found;
}

function endOfQuoted(code: string, start: number, quote: string): number {
  for (let at = start + 1; at < code.length; at += 1) {
    if (code[at] === '\\') at += 1;
    else if (code[at] === quote || code[at] === '\n') return at;
  }
  return code.length;
}

const startsRegex = (code: string, at: number): boolean =>
  /(?:^|[(,=:[!&|?{};]|=>|\breturn)\s*$/.test(code.slice(Math.max(0, at - 40), at));

/** Returns true if the tag before the template is `sql`, with or without type arguments. */
function isTaggedSql(code: string, start: number): boolean {
  let at = start - 1;
  if (code[at] === '>') {
    for (let depth = 0; at >= 0; at -= 1) {
      if (code[at] === '>' && code[at - 1] !== '=') depth += 1;
      else if (code[at] === '<') depth -= 1;
      if (depth === 0) break;
    }
    at -= 1;
  }
  return /\bsql$/.test(code.slice(Math.max(0, at - 3), at + 1));
}

const relationKeywords = new Set(['from', 'join', 'into', 'update', 'using']);
const endsRelations = new Set(
  'where group order having limit offset for union except intersect returning set select values window'.split(
    ' ',
  ),
);

/** Returns the names where SQL expects a relation, and every name with a schema. */
export function relationsIn(text: string): string[] {
  const tokens =
    text
      .toLowerCase()
      .replaceAll(/--.*$/gm, ' ')
      .replaceAll(/'[^']*'/g, ' $ ')
      .match(/[a-z_]\w*(?:\.[a-z_]\w*)?|[$(),]/g) ?? [];
  const found: string[] = [];
  /** For each open parenthesis: true if another relation follows a comma. */
  const listing: boolean[] = [false];
  let expected = false;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1];
    if (token === '(') listing.push(false);
    else if (token === ')') listing.pop();
    else if (token === ',') {
      expected = listing.at(-1) ?? false;
      continue;
    } else if (isRelationKeyword(token, before)) {
      expected = true;
      if (token !== 'join') listing[listing.length - 1] = token === 'from' || token === 'using';
      continue;
    } else if (token === 'lateral' || token === 'only') continue;
    else if (endsRelations.has(token)) listing[listing.length - 1] = false;
    else if (token !== '$' && (expected || token.includes('.'))) found.push(token);
    expected = false;
  }
  return found;
}

/** `for update` and `do update` name no relation. */
const isRelationKeyword = (token: string, before: string | undefined): boolean =>
  relationKeywords.has(token) && !(token === 'update' && /^(?:for|key|do)$/.test(before ?? ''));
