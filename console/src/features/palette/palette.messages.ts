import { defineMessages } from '../../i18n/define-messages.ts';

export const paletteMessages = defineMessages(
  {
    title: 'Go to or do',
    search: 'A page, an action, or words of a conversation',
    actions: 'On this page',
    pages: 'Pages',
    conversations: 'Conversations',
    allWith: (text: string) => `All conversations with “${text}”`,
    found: (count: string) => `${count} found`,
    nothing: 'Nothing found',
  },
  {
    es: {
      title: 'Ir o hacer',
      search: 'Una página, una acción o palabras de una conversación',
      actions: 'En esta página',
      pages: 'Páginas',
      conversations: 'Conversaciones',
      allWith: (text) => `Todas las conversaciones con «${text}»`,
      found: (count) => `${count} encontrados`,
      nothing: 'No se encontró nada',
    },
    pt: {
      title: 'Ir ou fazer',
      search: 'Uma página, uma ação ou palavras de uma conversa',
      actions: 'Nesta página',
      pages: 'Páginas',
      conversations: 'Conversas',
      allWith: (text) => `Todas as conversas com “${text}”`,
      found: (count) => `${count} encontrados`,
      nothing: 'Nada encontrado',
    },
    de: {
      title: 'Gehe zu oder tue',
      search: 'Eine Seite, eine Aktion oder Wörter eines Gesprächs',
      actions: 'Auf dieser Seite',
      pages: 'Seiten',
      conversations: 'Gespräche',
      allWith: (text) => `Alle Gespräche mit „${text}“`,
      found: (count) => `${count} gefunden`,
      nothing: 'Nichts gefunden',
    },
  },
);
