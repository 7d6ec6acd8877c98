import { fromMarkdown, type Options } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';
import { type HtmlTag, htmlStyles, readHtmlTag, writeHtmlTag } from './html-tags.ts';
import type { MarkStyle, Notation } from './notation.ts';
import {
  endsOperand,
  isLiteralMark,
  isPower,
  isWordCharacter,
  readPlainText,
  sameAddress,
  startsOperand,
  toAddress,
} from './plain-markdown.ts';

type Root = ReturnType<typeof fromMarkdown>;
type Content = Root['children'][number];
type Of<Type extends Content['type']> = Extract<Content, { type: Type }>;
type Parent = Extract<Content, { children: unknown }>;

/** Its UTF-16 code. */
const asterisk = 42;

interface WriteOptions {
  notation: Notation;
  /** Whether `*words*` are quoted from a text in the notation of the network. They then stay as they are. */
  isQuoted?: (span: string) => boolean;
  /** Changes text outside of code, such as the removal of citations. */
  edit?: (text: string) => string;
}

/** The parser takes time that grows with the square of their number: here a quarter of a second. */
const mostMarks = 2500;

/**
 * Writes a model's Markdown in the notation of a network. Text without marks stays as it is: line breaks, arithmetic, names with
 * underscores, addresses.
 */
