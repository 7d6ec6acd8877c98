import { Counter, type Registry } from 'prom-client';

export interface MailMeters {
  mails: Counter<'kind' | 'outcome'>;
}

export const createMailMeters = (registry: Registry): MailMeters => ({
  mails: new Counter({
    name: 'parley_mails_total',
    help: 'Attempts to send a mail, and mails that nobody was to get.',
    labelNames: ['kind', 'outcome'],
    registers: [registry],
  }),
});
