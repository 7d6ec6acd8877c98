import { type ExtractedText, ExtractionError } from './extraction.ts';
import { type OfficePackage, ofType, openOfficePackage } from './office-package.ts';
import { type TextBlock, toExtractedText } from './sections.ts';
import { collectStrings, createSheetMarkup } from './sheet-markup.ts';
import { createSheetStyles } from './sheet-styles.ts';
import { createCellCounter, tableBlocks } from './table-rows.ts';

interface Sheet {
  id: string;
  name: string;
}

interface Workbook {
  /** Without hidden ones, in the order of their tabs. */
  sheets: Sheet[];
  /** Whether dates count from 1904. */
  is1904: boolean;
}

/** Reads the values of the visible cells, as the program shows them. Formulas, comments, charts and drawings are not read. */
export async function readXlsx(bytes: Uint8Array, maxInflatedBytes: number): Promise<ExtractedText> {
  const file = await openOfficePackage('xlsx', bytes, maxInflatedBytes);
  const related = await file.findRelated(file.mainPart);
  const workbook = await readWorkbook(file);
  const styles = createSheetStyles(workbook.is1904);
  for (const { part } of ofType(related, ['styles'])) await file.read(part, styles.handler);
  const strings: string[] = [];
  for (const { part } of ofType(related, ['sharedStrings'])) await file.read(part, collectStrings(strings));

  const count = createCellCounter();
  const blocks: TextBlock[] = [];
  for (const { id, name } of workbook.sheets) {
    const worksheets = ofType(related, ['worksheet']).filter((relationship) => relationship.id === id);
    for (const { part } of worksheets) {
      const sheet = createSheetMarkup({ strings, format: styles.format, count });
      await file.read(part, sheet.handler);
      const rows = sheet.takeRows();
      if (rows.some(({ cells }) => cells.length > 0))
        blocks.push({ page: null, isHeading: true, text: name });
      for (const block of tableBlocks(rows)) blocks.push(block);
    }
  }
  return toExtractedText(blocks);
}

async function readWorkbook(file: OfficePackage): Promise<Workbook> {
  const workbook: Workbook = { sheets: [], is1904: false };
  const found = await file.read(file.mainPart, {
    open(name, { id = '', name: title = '', state = 'visible', date1904 = '' }) {
      if (name === 'workbookPr') workbook.is1904 = date1904 === '1' || date1904 === 'true';
      if (name === 'sheet' && state === 'visible') workbook.sheets.push({ id, name: title });
    },
  });
  if (!found) throw new ExtractionError('unreadable', 'The document has no main part');
  return workbook;
}
