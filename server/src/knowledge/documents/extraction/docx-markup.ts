import { hex as symbolToUnicode } from 'dingbat-to-unicode';
import { DocxFlow } from './docx-flow.ts';
import { type DocxStyles, isHeadingLevel } from './docx-styles.ts';
import { readInstruction } from './field-instructions.ts';
import type { XmlHandler } from './read-xml.ts';
import type { TextBlock } from './sections.ts';

type Attributes = Readonly<Record<string, string>>;

interface Field {
  isInstruction: boolean;
  instruction: string;
  /** A form field may have a value instead of a result. */
  value: string;
  visibleBefore: number;
}

const frames: Readonly<Record<string, 'paragraph' | 'table' | 'row' | 'cell'>> = {
  p: 'paragraph',
  tbl: 'table',
  tr: 'row',
  tc: 'cell',
};

/**
 * Elements without visible text: deleted text, the reading of ruby annotations, properties of content controls, tab stops, and
 * earlier properties of tracked changes.
 */
const hidden = /^(?:delText|delInstrText|moveFrom|rt|sdtPr|tabs|\w+PrChange)$/;

const literals: Readonly<Record<string, string>> = {
  tab: '\t',
  ptab: '\t',
  br: '\n',
  cr: '\n',
  noBreakHyphen: '-',
};

/** Reads WordprocessingML and the text of drawings. Source: ECMA-376, part 1, 17 and 21.1.2; part 3 (alternate content). */
export class DocxMarkup implements XmlHandler {
  /** Ids of notes, in the order of their references. */
  readonly notes = new Set<string>();
  /** Ids of relationships to the data of diagrams. */
  readonly diagrams: string[] = [];
  readonly #styles: DocxStyles;
  readonly #onNote: (id: string, blocks: TextBlock[]) => void;
  readonly #flow = new DocxFlow();
  readonly #path: string[] = [];
  readonly #fields: Field[] = [];
  /** For each open alternative: the number of visible texts before it, and whether an earlier choice had text. */
  readonly #alternatives: { before: number; hadText: boolean }[] = [];
  #form: { isChecked: boolean | null; selected: number; choices: string[] } | null = null;
  #note = '';
  #skippedLevels = 0;

  /** `onNote` receives each note of a part with notes, whose blocks `takeBlocks` does not return then. */
  constructor(styles: DocxStyles, onNote: (id: string, blocks: TextBlock[]) => void = () => {}) {
    this.#styles = styles;
    this.#onNote = onNote;
  }

