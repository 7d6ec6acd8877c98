import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Allowed, allowed, coinedNames, phrases } from './prose-rules.ts';

interface Finding {
  line: number;
  text: string;
  instead: string;
}

/** Files whose text is data, generated, or fixed by a checksum. */
const excluded = [
  /^server\/migrations\//,
  /package-lock\.json$/,
  /^bench\/(answers\/sets|results)\//,
  /^docs\/chaos-results\.md$/,
  /^scripts\/check\/prose/,
  /\.generated\.ts$/,
  // Texts that the bots send, and word lists of natural languages.
  /canned-replies\.ts$/,
  /\/(small-talk|phrases|word-lists)\.json$/,
];
const included = /\.(ts|js|md|json|jsonc|html|css|yml|lua)$|(^|\/)run$/;

/** Between two words of a phrase: white space, also where a comment continues on the next line. */
const gap = String.raw`\s+(?:(?:\/\/|\*|--)\s+)?`;

const searches = [
  ...phrases.map(({ forms, instead }) => ({ pattern: phrasePattern(forms), instead })),
  ...coinedNames.map(({ forms, instead }) => ({ pattern: namePattern(forms), instead })),
];

function phrasePattern(forms: readonly string[]): RegExp {
  return new RegExp(`\\b(?:${forms.map((form) => form.replaceAll(' ', gap)).join('|')})\\b`, 'gi');
}

/** Matches names, singular or plural, by themselves and within identifiers: `joint work`, `joint-work`, `jointWork`, `JointWork`. */
function namePattern(forms: readonly string[]): RegExp {
  const anyCase = (word: string) => `[${word.charAt(0)}${word.charAt(0).toUpperCase()}]${word.slice(1)}`;
  const alternatives = forms.flatMap((form) => {
    const [first = '', ...rest] = form.split(' ');
    const tail = rest.map((word) => `(?:${gap}|[-_])?${anyCase(word)}`).join('');
    const capitalized = first.charAt(0).toUpperCase() + first.slice(1);
    return [`(?<![A-Za-z])${anyCase(first)}${tail}s?(?![a-z])`, `(?<=[a-z])${capitalized}${tail}s?(?![a-z])`];
  });
  return new RegExp(alternatives.join('|'), 'g');
}

/** Lists the phrases of one file. Questions, quoted speech and Markdown code are left out. */
export function findPhrases(
  path: string,
  source: string,
  exceptions: readonly Allowed[] = allowed,
): Finding[] {
  const text = maskQuotations(path, source);
  const lines = source.split('\n');
  const inText = searches.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)]
      .filter(({ 0: match, index }) => !isInQuestion(text.slice(index + match.length)))
      .map(({ 0: match, index }) => {
        const line = text.slice(0, index).split('\n').length;
        return { line, text: match.replaceAll(/\s+(?:(?:\/\/|\*|--)\s+)?/g, ' '), instead };
      }),
  );
  const inPath = searches.flatMap(({ pattern, instead }) =>
    [...path.matchAll(pattern)].map(([match]) => ({ line: 0, text: match, instead })),
  );
  return [...inPath, ...inText]
    .filter(({ line }) => !exceptions.some((e) => e.path.test(path) && e.line.test(lines[line - 1] ?? path)))
    .sort((a, b) => a.line - b.line);
}

/** Replaces quoted speech and Markdown code by spaces, so that positions stay. */
function maskQuotations(path: string, source: string): string {
  const blank = (text: string): string => text.replaceAll(/[^\n]/g, ' ');
  const speech = source.replaceAll(/“[^”]*”/g, blank);
  if (!path.endsWith('.md')) return speech;
  return speech
    .replaceAll(/^```[\s\S]*?^```/gm, blank)
    .replaceAll(/^ {4}.*$/gm, blank)
    .replaceAll(/`[^`\n]*`/g, blank)
    .replaceAll(/"[^"]*"/g, blank);
}

/** Returns true if the sentence that continues with `rest` ends with a question mark. */
const isInQuestion = (rest: string): boolean => /^[^.!?\n]*\?/.test(rest);

if (import.meta.main) {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' })
    .split('\n')
    .filter((path) => included.test(path) && !excluded.some((pattern) => pattern.test(path)));
  let count = 0;
  for (const path of files) {
    for (const { line, text, instead } of findPhrases(path, readFileSync(path, 'utf8'))) {
      count += 1;
      process.stdout.write(`${path}:${line}: "${text}": write ${instead}\n`);
    }
  }
  process.exit(count === 0 ? 0 : 1);
}
