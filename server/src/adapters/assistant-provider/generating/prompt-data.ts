/** The start of a control token in the chat templates of common models, such as `<|im_end|>`, `</s>` or `[INST]`. */
const controlToken = /<(?=[|/a-z_\uff5c])|\[(?=\/?[A-Z_]{3,}\])/gi;

/**
 * Writes data for the model as JSON on one line. No text in it can imitate its structure or another message. Some servers read
 * control tokens out of any text, so the first character of each is escaped.
 */
export const encodeData = (data: object): string =>
  JSON.stringify(data)
    .replaceAll(controlToken, (character) => (character === '<' ? '\\u003c' : '\\u005b'))
    .replaceAll(
      /[\u0085\u2028\u2029]/g,
      (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
