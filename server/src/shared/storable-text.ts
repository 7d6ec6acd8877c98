/** What a column can hold: neither text nor JSON takes a NUL, and UTF-8 cannot say half a surrogate pair. */
export const toStorableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();
