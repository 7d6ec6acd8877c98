import { honestPart, makeZip, type ZipPart } from './make-zip.ts';

const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml';

interface Workbook {
  /** SpreadsheetML of the one worksheet. */
  sheet: string;
  sharedStrings?: string;
  styles?: string;
  workbookProperties?: string;
  extra?: readonly ZipPart[];
}

export function makeXlsx({
  sheet,
  sharedStrings = '',
  styles = '',
  workbookProperties = '',
  extra = [],
}: Workbook): Buffer {
  const related = (parts: [type: string, target: string][]): string =>
    `<Relationships>${parts
      .map(
        ([type, target], index) =>
          `<Relationship Id="r${index + 1}" Type="${relationships}/${type}" Target="${target}"/>`,
      )
      .join('')}</Relationships>`;
  return makeZip([
    honestPart(
      '[Content_Types].xml',
      `<Types><Override PartName="/xl/workbook.xml" ContentType="${workbookType}"/></Types>`,
    ),
    honestPart('_rels/.rels', related([['officeDocument', 'xl/workbook.xml']])),
    honestPart(
      'xl/workbook.xml',
      `<workbook xmlns:r="${relationships}">${workbookProperties}<sheets><sheet name="Prices" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    honestPart(
      'xl/_rels/workbook.xml.rels',
      related([
        ['worksheet', 'worksheets/sheet1.xml'],
        ['sharedStrings', 'sharedStrings.xml'],
        ['styles', 'styles.xml'],
      ]),
    ),
    honestPart('xl/worksheets/sheet1.xml', `<worksheet>${sheet}</worksheet>`),
    honestPart('xl/sharedStrings.xml', `<sst>${sharedStrings}</sst>`),
    honestPart('xl/styles.xml', `<styleSheet>${styles}</styleSheet>`),
    ...extra,
  ]);
}

/** A row of cells with these texts or numbers; null leaves a cell out. */
export const sheetRow = (...cells: (string | number | null)[]): string =>
  `<row>${cells
    .map((cell) => {
      if (cell === null) return '<c/>';
      return typeof cell === 'number'
        ? `<c><v>${cell}</v></c>`
        : `<c t="inlineStr"><is><t>${cell}</t></is></c>`;
    })
    .join('')}</row>`;
