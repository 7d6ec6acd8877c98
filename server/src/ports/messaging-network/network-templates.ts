import type { StoredCredentials } from './credentials.ts';
import type { NetworkTemplate } from './messaging-network.ts';

export interface NewTemplate {
  name: string;
  language: string;
  category: 'utility' | 'marketing';
  body: string;
  /** A value for each variable. */
  examples: readonly string[];
  footer?: string;
}

/** Both calls give the same result when they are repeated. They reject when the network is not reached. */
export interface TemplateService {
  /** `refused` is what the network says. */
  create(
    credentials: StoredCredentials,
    template: NewTemplate,
  ): Promise<{ template: NetworkTemplate } | { refused: string }>;
  remove(
    credentials: StoredCredentials,
    template: { name: string; externalId: string | null },
  ): Promise<void>;
}

/** How many different variables like `{{1}}` a text has. */
export const countVariables = (text: string): number => new Set(text.match(/{{\s*\w+\s*}}/g)).size;
