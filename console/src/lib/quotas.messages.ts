import { defineMessages } from '../i18n/define-messages.ts';

export const quotaNames = ['bots', 'accounts', 'documents', 'characters', 'members', 'credits'] as const;
export type QuotaName = (typeof quotaNames)[number];

export const quotaMessages = defineMessages(
  {
    bots: 'Bots',
    accounts: 'Devices',
    documents: 'Documents',
    characters: 'Characters in documents',
    members: 'Members',
    credits: 'Credits a month',
  },
  {
    es: {
      bots: 'Bots',
      accounts: 'Dispositivos',
      documents: 'Documentos',
      characters: 'Caracteres en documentos',
      members: 'Miembros',
      credits: 'Créditos al mes',
    },
    pt: {
      bots: 'Bots',
      accounts: 'Dispositivos',
      documents: 'Documentos',
      characters: 'Caracteres em documentos',
      members: 'Membros',
      credits: 'Créditos por mês',
    },
    de: {
      bots: 'Bots',
      accounts: 'Geräte',
      documents: 'Dokumente',
      characters: 'Zeichen in Dokumenten',
      members: 'Mitglieder',
      credits: 'Guthaben im Monat',
    },
  },
);
