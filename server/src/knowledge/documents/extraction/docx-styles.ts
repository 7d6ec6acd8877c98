import type { XmlHandler } from './read-xml.ts';

interface Style {
  id: string;
  name: string;
  basedOn: string | null;
  outlineLevel: number | null;
  isNumbered: boolean | null;
}

export interface DocxStyles {
  handler: XmlHandler;
  /** True for the built-in headings, and for styles that are based on one or have an outline level. */
  isHeading(id: string): boolean;
  isNumbered(id: string): boolean;
}

const headingName = /^(?:title|heading ?[1-9])$/i;
const deepestHeading = 8;
/** Ends circles of styles. */
const maxAncestors = 20;

export const isHeadingLevel = (outlineLevel: number): boolean =>
  outlineLevel >= 0 && outlineLevel <= deepestHeading;

/** Collects the paragraph styles of the part that defines them. Word writes the English name of a built-in style in all languages. */
export function createDocxStyles(): DocxStyles {
  const styles = new Map<string, Style>();
  let current: Style | null = null;
  const findFirst = <Found>(id: string, find: (style: Style) => Found | null): Found | null => {
    let style = styles.get(id) ?? null;
    for (let ancestor = 0; style !== null && ancestor < maxAncestors; ancestor += 1) {
      const found = find(style);
      if (found !== null) return found;
      style = style.basedOn === null ? null : (styles.get(style.basedOn) ?? null);
    }
    return null;
  };
  return {
    handler: {
      open(name, { styleId = '', val = '' }) {
        if (name === 'style') {
          current = { id: styleId, name: '', basedOn: null, outlineLevel: null, isNumbered: null };
          styles.set(styleId, current);
        }
        if (current === null) return;
        if (name === 'name') current.name = val;
        if (name === 'basedOn') current.basedOn = val;
        if (name === 'outlineLvl') current.outlineLevel = Number(val);
        if (name === 'numPr') current.isNumbered ??= true;
        if (name === 'numId') current.isNumbered = val !== '0';
      },
      close(name) {
        if (name === 'style') current = null;
      },
    },
    isHeading: (id) =>
      headingName.test(id) ||
      findFirst(id, ({ name, outlineLevel }) => {
        if (headingName.test(name)) return true;
        return outlineLevel === null ? null : isHeadingLevel(outlineLevel);
      }) === true,
    isNumbered: (id) => findFirst(id, (style) => style.isNumbered) === true,
  };
}
