import { dateFromSerial, format, getFormatDateInfo, getFormatFromId, isDateFormat } from 'numfmt';
import type { XmlHandler } from './read-xml.ts';

export interface SheetStyles {
  handler: XmlHandler;
  /** Returns a number as the style shows it, but dates in the order year, month, day. */
  format(style: number, value: number): string;
}

/** Excel accepts no longer ones. */
const longestFormat = 255;
const daysBefore1904 = 1462;
/** Smaller ids are built in. */
const firstOwnFormat = 164;

type Format = (value: number) => string;

/** Collects the number formats of cells. Source: ECMA-376, part 1, 18.8.30 and 18.8.31. */
export function createSheetStyles(is1904: boolean): SheetStyles {
  const codes = new Map<number, string>();
  const styles: number[] = [];
  const formats = new Map<number, Format>();
  let isInCells = false;
  const createFormat = (style: number): Format => {
    const id = styles[style] ?? 0;
    const code = codes.get(id) ?? (id < firstOwnFormat ? getFormatFromId(id) : 'General');
    if (code === 'General' || code.length > longestFormat) return formatGeneral;
    return isDateFormat(code)
      ? createDateFormat(code, is1904 ? daysBefore1904 : 0)
      : (value) => clean(format(code, value, { throws: false }), value);
  };
  return {
    handler: {
      open(name, { numFmtId = '0', formatCode = '' }) {
        if (name === 'numFmt') codes.set(Number(numFmtId), formatCode);
        if (name === 'cellXfs') isInCells = true;
        if (name === 'xf' && isInCells) styles.push(Number(numFmtId));
      },
      close(name) {
        if (name === 'cellXfs') isInCells = false;
      },
    },
    format(style, value) {
      const known = formats.get(style) ?? createFormat(style);
      formats.set(style, known);
      return known(value);
    },
  };
}

/** Programs write 0.1 + 0.2 with more digits than they show. */
const formatGeneral: Format = (value) => String(Number(value.toPrecision(15)));

/** Formats may fill the width of a cell, or show nothing. */
function clean(shown: string, value: number): string {
  const text = shown.replaceAll(/\s+/g, ' ').trim();
  return text.includes('#') ? formatGeneral(value) : text;
}

function createDateFormat(code: string, shift: number): Format {
  const { year, month, day, hours, minutes } = getFormatDateInfo(code);
  const hasTime = hours || minutes;
  const isElapsed = /\[[hms]+\]/i.test(code);
  const show = (value: number): string =>
    clean(format(code, value, { throws: false }), value).replace(/^(\d+:\d\d):00$/, '$1');
  return (value) => {
    if (isElapsed || !(month && year)) return show(value);
    const date = dateFromSerial(value + shift);
    if (date === undefined || value < 0) return formatGeneral(value);
    const [y = 0, ...rest] = date;
    const [m, d, h, min] = rest.map((part) => String(part).padStart(2, '0'));
    const shown = [String(y).padStart(4, '0'), m, ...(day ? [d] : [])].join('-');
    return hasTime ? `${shown} ${h}:${min}` : shown;
  };
}
