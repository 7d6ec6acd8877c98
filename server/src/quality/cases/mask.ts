/** Digits of a telephone, an account or a card, with what people write between them. A price, a date or a time is shorter. */
const longNumber = /\+?\d(?:[ ()./-]{0,3}\d){8,29}/g;
const date = /\d{4}-\d\d-\d\d|(?<!\d)\d{1,2}[./]\d{1,2}[./]\d{4}/;
const mailAddress = /[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}.-]{1,255}\.\p{L}{2,24}/gu;

/** Replaces numbers and addresses by which a person could be found. Names in running text stay. */
export const maskPersonalData = (text: string): string =>
  text
    .replaceAll(mailAddress, 'name@example.com')
    .replaceAll(longNumber, (number) => (date.test(number) ? number : number.replaceAll(/\d/g, '0')));
