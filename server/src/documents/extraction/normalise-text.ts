const invisible = /[\u00ad\u200b\u2060\ufeff]/gu;

/**
 * One way of writing white space: lines end in LF, runs of blanks are one, paragraphs are apart by one blank line.
 * Control characters, soft hyphens and zero-width blanks go; letters are in NFC. What is in order already matches
 * nothing, or a text of 20 MiB takes hundreds of megabytes for its single blanks alone.
 */
export function normaliseText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(/\r\n?|\v|\u0085|\u2028/gu, '\n')
    .replaceAll(/\f|\u2029/gu, '\n\n')
    .replaceAll(/[^\P{Cc}\n\t]/gu, '')
    .replaceAll(invisible, '')
    .replaceAll(/[\t\p{Zs}]{2,}|[[\t\p{Zs}]--[ ]]/gv, ' ')
    .replaceAll(/ \n ?|\n /g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()
    .normalize('NFC');
}
