/** `p1`, `q2`, `^p1`, `p1†source` */
const id = /^\^?[pq]\d{1,3}(?:†.*)?$/;
/** `4:0†source`, as models of OpenAI cite files. */
const foreignId = /^\d{1,3}(?::\d{1,3})?†/;
const separators = /\s{0,3}(?:[,;&]|\band\b|\bund\b|\by\b|\be\b|\bet\b)\s{0,3}/;
const namedSource =
  /^(?:[\p{L} ]{1,24}:\s{0,3}|(?:see|from|source|sources|ref|reference|id|ids|via)\s{1,3})/iu;
const sourceLine = /^\p{L}{3,12}(?: \p{L}{2,12})?:\s{0,3}(?=[[(【]?[pq]\d)/u;

/** Removes the ids of knowledge items, which mean nothing to a contact: `[p1]`, `(source: p1, q2)`, `【p1】`. */
export function removeCitations(text: string, known: ReadonlySet<string>): string {
  const withoutLines = text
    .split('\n')
    .filter((line) => !isSourceLine(line, known))
    .join('\n');
  return withoutLines.replaceAll(
    /[ \t]{0,3}(\[|\(|【)([^[\]()【】\n]{1,200})[\])】]/g,
    (match, bracket: string, content: string) => (isCitation(content, bracket, known) ? '' : match),
  );
}

function isCitation(content: string, bracket: string, known: ReadonlySet<string>): boolean {
  const label = namedSource.exec(content)?.[0] ?? '';
  const ids = content.slice(label.length).trim().split(separators);
  return ids.every((written) => {
    if (known.has(written)) return true;
    // Text in round brackets may be about anything.
    if (bracket === '(' && label === '') return false;
    return id.test(written) || (bracket === '【' && foreignId.test(written));
  });
}

function isSourceLine(line: string, known: ReadonlySet<string>): boolean {
  const written = line.trim();
  const label = sourceLine.exec(written)?.[0];
  if (label === undefined) return false;
  const ids = written
    .slice(label.length)
    .replaceAll(/[[\]()【】.]/g, ' ')
    .trim();
  return ids.split(/[\s,;&]{1,5}/).every((each) => known.has(each) || id.test(each));
}
