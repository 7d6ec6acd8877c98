import type { AuditEntry } from '@parley/sdk';
import { settings } from '../../app/settings.ts';
import type { auditLogMessages } from './audit-log.messages.ts';

type Texts = (typeof auditLogMessages)['en'];

/** Returns the id of the key that made a change, or says what made it without a key. */
export const authorOf = ({ key_id, operation }: AuditEntry, t: Pick<Texts, 'linkPage' | 'noKey'>): string =>
  key_id ?? (operation === 'connectLink' ? t.linkPage : t.noKey(settings.brand.name));
