import type { Conversation } from '@parley/sdk';
import { useCallback } from 'react';
import { defineMessages } from '../i18n/define-messages.ts';
import { useMessages } from '../i18n/use-locale.ts';

const messages = defineMessages(
  {
    visitor: (end: string) => `Visitor ${end}`,
    contact: (end: string) => `Contact ${end}`,
  },
  {
    es: {
      visitor: (end: string) => `Visitante ${end}`,
      contact: (end: string) => `Contacto ${end}`,
    },
    pt: {
      visitor: (end: string) => `Visitante ${end}`,
      contact: (end: string) => `Contato ${end}`,
    },
    de: {
      visitor: (end: string) => `Besucher ${end}`,
      contact: (end: string) => `Kontakt ${end}`,
    },
  },
);

type Named = Pick<Conversation, 'contact' | 'contact_number'>;

/** Returns the name of the contact of a conversation, or else its label. */
export function useContactName(): (conversation: Named) => string {
  const label = useContactLabel();
  return ({ contact, contact_number: number }) => contact.name ?? label(number);
}

/** Returns what people call a contact without a name: its phone number, or the last characters of its id on the network. */
export function useContactLabel(): (contact: string) => string {
  const t = useMessages(messages);
  return useCallback(
    (contact) => {
      if (contact.startsWith('+')) return contact;
      const end = contact.slice(-4);
      return contact.startsWith('web:') ? t.visitor(end) : t.contact(end);
    },
    [t],
  );
}
