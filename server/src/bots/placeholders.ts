/** `{{name}}` in an action's endpoint, header and body values: filled by the AI. Blanks around the name do not count. */
const placeholder = /\{\{\s*([^{}\s](?:[^{}]{0,62}[^{}\s])?)\s*\}\}/g;

/** The names in order of appearance, each once. */
export function findPlaceholders(text: string): string[] {
  return [...new Set([...text.matchAll(placeholder)].map(([, name = '']) => name))];
}

/** Everything outside the placeholders stays as written. */
export function fillPlaceholders(text: string, fill: (name: string) => string): string {
  return text.replaceAll(placeholder, (_, name: string) => fill(name));
}

/** The name, when the text is one placeholder and nothing else. */
export function findSinglePlaceholder(text: string): string | null {
  const [name] = findPlaceholders(text);
  return name !== undefined && fillPlaceholders(text, () => '') === '' ? name : null;
}
