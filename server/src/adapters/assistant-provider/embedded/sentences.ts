/** Half-open range of a text. */
export interface Span {
  start: number;
  end: number;
}

const END_OF_SENTENCE = /[.!?…。！？]["'”’»)\]]*\s+(?=["'“„«(¿¡[]*[\p{Lu}\p{N}])|[。！？]/gu;

/** Written with a full stop that ends no sentence, in the languages the provider speaks. */
const ABBREVIATIONS = new Set(
  (
    'dr mr mrs ms st sr sra srta jr prof hr fr frl dipl ing no nr núm num vs etc bzw ca chr vol fig approx inc ltd co corp ' +
    'gen col lt capt sgt rev hon bd evtl ggf inkl max min mio mrd sog vgl usw str tel art abs aufl hrsg geb gest pág pag ' +
    'págs dpto av avda cía ej máx mín p pp jan feb mar apr jun jul aug sep sept oct okt nov dec dez mlle mme sig'
  ).split(' '),
);

/** The sentences of a text, trimmed, in order. What stands on a line of its own (list, table) counts as one. */
export function splitSentences(text: string): Span[] {
  const spans: Span[] = [];
  for (const line of unwrappedLines(text)) {
    let start = line.start;
    for (const match of text.slice(line.start, line.end).matchAll(END_OF_SENTENCE)) {
      const end = line.start + match.index + match[0].length;
      if (endsInAbbreviation(text.slice(start, line.start + match.index + 1))) continue;
      pushTrimmed(spans, text, start, end);
      start = end;
    }
    pushTrimmed(spans, text, start, line.end);
  }
  return spans;
}

/** Letters, full stop included: as many of a sentence tell whether it ends in an abbreviation, however long it is. */
const MORE_THAN_AN_ABBREVIATION = 12;

/** A single letter, a known abbreviation or a short ordinal (`19. Jahrhundert`) before the full stop. */
function endsInAbbreviation(head: string): boolean {
  const last = /([\p{L}\p{M}]+|\p{N}+)\.$/u.exec(head.slice(-MORE_THAN_AN_ABBREVIATION))?.[1];
  if (last === undefined) return false;
  if (/^\p{N}/u.test(last)) return last.length <= 2;
  return last.length === 1 || ABBREVIATIONS.has(last.toLowerCase());
}

const WRAPPED_LINE_LENGTH = 60;

/** Lines that only ran out of paper are joined; lines that were meant stay apart. */
function unwrappedLines(text: string): Span[] {
  const lines: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(/[^\S\n]*\n\s*/g)) {
    const before = text.slice(start, match.index);
    const after = text.slice(match.index + match[0].length);
    const lastLine = before.slice(before.lastIndexOf('\n') + 1);
    const wrapped = /^[\p{Ll}]/u.test(after) || lastLine.length > WRAPPED_LINE_LENGTH;
    if (wrapped && !/^(?:[-*•–]|\p{N}+[.)])\s/u.test(after)) continue;
    lines.push({ start, end: match.index });
    start = match.index + match[0].length;
  }
  lines.push({ start, end: text.length });
  return lines;
}

function pushTrimmed(spans: Span[], text: string, start: number, end: number): void {
  const piece = text.slice(start, end);
  const from = start + (piece.length - piece.trimStart().length);
  const to = start + piece.trimEnd().length;
  if (to > from) spans.push({ start: from, end: to });
}
