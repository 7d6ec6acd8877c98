const plain = (text: string): string => text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();

/** Whether the label contains every word of the text, without regard to case and accents. */
export const matchesWords = (label: string, text: string): boolean => {
  const searched = plain(label);
  return plain(text)
    .split(/\s+/)
    .every((word) => searched.includes(word));
};
