/**
 * Compares the text that Parley reads from the files of folders with the text that other programs read, and prints a table.
 * Needs pdftotext, mutool, antiword, catdoc, lynx, unzip and iconv.
 */
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { readOptionsAndPaths, refuseUse } from '../../scripts/command-line.ts';
import { getExtension, parseDocumentName } from '../../server/src/knowledge/documents/document-name.ts';
import {
  type DocumentType,
  detectDocumentType,
  documentTypes,
} from '../../server/src/knowledge/documents/document-type.ts';
import { ExtractionError } from '../../server/src/knowledge/documents/extraction/extraction.ts';
import {
  createExtractor,
  type Extractor,
  extractionLimits,
} from '../../server/src/knowledge/documents/extraction/extractor.ts';
import { findReaderLaunch } from '../../server/src/knowledge/documents/extraction/reader-isolation.ts';
import { readReferences } from './reference-texts.ts';

const usage = 'npm run bench:documents -- FOLDER… [--files]   (--files lists the files below the goal)';
/** A file with fewer words in its reference is not compared. */
const fewestWords = 5;
const goodShare = 0.8;

/** In scripts without spaces each letter counts as a word. */
const word =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

const softHyphen = /\u00ad/g;

const toWords = (text: string): string[] =>
  text.normalize('NFKC').replaceAll(softHyphen, '').toLowerCase().match(word) ?? [];

interface Reading {
  path: string;
  refusal: string | null;
  /** Of the words of the reference that fits best. Null if the file is not compared. */
  share: number | null;
}

const { values, paths } = readOptionsAndPaths(usage, { files: { type: 'boolean', default: false } });
if (paths.length === 0) refuseUse(usage, 'Name at least one folder');
const silent = { info: () => undefined, warn: () => undefined };
const launch = await findReaderLaunch(silent);
const files = (await Promise.all(paths.map(listFiles))).flat().sort();

const rows: string[][] = [];
for (const type of documentTypes) {
  const ofType = files.filter((path) => getExtension(path) === type);
  if (ofType.length === 0) continue;
  const { readings, cpuSeconds } = await readAll(type, ofType);
  rows.push([type, ...summarize(readings), cpuSeconds.toFixed(1)]);
  if (values.files) for (const reading of readings) printIfBelowGoal(reading);
}
const heading = [
  'type',
  'files',
  'accepted',
  'compared',
  '80% of the words',
  'readable',
  'refused though readable',
  'CPU s',
];
for (const cells of [heading, heading.map(() => '---'), ...rows]) console.log(`| ${cells.join(' | ')} |`);

async function listFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Reads all files as uploads are read, and then the references, so that the CPU time is that of Parley's readers. */
async function readAll(type: DocumentType, ofType: readonly string[]) {
  const limits = { ...extractionLimits, concurrency: 1 };
  const extractor = createExtractor({ ...limits, findLaunch: async () => launch, logger: silent });
  const before = await readChildrenCpuSeconds();
  const texts: { path: string; text: string; refusal: string | null }[] = [];
  for (const path of ofType) texts.push({ path, ...(await readUpload(extractor, path)) });
  await extractor.close();
  const cpuSeconds = (await readChildrenCpuSeconds()) - before;
  const readings: Reading[] = [];
  for (const { path, text, refusal } of texts) {
    const references = (await readReferences(type, path)).map(toWords);
    // The first program decides whether a file has text. The others may correct it.
    const isCompared = (references[0]?.length ?? 0) >= fewestWords;
    const read = toWords(text);
    const shares = references.filter(({ length }) => length > 0).map((words) => shareOf(words, read));
    readings.push({ path, refusal, share: isCompared ? Math.max(...shares) : null });
  }
  return { readings, cpuSeconds };
}

async function readUpload(
  extractor: Extractor,
  path: string,
): Promise<{ text: string; refusal: string | null }> {
  const bytes = await readFile(path);
  const named = parseDocumentName(basename(path).slice(-100));
  if (!named.ok) return { text: '', refusal: named.reason };
  const typed = await detectDocumentType(bytes, named.name);
  if (!typed.ok) return { text: '', refusal: typed.reason };
  try {
    // Each file has its own team, so that no file waits for the time that earlier ones wasted.
    const { sections } = await extractor.extract({ type: typed.type, bytes }, { teamId: path });
    const parts = [...sections].flatMap(({ heading, text }) => (heading === null ? [text] : [heading, text]));
    return { text: parts.join('\n'), refusal: null };
  } catch (error) {
    if (error instanceof ExtractionError)
      return { text: '', refusal: `${error.reason}: ${error.message.split('\n')[0]}` };
    throw error;
  }
}

/** CPU time of the child processes that have ended. */
async function readChildrenCpuSeconds(): Promise<number> {
  const stat = await readFile('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function shareOf(expected: readonly string[], read: readonly string[]): number {
  const left = new Map<string, number>();
  for (const each of read) left.set(each, (left.get(each) ?? 0) + 1);
  let found = 0;
  for (const each of expected) {
    const count = left.get(each) ?? 0;
    if (count === 0) continue;
    left.set(each, count - 1);
    found += 1;
  }
  return found / expected.length;
}

function summarize(readings: readonly Reading[]): string[] {
  const accepted = readings.filter(({ refusal }) => refusal === null);
  const readable = readings.filter(({ share }) => share !== null);
  const compared = accepted.filter(({ share }) => share !== null);
  const good = compared.filter(({ share }) => share !== null && share >= goodShare);
  const refused = readable.filter(({ refusal }) => refusal !== null);
  const counts = [readings, accepted, compared].map(({ length }) => String(length));
  return [...counts, count(good, compared), String(readable.length), count(refused, readable)];
}

function count(some: readonly Reading[], all: readonly Reading[]): string {
  return `${some.length} (${all.length === 0 ? '–' : ((some.length / all.length) * 100).toFixed(1)}%)`;
}

function printIfBelowGoal({ path, refusal, share }: Reading): void {
  if (share === null || (refusal === null && share >= goodShare)) return;
  console.log(`${refusal ?? `${Math.round(share * 100)}%`}\t${path}`);
}