export function writeMarkdown(markdown: string, options: WriteOptions): string {
  const source = markdown.replaceAll(/\r\n?/g, '\n');
  if ((source.match(/[*_~[\]`<!]/g) ?? []).length > mostMarks) return options.notation.plain(source);
  return new MarkdownWriter(source, options).write(parse(source));
}

const toCharacter = (code: number | null): string =>
  code === null || code < 0 ? '' : String.fromCharCode(code);

/** The parser would take `3*4 and 5*6` for italic text. */
const products: NonNullable<Options['extensions']>[number] = {
  text: {
    [asterisk]: {
      name: 'product',
      tokenize(effects, ok, nok) {
        const { previous } = this;
        return (code) => {
          if (!endsOperand(toCharacter(previous))) return nok(code);
          effects.enter('data');
          effects.consume(code);
          return (next) => {
            if (!startsOperand(toCharacter(next))) return nok(next);
            effects.exit('data');
            return ok(next);
          };
        };
      },
    },
  },
};

const parse = (source: string): Root =>
  fromMarkdown(source, {
    // People indent without meaning code, and write about tags. `9~17` is a range.
    extensions: [gfm({ singleTilde: false }), { disable: { null: ['codeIndented', 'htmlFlow'] } }, products],
    // The transforms find the addresses that the parser has found already, and lose their positions.
    mdastExtensions: gfmFromMarkdown().map(({ transforms: _, ...extension }) => extension),
  });

/** Replaces the marks in the source and keeps the rest, so that nothing else changes. */
class MarkdownWriter {
  readonly #source: string;
  readonly #options: Required<WriteOptions>;
  readonly #urls = new Map<string, string>();
  readonly #references = new Set<string>();
  /** The styles around the current node. Marks of the same style do not nest. */
  readonly #styles = new Set<MarkStyle>();

  constructor(source: string, options: WriteOptions) {
    this.#source = source;
    this.#options = { isQuoted: () => false, edit: (text) => text, ...options };
  }

  write(root: Root): string {
    this.#collectReferences(root.children);
    let written = '';
    let end = 0;
    let gap = '';
    for (const child of root.children) {
      gap += this.#source.slice(end, startOf(child));
      end = endOf(child);
      const block = this.#write(child).trim();
      if (block === '') continue;
      written += `${written === '' ? '' : /\n[ \t]*\n/.test(gap) ? '\n\n' : '\n'}${block}`;
      gap = '';
    }
    return written;
  }

  #collectReferences(nodes: readonly Content[]): void {
    for (const node of nodes) {
      if (node.type === 'definition') this.#urls.set(node.identifier, node.url);
      if (node.type === 'linkReference' || node.type === 'imageReference')
        this.#references.add(node.identifier);
      if ('children' in node) this.#collectReferences(node.children);
    }
  }

  #write(node: Content): string {
    const { plain, code, codeBlock } = this.#options.notation;
    switch (node.type) {
      case 'text':
        return this.#text(this.#sourceOf(node));
      case 'emphasis':
        return this.#marked('italic', node);
      case 'strong':
        return this.#marked('bold', node);
      case 'delete':
        return this.#marked('strike', node);
      case 'heading':
        return this.#heading(node);
      case 'list':
        return this.#list(node);
      case 'table':
        return this.#table(node);
      case 'thematicBreak':
        return '';
      case 'break':
        return plain('\n');
      case 'code':
        return codeBlock(node.value);
      case 'inlineCode':
        return code(node.value);
      case 'html':
        return plain(writeHtmlTag(node.value, this.#source) ?? node.value);
      default:
        return this.#writeReference(node);
    }
  }

  #writeReference(node: Content): string {
    const { plain } = this.#options.notation;
    switch (node.type) {
      case 'link':
        return this.#isWrittenOut(node)
          ? plain(this.#sourceOf(node))
          : this.#link(this.#run(node.children), node.url);
      case 'linkReference':
        return this.#link(this.#run(node.children), this.#urls.get(node.identifier) ?? '');
      case 'image':
        return this.#link(plain(node.alt ?? ''), node.url);
      case 'imageReference':
        return this.#link(plain(node.alt ?? ''), this.#urls.get(node.identifier) ?? '');
      case 'definition':
        return this.#references.has(node.identifier) ? '' : plain(this.#sourceOf(node));
      case 'footnoteReference':
        return plain(`[${node.label ?? node.identifier}]`);
      case 'footnoteDefinition':
        return plain(`[${node.label ?? node.identifier}] `) + this.#run(node.children);
      default:
        return 'children' in node ? this.#withMarkers(node) : plain(this.#sourceOf(node));
    }
  }

  /** Writes siblings and what the source has between them: indentation, and the marks of quotes. */
  #run(nodes: readonly Content[]): string {
    const { plain } = this.#options.notation;
    let written = '';
    let end: number | null = null;
    for (let index = 0; index < nodes.length; index += 1) {
      const node = nodes[index];
      if (node === undefined) break;
      const gap = end === null ? '' : this.#source.slice(end, startOf(node));
      written += plain(node.type === 'code' ? gap.replace(/\n[ \t]{1,200}$/, '\n') : gap);
      const closing = findClosingTag(nodes, index);
      const tag = node.type === 'html' ? readHtmlTag(node.value) : null;
      if (closing === null || tag === null) {
        written += this.#write(node);
        end = endOf(node);
        continue;
      }
      const inner = nodes.slice(index + 1, closing.index);
      written += this.#tagged(tag, inner);
      index = closing.index;
      end = endOf(closing.node);
    }
    return written;
  }

  #tagged({ name, href }: HtmlTag, inner: readonly Content[]): string {
    const style = htmlStyles[name];
    if (style !== undefined) return this.#styled(style, inner);
    const written = this.#run(inner);
    if (href !== null) return this.#link(written, href);
    return written.trim() === '' ? '' : this.#options.notation.plain('^') + written;
  }

  #text(written: string): string {
    const { edit, notation } = this.#options;
    const { plain, mark } = notation;
    // CommonMark does not recognize `**Note:**text` and `** note **`.
    return written
      .split(/(\*\*[^*\n]{1,300}\*\*)/)
      .map((part, index, parts) => {
        if (index % 2 === 0) return plain(edit(readPlainText(part)));
        const inner = part.slice(2, -2).trim();
        const [before = '', after = ''] = [parts[index - 1], parts[index + 1]];
        const sides = { before: before.slice(-1), after: after.slice(0, 1) };
        if (inner === '' || isLiteralMark('bold', part, sides) || isPower(part, before)) return plain(part);
        const withinWord = isWordCharacter(sides.before) || isWordCharacter(sides.after);
        return mark('bold', plain(edit(readPlainText(inner))), withinWord);
      })
      .join('');
  }

  #marked(style: MarkStyle, node: Of<'emphasis' | 'strong' | 'delete'>): string {
    const span = this.#sourceOf(node);
    const before = this.#source.slice(Math.max(startOf(node) - 2, 0), startOf(node));
    const after = this.#source.slice(endOf(node), endOf(node) + 2);
    const sides = { before: [...before].at(-1) ?? '', after: [...after][0] ?? '' };
    const { plain } = this.#options.notation;
    if (/^\*[^*]/.test(span) && this.#options.isQuoted(span)) return plain(span);
    if (isLiteralMark(style, span, sides)) {
      const length = style === 'italic' ? 1 : 2;
      return plain(span.slice(0, length)) + this.#run(node.children) + plain(span.slice(-length));
    }
    return this.#styled(style, node.children, isWordCharacter(sides.before) || isWordCharacter(sides.after));
  }

  #styled(style: MarkStyle, nodes: readonly Content[], withinWord = false): string {
    if (this.#styles.has(style)) return this.#run(nodes);
    this.#styles.add(style);
    const inner = this.#run(nodes);
    this.#styles.delete(style);
    return this.#options.notation.mark(style, inner, withinWord);
  }

  /** Several lines above a line of dashes are a paragraph above a rule. */
  #heading(node: Of<'heading'>): string {
    const isParagraph = !this.#sourceOf(node).startsWith('#') && this.#run(node.children).includes('\n');
    return isParagraph ? this.#run(node.children) : this.#styled('bold', node.children);
  }

  #list({ children, start }: Of<'list'>): string {
    const markers = children.map((item) => {
      const first = item.children[0];
      return this.#source.slice(startOf(item), first === undefined ? endOf(item) : startOf(first));
    });
    // Models number every item with 1 and rely on Markdown to count.
    const counts = markers.length > 1 && new Set(markers.map((marker) => marker.trim())).size === 1;
    let end: number | null = null;
    let written = '';
    for (const [index, item] of children.entries()) {
      const number = counts && typeof start === 'number' ? start + index : null;
      written += end === null ? '' : this.#source.slice(end, startOf(item));
      const [first] = item.children;
      const next = first === undefined ? '' : this.#source.charAt(startOf(first));
      const marker = { marker: markers[index] ?? '', next, number, checked: item.checked ?? null };
      written += this.#options.notation.plain(writeMarker(marker));
      written += this.#run(item.children);
      end = endOf(item);
    }
    return written;
  }

  /** A chat has no columns. */
  #table({ children }: Of<'table'>): string {
    const { plain, mark } = this.#options.notation;
    const lines = children.map(({ children: cells }, index) => {
      if (index === 0) this.#styles.add('bold');
      const texts = cells.map((cell) => this.#run(cell.children).replaceAll('\n', ' ').trim());
      const line = texts.filter((text) => text !== '').join(plain(' – '));
      if (index > 0) return line;
      this.#styles.delete('bold');
      return mark('bold', line, false);
    });
    return lines.filter((line) => line !== '').join('\n');
  }

  #link(label: string, url: string): string {
    const { notation } = this.#options;
    const address = toAddress(url);
    if (address === null) return label;
    const isSame = label.trim() === '' || sameAddress(label, address);
    return notation.link(isSame ? notation.plain(address) : label.trim(), address);
  }

  /** An address in the text, without brackets. */
  #isWrittenOut(node: Of<'link'>): boolean {
    return !/^[[<]/.test(this.#sourceOf(node));
  }

  #withMarkers(node: Parent): string {
    const first = node.children[0];
    const start = first === undefined ? endOf(node) : startOf(first);
    return this.#options.notation.plain(this.#source.slice(startOf(node), start)) + this.#run(node.children);
  }

  #sourceOf(node: Content): string {
    return this.#source.slice(startOf(node), endOf(node));
  }
}

/** The parser sets the position of every node. */
const startOf = ({ position }: Content): number => position?.start.offset ?? 0;
const endOf = ({ position }: Content): number => position?.end.offset ?? 0;

interface ListMarker {
  marker: string;
  /** The first character of the item. */
  next: string;
  /** Null if the marker has the number. */
  number: number | null;
  checked: boolean | null;
}

function findClosingTag(nodes: readonly Content[], opening: number): { index: number; node: Content } | null {
  const node = nodes[opening];
  const tag = node?.type === 'html' ? readHtmlTag(node.value) : null;
  if (tag === null || tag.closes) return null;
  if (htmlStyles[tag.name] === undefined && tag.href === null && tag.name !== 'sup') return null;
  for (let index = opening + 1; index < nodes.length; index += 1) {
    const candidate = nodes[index];
    const closing = candidate?.type === 'html' ? readHtmlTag(candidate.value) : null;
    if (candidate !== undefined && closing?.closes === true && closing.name === tag.name)
      return { index, node: candidate };
  }
  return null;
}

function writeMarker({ marker, next, number, checked }: ListMarker): string {
  if (next === '') return marker;
  const box = checked === null ? '' : checked ? '☑ ' : '☐ ';
  const [, digits = '', delimiter = ''] = /^(\d{1,9})([.)])/.exec(marker) ?? [];
  // A plus before digits is their sign.
  const bullet = marker.startsWith('+') && /\d/.test(next) ? '+' : '-';
  return digits === '' ? `${bullet} ${box}` : `${number ?? digits}${delimiter} ${box}`;
}
