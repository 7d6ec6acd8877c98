import { honestPart, makeZip, type ZipPart } from './make-zip.ts';

const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';
const wordType = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const relationships = 'http://schemas.openxmlformats.org';

/** Returns a minimal docx with this WordprocessingML body, followed by the `extra` parts. */
export function makeDocx(body: string, extra: readonly ZipPart[] = []): Buffer {
  return makeZip([
    honestPart(
      '[Content_Types].xml',
      `<Types xmlns="${relationships}/package/2006/content-types">` +
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
        `<Override PartName="/word/document.xml" ContentType="${wordType}.document.main+xml"/></Types>`,
    ),
    honestPart(
      '_rels/.rels',
      `<Relationships xmlns="${relationships}/package/2006/relationships"><Relationship Id="r1" ` +
        `Type="${relationships}/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    ),
    honestPart('word/document.xml', `<w:document ${namespace}><w:body>${body}</w:body></w:document>`),
    ...extra,
  ]);
}

/** A paragraph; `style` is a style id such as `Heading1`. */
export function docxParagraph(text: string, style?: string): string {
  const properties = style === undefined ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`;
  return `<w:p>${properties}<w:r><w:t xml:space="preserve">${text}</w:t></w:r></w:p>`;
}
