/** Ligatures and Arabic letters in the shape of their place in a word. */
const presentationForms = /[\ufb00-\ufb06\ufb13-\ufb17\ufb1d-\ufdff\ufe70-\ufefc]+/gu;
const invisible = /[\u00ad\u200b\u2060\ufeff]/gu;

/** Matches only text that needs a change. Otherwise 20 MiB of text would take hundreds of megabytes. */
export function normalizeText(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(presentationForms, (forms) => forms.normalize('NFKC'))
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
