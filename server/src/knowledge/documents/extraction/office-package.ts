import { isCompoundFile } from '../compound-file.ts';
import { findArchive, openArchive, type ZipEntry } from '../zip-archive.ts';
import { ExtractionError } from './extraction.ts';
import { readXml, type XmlHandler } from './read-xml.ts';

/** An Office file as parts that refer to each other. Source: ECMA-376, part 2 (Open Packaging Conventions). */
export interface OfficePackage {
  mainPart: string;
  /** Returns false if the package lacks the part. Counts the unpacked bytes of all parts together. */
  read(part: string, handler: XmlHandler): Promise<boolean>;
  findRelated(part: string): Promise<Relationship[]>;
}

export interface Relationship {
  id: string;
  /** The last segment of its URI, which is the same in the transitional and the strict variant. */
  type: string;
  part: string;
}

export const ofType = (related: readonly Relationship[], types: readonly string[]): Relationship[] =>
  related.filter(({ type }) => types.includes(type));

const xmlPart = /\.(?:xml|rels)$/;
type OfficeType = 'docx' | 'xlsx' | 'pptx';

const mainParts: Readonly<Record<OfficeType, { contentType: RegExp; usualName: string }>> = {
  docx: {
    contentType: /wordprocessingml\.(?:document|template)\.main\+xml$|ms-word\.\w+\.macroEnabledTemplate/i,
    usualName: 'word/document.xml',
  },
  xlsx: { contentType: /spreadsheetml\.(?:sheet|template)\.main\+xml$/i, usualName: 'xl/workbook.xml' },
  pptx: {
    contentType: /presentationml\.(?:presentation|template|slideshow)\.main\+xml$/i,
    usualName: 'ppt/presentation.xml',
  },
};
/** A poor program may write a part that is longer than its content. */
const maxDeflateGrowth = 1.1;
const maxDeflateOverhead = 1024;

/** Part names ignore case. Pictures, fonts and embedded files are never unpacked. */
export async function openOfficePackage(
  type: OfficeType,
  bytes: Uint8Array,
  maxInflatedBytes: number,
): Promise<OfficePackage> {
  // Office encrypts the whole archive and wraps it in a compound file ([MS-OFFCRYPTO] 1.3.3).
  if (isCompoundFile(bytes)) throw new ExtractionError('encrypted', 'The document is encrypted');
  const entries = await listParts(bytes, maxInflatedBytes);
  let inflated = 0;
  async function* unpack(entry: PackageEntry): AsyncGenerator<Buffer> {
    if (entry.isEncrypted()) throw new ExtractionError('encrypted', 'A part of the document is encrypted');
    for await (const chunk of await entry.open()) {
      inflated += chunk.length;
      if (inflated > maxInflatedBytes) throw tooLarge(maxInflatedBytes);
      yield chunk;
    }
  }
  const read: OfficePackage['read'] = async (part, handler) => {
    const entry = entries.get(part.toLowerCase());
    if (entry === undefined) return false;
    await readXml(unpack(entry), handler);
    return true;
  };
  const findRelated = async (part: string): Promise<Relationship[]> => {
    const found: Relationship[] = [];
    await read(relationshipsOf(part), {
      open(name, { Id = '', Type = '', Target = '', TargetMode = '' }) {
        if (name !== 'Relationship' || TargetMode === 'External') return;
        found.push({ id: Id, type: Type.split('/').at(-1) ?? '', part: resolveTarget(part, Target) });
      },
    });
    return found;
  };
  return { mainPart: await findMainPart(type, entries, read, findRelated), read, findRelated };
}

type PackageEntry = ZipEntry & { open(): Promise<AsyncIterable<Buffer>> };

const tooLarge = (maxInflatedBytes: number): ExtractionError =>
  new ExtractionError('too_large', `The document unpacks to more than ${maxInflatedBytes} bytes`);

/** Checks the declared sizes before anything is unpacked. */
async function listParts(bytes: Uint8Array, maxInflatedBytes: number): Promise<Map<string, PackageEntry>> {
  const found = findArchive(bytes);
  if (found === null) throw new ExtractionError('unreadable', 'The document is not a ZIP archive');
  const archive = await openArchive(found);
  if (archive === null) throw new ExtractionError('too_large', 'The document has too many parts');
  const parts = new Map<string, PackageEntry>();
  let declared = 0;
  for (const entry of archive.entries) {
    const name = entry.name.toLowerCase();
    if (!xmlPart.test(name)) continue;
    declared += entry.uncompressedSize;
    const plausible = entry.uncompressedSize * maxDeflateGrowth + maxDeflateOverhead;
    if (declared > maxInflatedBytes || entry.compressedSize > plausible) throw tooLarge(maxInflatedBytes);
    parts.set(name, Object.assign(entry, { open: () => archive.openStream(entry) }));
  }
  return parts;
}

async function findMainPart(
  type: OfficeType,
  entries: ReadonlyMap<string, unknown>,
  read: OfficePackage['read'],
  findRelated: OfficePackage['findRelated'],
): Promise<string> {
  const { contentType, usualName } = mainParts[type];
  const candidates = (await findRelated(''))
    .filter((relationship) => relationship.type === 'officeDocument')
    .map(({ part }) => part);
  await read('[Content_Types].xml', {
    open(name, { PartName = '', ContentType = '' }) {
      if (name === 'Override' && contentType.test(ContentType)) candidates.push(resolveTarget('', PartName));
    },
  });
  const found = [...candidates, usualName].find((part) => entries.has(part.toLowerCase()));
  if (found === undefined) throw new ExtractionError('unreadable', 'The document has no main part');
  return found;
}

function relationshipsOf(part: string): string {
  const folder = part.slice(0, part.lastIndexOf('/') + 1);
  return `${folder}_rels/${part.slice(folder.length)}.rels`;
}

/** Resolves a path that is relative to the folder of `part`, or to the package if it begins with a slash. */
function resolveTarget(part: string, target: string): string {
  const url = URL.parse(target.replaceAll('\\', '/'), `part:///${part}`);
  try {
    return decodeURIComponent(url?.pathname ?? '').replace(/^\/+/, '');
  } catch {
    return target; // a percent sign that escapes nothing
  }
}
