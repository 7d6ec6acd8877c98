export type MarkStyle = 'bold' | 'italic' | 'strike';

/** Writes marked-up text as the app of a contact reads it. `text` arguments are already written in the notation. */
export interface Notation {
  /** Writes text without marks. A notation with reserved characters escapes them here. */
  plain(text: string): string;
  /** `withinWord`: a letter or digit touches the marked text. */
  mark(style: MarkStyle, text: string, withinWord: boolean): string;
  /** `code` is verbatim. */
  code(code: string): string;
  codeBlock(code: string): string;
  /** `label` may be the address itself. */
  link(label: string, url: string): string;
}

const chatMarks: Record<MarkStyle, string> = { bold: '*', italic: '_', strike: '~' };

/** The notation of chat apps: `*bold*`, `_italic_`, `~strike~` and code between backticks. It has no links and no escapes. */
export const chatNotation: Notation = {
  plain: (text) => text,
  mark(style, text, withinWord) {
    const mark = chatMarks[style];
    // Chat apps show marks within words as characters, and marks end with the line.
    if (withinWord || text.includes(mark)) return text;
    return text.replaceAll(/\S(?:[^\n]*[^\s])?/g, (line) => `${mark}${line}${mark}`);
  },
  code: (code) => (code.includes('`') ? `\`\`\`${code}\`\`\`` : `\`${code}\``),
  codeBlock: (code) => `\`\`\`\n${code}\n\`\`\``,
  link: (label, url) => (label === url ? url : `${label} (${url})`),
};
