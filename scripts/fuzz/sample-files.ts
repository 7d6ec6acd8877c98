import { readFile } from 'node:fs/promises';
import { docxParagraph, makeDocx } from '../../server/test/documents/make-docx.ts';
import { makePdf, textLines } from '../../server/test/documents/make-pdf.ts';
import type { SampleFiles } from '../../server/test/openapi/requests.ts';

/** Documents of all types that the API accepts, mostly plain texts, which are extracted fastest. */
export async function sampleFiles(): Promise<SampleFiles> {
  const letter = new URL('../../server/test/fixtures/documents/letter.doc', import.meta.url);
  return [
    { name: 'rental.txt', bytes: Buffer.from('A deposit of forty euros is taken for each bicycle.') },
    { name: 'Öffnungszeiten 字典.txt', bytes: Buffer.from('Wir öffnen um neun.\n\n字典 und مكتب.') },
    { name: 'a"b%00;.txt', bytes: Buffer.from('One line.') },
    { name: '../../up.txt', bytes: Buffer.from('Two\r\nlines.') },
    { name: 'prices.docx', bytes: makeDocx(docxParagraph('A bicycle costs nine euros an hour.')) },
    { name: 'handbook.pdf', bytes: await makePdf([textLines(['Helmets are free of charge.'])]) },
    { name: 'letter.doc', bytes: await readFile(letter) },
  ];
}