  takeBlocks(): TextBlock[] {
    return [...this.#flow.takeBlocks()];
  }

  open(name: string, attributes: Attributes): void {
    if (this.#skippedLevels > 0 || this.#isHidden(name)) {
      this.#skippedLevels += 1;
      return;
    }
    const frame = frames[name];
    if (frame !== undefined) this.#flow.open(frame);
    else if (name === 'fldChar') this.#openField(attributes.fldCharType ?? '');
    else if (name === 'footnote' || name === 'endnote') this.#note = `${name} ${attributes.id}`;
    else if (name === 'relIds') this.diagrams.push(attributes.dm ?? '');
    else if (name === 'AlternateContent')
      this.#alternatives.push({ before: this.#flow.visible, hadText: false });
    else if (name.endsWith('noteReference'))
      this.notes.add(`${name.slice(0, -'Reference'.length)} ${attributes.id}`);
    else {
      this.#addText(readCharacters(name, attributes));
      this.#openProperty(name, attributes.val ?? '');
      this.#openForm(name, attributes.val ?? '');
    }
    this.#path.push(name);
  }

  close(name: string): void {
    if (this.#skippedLevels > 0) {
      this.#skippedLevels -= 1;
      return;
    }
    this.#path.pop();
    if (frames[name] !== undefined) this.#flow.close();
    const alternative = this.#alternatives.at(-1);
    if (name === 'Choice' && alternative !== undefined)
      alternative.hadText = this.#flow.visible > alternative.before;
    if (name === 'AlternateContent') this.#alternatives.pop();
    if (name === 'ffData') this.#closeForm();
    if (name === 'footnote' || name === 'endnote') this.#onNote(this.#note, this.takeBlocks());
  }

  text(text: string): void {
    if (this.#skippedLevels > 0) return;
    const element = this.#path.at(-1);
    const field = this.#fields.at(-1);
    if (element === 't') this.#addText(text);
    else if (element === 'instrText' && field !== undefined) field.instruction += text;
  }

  #isHidden(name: string): boolean {
    const parent = this.#path.at(-1);
    if (hidden.test(name)) return true;
    if (name === 'del') return parent !== 'rPr' && parent !== 'trPr';
    return (name === 'Choice' || name === 'Fallback') && this.#alternatives.at(-1)?.hadText === true;
  }

  /** The result of a field inside the instruction of another one is part of that instruction. */
  #addText(text: string): void {
    const isNested = this.#fields.length > 1;
    if (isNested && this.#fields.slice(0, -1).some(({ isInstruction }) => isInstruction)) return;
    this.#flow.add(text);
  }

  #openProperty(name: string, value: string): void {
    const { paragraph } = this.#flow;
    if (name === 'del' && this.#path.at(-1) === 'trPr') this.#flow.deleteRow();
    if (paragraph === null) return;
    if (name === 'pStyle') {
      paragraph.isHeading ||= this.#styles.isHeading(value);
      paragraph.isListItem ||= this.#styles.isNumbered(value);
    }
    if (name === 'outlineLvl') paragraph.isHeading ||= isHeadingLevel(Number(value));
    if (name === 'numId') paragraph.isListItem = value !== '0';
    if (name === 'del' && this.#path.at(-2) === 'pPr') paragraph.isJoined = true;
  }

  #openField(type: string): void {
    const field = this.#fields.at(-1);
    const visibleBefore = this.#flow.visible;
    if (type === 'begin')
      this.#fields.push({ isInstruction: true, instruction: '', value: '', visibleBefore });
    else if (field !== undefined && type === 'separate') field.isInstruction = false;
    else if (field !== undefined && type === 'end') {
      this.#fields.pop();
      if (visibleBefore === field.visibleBefore)
        this.#addText(field.value || readInstruction(field.instruction));
    }
  }

  #openForm(name: string, value: string): void {
    if (name === 'ffData') this.#form = { isChecked: null, selected: 0, choices: [] };
    const form = this.#form;
    if (form === null) return;
    if (name === 'default' && this.#path.at(-1) === 'checkBox') form.isChecked ??= isOn(value);
    if (name === 'checked') form.isChecked = isOn(value);
    if (name === 'result') form.selected = Number(value);
    if (name === 'listEntry') form.choices.push(value);
  }

  #closeForm(): void {
    const field = this.#fields.at(-1);
    if (this.#form === null || field === undefined) return;
    const { isChecked, selected, choices } = this.#form;
    if (isChecked === null) field.value = choices[selected] ?? '';
    else field.value = isChecked ? '[x]' : '[ ]';
    this.#form = null;
  }
}

const isOn = (value: string): boolean => !/^(?:0|false|off)$/.test(value);

function readCharacters(name: string, attributes: Attributes): string {
  if (name === 'sym') return readSymbol(attributes);
  return name === 'textpath' ? (attributes.string ?? '') : (literals[name] ?? '');
}

const privateUse = /^f0(?=..$)/i;

/** Symbol fonts keep their characters in the private use area, too. */
function readSymbol({ font = '', char = '' }: Attributes): string {
  const symbol = symbolToUnicode(font, char) ?? symbolToUnicode(font, char.replace(privateUse, ''));
  if (symbol !== undefined) return symbol.string;
  const code = Number.parseInt(char, 16);
  return code >= 0x20 && code <= 0xffff && !(code >= 0xd800 && code <= 0xf8ff)
    ? String.fromCodePoint(code)
    : '';
}
