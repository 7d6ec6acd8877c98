/** The first character of a control token in the chat templates of common models, such as `<|im_end|>`, `</s>` or `[INST]`. */
const controlToken = /<(?=[|/a-zA-Z_\uff5c])|\[(?=\/?[A-Z_]{3,}\])/g;

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/**
 * Writes data for the model as JSON on one line. No text in it can imitate its structure or another message. Some servers read
 * control tokens out of any text, so the first character of each is escaped.
 */
export const encodeData = (data: object): string =>
  JSON.stringify(data)
    .replaceAll(controlToken, escapeCharacter)
    .replaceAll(/[\u0085\u2028\u2029]/g, escapeCharacter);

/** Makes the control tokens of an earlier reply or a tool's result harmless. JSON keeps its meaning. */
export const breakControlTokens = (text: string): string =>
  text.replaceAll(controlToken, isJson(text) ? escapeCharacter : (character) => `${character} `);

/** Control tokens are in strings only, because nothing else in JSON has a bracket before capitals or an angle bracket. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
