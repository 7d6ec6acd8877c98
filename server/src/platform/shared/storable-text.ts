/** Removes what PostgreSQL cannot store in text or JSON: NUL characters and unpaired surrogates. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();
