import { isSameSecret } from '../../../platform/shared/is-same-secret.ts';
import { botIdOf } from '../credentials.ts';
import type { NetworkWebhook } from '../network-webhook.ts';
import { readShape } from '../read-shape.ts';
import { chatOf, contactKey, Update } from './updates.ts';

/** https://core.telegram.org/bots/api#setwebhook */
export const telegramWebhook: NetworkWebhook = {
  isAuthentic({ headers }, { verifyToken }) {
    const given = headers['x-telegram-bot-api-secret-token'];
    return typeof given === 'string' && isSameSecret(given, verifyToken);
  },

  split(body, { fields }) {
    const update = readShape(Update, body);
    const chat = update && chatOf(update);
    // Groups and channels have no contact.
    if (update === undefined || chat?.type !== 'private') return [];
    const key = `${botIdOf(fields)}.${update.update_id}`;
    return [{ key, contact: contactKey(chat), payload: update }];
  },
};
