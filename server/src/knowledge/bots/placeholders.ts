/** `{{name}}` in an action's endpoint, header and body values, filled by the AI. Spaces around the name are ignored. */
const placeholder = /\{\{\s*([^{}\s](?:[^{}]{0,62}[^{}\s])?)\s*\}\}/g;

/** Returns the distinct names in order of appearance. */
export function findPlaceholders(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

export function fillPlaceholders(text: string, fill: (name: string) => string): string {
  return text.replaceAll(placeholder, (_, name: string) => fill(name));
}

/** Returns the name if the text consists of a single placeholder, else null. */
export function findSinglePlaceholder(text: string): string | null {
  const [name] = findPlaceholders(text);
  return name !== undefined && fillPlaceholders(text, () => '') === '' ? name : null;
}
