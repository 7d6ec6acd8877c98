import type { AuditEntry } from '@parley/sdk';
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { settings } from '../../app/settings.ts';
import { useMay } from '../../app/use-may.ts';
import { useMessages } from '../../i18n/use-locale.ts';
import { apiKeysQuery } from '../api-keys/api-keys.queries.ts';
import { auditLogMessages } from './audit-log.messages.ts';

/** Returns a function that names the person or the key that made a change, or says what made it without either. */
export function useAuthorOf(): (entry: AuditEntry) => string {
  const t = useMessages(auditLogMessages);
  const keys = useQuery({ ...apiKeysQuery, enabled: useMay()('listApiKeys') }).data;
  return useCallback(
    ({ user_id, user_name, key_id, operation }) => {
      if (user_id !== null) return user_name ?? t.removedPerson;
      if (key_id?.startsWith('portal:') === true)
        return user_name === null ? t.portal : t.portalOf(user_name);
      if (key_id !== null) return keys?.find((key) => key.key_id === key_id)?.name ?? key_id;
      return operation === 'connectLink' ? t.linkPage : t.noKey(settings.brand.name);
    },
    [keys, t],
  );
}
