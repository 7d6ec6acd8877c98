import type { PDFPageProxy } from 'pdfjs-dist';
import { readAppearances } from './pdf-appearances.ts';
import { isOnLine, type RunLine } from './pdf-lines.ts';
import type { PdfRun } from './pdf-reading-order.ts';

/** What pdf.js reports about an annotation. Files are free to omit or misuse any of it. */
interface Annotation {
  id?: string;
  subtype?: string;
  rect?: readonly number[];
  rotation?: number;
  fieldType?: string;
  fieldValue?: unknown;
  /** The lines that the field or the text box shows. */
  textContent?: readonly string[];
  contentsObj?: { str?: string };
  defaultAppearanceData?: { fontSize?: number };
  options?: readonly { exportValue?: string; displayValue?: string }[];
  combo?: boolean;
  password?: boolean;
  checkBox?: boolean;
  pushButton?: boolean;
  exportValue?: string;
  buttonValue?: string;
}

/** Text outside the content of a page. */
export interface AnnotationTexts {
  /** The values of form fields, which are read where they stand on the page. */
  fields: PdfRun[];
  /** Notes, comments, text boxes and stamps. */
  notes: string[];
}

export async function readAnnotations(page: PDFPageProxy): Promise<AnnotationTexts> {
  const annotations = (await page.getAnnotations()) as Annotation[]; // pdf.js has no type for them
  const drawn = annotations.some(isDrawn) ? await readAppearances(page) : new Map<string, string>();
  const texts: AnnotationTexts = { fields: [], notes: [] };
  for (const annotation of annotations) {
    const appearance = isDrawn(annotation) ? (drawn.get(annotation.id ?? '') ?? '') : '';
    if (annotation.subtype === 'Widget' && appearance === '') texts.fields.push(...fieldRuns(annotation));
    else if (annotation.subtype !== 'Popup' && annotation.subtype !== 'Link')
      texts.notes.push(...noteTexts(annotation, appearance));
  }
  return texts;
}

/** Whether only the drawing holds the text. */
const isDrawn = ({ subtype, fieldType, pushButton }: Annotation): boolean =>
  subtype === 'Stamp' || (subtype === 'Widget' && (fieldType === 'Sig' || pushButton === true));

const noteTexts = ({ contentsObj, textContent = [] }: Annotation, appearance: string): string[] => {
  const shown = appearance || textContent.join('\n');
  const written = contentsObj?.str ?? '';
  return [...new Set([shown, written].map((text) => text.trim()))].filter((text) => text !== '');
};

function fieldLines(field: Annotation): readonly string[] {
  const { fieldType, fieldValue, textContent = [], options = [] } = field;
  const values = [fieldValue].flat().filter((value) => typeof value === 'string');
  if (field.password === true) return [];
  if (fieldType === 'Btn') return [checkMark(isChecked(field))];
  if (fieldType === 'Ch') {
    const isChosen = (option: string | undefined) => option !== undefined && values.includes(option);
    const chosen = options.filter(
      ({ exportValue, displayValue }) => isChosen(exportValue) || isChosen(displayValue),
    );
    const toText = ({ displayValue, exportValue }: (typeof options)[number]) =>
      displayValue ?? exportValue ?? '';
    // A list shows all of its options. The value of an editable choice may be none of them.
    if (field.combo === false)
      return options.map((each) => `${checkMark(chosen.includes(each))} ${toText(each)}`);
    return chosen.length > 0 ? chosen.map(toText) : values;
  }
  return textContent.some((line) => line.trim() !== '')
    ? textContent
    : values.flatMap((value) => value.split(/\r\n?|\n/));
}

const checkMark = (checked: boolean): string => (checked ? '[x]' : '[ ]');

const isChecked = ({ fieldValue, checkBox, exportValue, buttonValue }: Annotation): boolean =>
  typeof fieldValue === 'string' &&
  fieldValue !== 'Off' &&
  fieldValue === (checkBox === true ? (exportValue ?? fieldValue) : buttonValue);

const usualFontSize = 10;
const lineHeight = 1.2;
/** Of the size of the font: from the baseline to the middle of the letters. */
const middleOfLetters = 0.35;

/** The lines of the value in the rectangle of the field, one below the other and in the middle. */
function fieldRuns(field: Annotation): PdfRun[] {
  const lines = fieldLines(field).map((line) => line.trim());
  const [left = 0, bottom = 0, right = 0, top = 0] = field.rect ?? [];
  const angle = field.rotation ?? 0;
  const [x, middle, end] = turn(angle, { left, bottom, right, top });
  const size = field.defaultAppearanceData?.fontSize || usualFontSize;
  const above = ((lines.length - 1) / 2) * lineHeight;
  const toRun = (text: string, index: number): PdfRun => ({
    text,
    direction: /[\p{sc=Arabic}\p{sc=Hebrew}]/u.test(text) ? 'rtl' : 'ltr',
    x,
    right: end,
    y: middle + (above - index * lineHeight - middleOfLetters) * size,
    fontSize: Math.round(size * 2) / 2,
    angle,
    followsBlank: true,
    isField: true,
  });
  return lines.map(toRun).filter(({ text }) => text !== '');
}

/** Returns both ends of a rectangle along text of this angle, and its middle across it. */
function turn(
  angle: number,
  { left, bottom, right, top }: Record<'left' | 'bottom' | 'right' | 'top', number>,
): [start: number, middle: number, end: number] {
  const [across, upright] = [(left + right) / 2, (bottom + top) / 2];
  switch (angle) {
    case 90:
      return [bottom, -across, top];
    case 180:
      return [-right, -upright, -left];
    case 270:
      return [-top, across, -bottom];
    default:
      return [left, upright, right];
  }
}

/** Adds the values of fields to the lines that they stand on, or as lines below the nearest line above. */
export function insertFields(lines: readonly RunLine[], fields: readonly PdfRun[]): RunLine[] {
  const result = lines.map((line) => [...line]);
  for (const field of fields) {
    const beside = nearest(
      result.filter((line) => isOnLine(line, field)),
      (line) => distance(line, field),
    );
    const above = nearest(result, ([run]) =>
      run?.angle === field.angle && run.y > field.y ? run.y - field.y : null,
    );
    // A field may state any size. The size of the text around it is not that of a heading.
    const run = { ...field, fontSize: (beside ?? above)?.[0]?.fontSize ?? field.fontSize };
    const next = beside?.findIndex(({ x }) => x > field.x) ?? -1;
    if (beside !== null) beside.splice(next === -1 ? beside.length : next, 0, run);
    else result.splice(above === null ? 0 : result.indexOf(above) + 1, 0, [run]);
  }
  return result;
}

const distance = (line: RunLine, { x, right }: PdfRun): number =>
  Math.min(...line.map((run) => Math.max(0, x - run.right, run.x - right)));

function nearest(lines: readonly RunLine[], measure: (line: RunLine) => number | null): RunLine | null {
  let best: RunLine | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const line of lines) {
    const measured = measure(line);
    if (measured !== null && measured < least) [best, least] = [line, measured];
  }
  return best;
}
