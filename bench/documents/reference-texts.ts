/** Reads the text of a file with programs that share no code with Parley's readers. */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { DocumentType } from '../../server/src/knowledge/documents/document-type.ts';

/**
 * Returns the texts of the programs that can read the file. Each has faults of its own: pdftotext cannot map some
 * old fonts, antiword and catdoc guess the code page of old files. Returns none if nothing tells the encoding of a text.
 */
export async function readReferences(type: DocumentType, path: string): Promise<string[]> {
  const texts = await Promise.all(readings(type, path));
  return texts.filter((text) => text !== null);
}

function readings(type: DocumentType, path: string): Promise<string | null>[] {
  switch (type) {
    case 'pdf':
      return [
        run('pdftotext', ['-enc', 'UTF-8', path, '-']),
        run('mutool', ['draw', '-q', '-F', 'txt', '-o', '-', path]),
      ];
    case 'doc':
      return [
        run('antiword', ['-m', 'UTF-8.txt', '-w', '0', path]).then(withoutPictures),
        ...['cp1252', 'cp1251'].map((codePage) => readByCatdoc(path, codePage)),
      ];
    case 'docx':
      return [readDocx(path)];
    case 'txt':
    case 'md':
    case 'csv':
      return [readTxt(path)];
    case 'html':
      return [run('lynx', ['-dump', '-nolist', '-width=1000', path])];
    case 'xlsx':
      return [readParts(path, ['xl/sharedStrings.xml'])];
    case 'pptx':
      return [readParts(path, ['ppt/slides/slide*.xml'])];
    default:
      return type satisfies never;
  }
}

const fieldInstruction =
  /\b(?:HYPERLINK|PAGEREF|REF|MACROBUTTON|PAGE|NUMPAGES|FILENAME|STYLEREF|TOC)\b(?: +(?:["“][^"”]*["”]|\\[a-z*]|(?<=MACROBUTTON +)\w+|(?<=REF +)\w+))*/g;

const timeoutMs = 30_000;

/** Returns null if the program fails or writes nothing. */
async function run(command: string, args: readonly string[], accepted = [0]): Promise<string | null> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'], timeout: timeoutMs });
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  const text = Buffer.concat(chunks).toString();
  return code !== null && accepted.includes(code) && text.trim() !== '' ? text : null;
}

const withoutPictures = (text: string | null): string | null => text?.replaceAll('[pic]', '') ?? null;

/** catdoc prints the instructions of fields, and also prints files that are no Word documents, so it reads compound files only. */
async function readByCatdoc(path: string, codePage: string): Promise<string | null> {
  const isCompoundFile = (await readFile(path)).subarray(0, 4).toString('hex') === 'd0cf11e0';
  if (!isCompoundFile) return null;
  const text = await run('catdoc', ['-s', codePage, '-d', 'utf-8', '-w', path]);
  return text?.replaceAll(fieldInstruction, ' ') ?? null;
}

/** The texts of the main part, the footnotes and the endnotes. Deleted text is not shown. */
async function readDocx(path: string): Promise<string | null> {
  // With 1, unzip has read the part but found something odd in the archive.
  const part = (name: string) => run('unzip', ['-p', path, name.replaceAll(/[[\]]/g, '\\$&')], [0, 1]);
  const main = (await findMainPart(part)) ?? 'word/document.xml';
  const folder = main.slice(0, main.lastIndexOf('/') + 1);
  const body = await part(main);
  if (body === null) return null;
  const notes = await Promise.all(['footnotes.xml', 'endnotes.xml'].map((name) => part(folder + name)));
  return [body, ...notes].map((xml) => (xml === null ? '' : toText(xml))).join('\n');
}

async function findMainPart(part: (name: string) => Promise<string | null>): Promise<string | null> {
  const relationships = (await part('_rels/.rels')) ?? '';
  const main = relationships.match(/<[^>]*\/relationships\/officeDocument"[^>]*>/)?.[0];
  return main?.match(/Target="\/?([^"]+)"/)?.[1] ?? null;
}

const toText = (xml: string): string =>
  xml
    .replaceAll(/<mc:Fallback\b.*?<\/mc:Fallback>/gs, '')
    .replaceAll(/<(w:(?:delText|instrText|rt)|mc:Fallback)\b.*?<\/\1>/gs, '')
    .replaceAll(/<w:(?:tab|br|cr)\b[^>]*>|<\/w:p>/g, '\n')
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&apos;', "'")
    .replaceAll('&amp;', '&');

/** Names of chardet's folders that iconv spells differently. */
const iconvNames: Readonly<Record<string, string>> = {
  'utf-8-sig': 'utf-8',
  MacCyrillic: 'MAC-CYRILLIC',
  MacRoman: 'MACINTOSH',
};

/** Decodes by the encoding before `__` in the name, as in `windows-1255-hebrew__page.txt`, or else as UTF-8. */
async function readTxt(path: string): Promise<string | null> {
  const named = /^(.+?)(?:-(?!sig_)[a-z]{3,})?__/.exec(basename(path))?.[1];
  const encoding = named === undefined ? null : (iconvNames[named] ?? named);
  const decoded =
    encoding === null ? null : await run('iconv', ['-c', '-f', encoding, '-t', 'UTF-8', path], [0, 1]);
  if (decoded !== null) return decoded;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path));
  } catch {
    return null;
  }
}

/** The texts of parts of an Office file. */
async function readParts(path: string, parts: readonly string[]): Promise<string | null> {
  const xml = await run('unzip', ['-p', path, ...parts], [0, 1]);
  return xml === null ? null : toText(xml);
}
