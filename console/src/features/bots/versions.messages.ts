import { defineMessages } from '../../i18n/define-messages.ts';

export const versionsMessages = defineMessages(
  {
    version: (number: string) => `Version ${number}`,
    live: 'Live',
    versionFacts: (questions: string, actions: string, documents: string) =>
      `Pairs: ${questions}, actions: ${actions}, documents: ${documents}`,
    compare: 'Compare with the draft',
    noDifferences: 'The draft equals this version.',
    added: 'Added:',
    removed: 'Removed:',
    restore: 'Restore as draft',
    restoreTitle: (number: string) => `Restore version ${number}?`,
    restoreEffects: {
      draft: 'The draft becomes a copy of this version. Your current draft is lost.',
      live: 'Contacts keep the live version until you publish.',
    },
    restored: 'The draft was restored',
    noVersions: 'Never published',
    noVersionsHint: 'Each time you publish, a version is kept here. You can go back to any of them.',
  },
  {
    es: {
      version: (number) => `Versión ${number}`,
      live: 'En uso',
      versionFacts: (questions, actions, documents) =>
        `Pares: ${questions}, acciones: ${actions}, documentos: ${documents}`,
      compare: 'Comparar con el borrador',
      noDifferences: 'El borrador es igual a esta versión.',
      added: 'Añadido:',
      removed: 'Eliminado:',
      restore: 'Restaurar como borrador',
      restoreTitle: (number) => `¿Restaurar la versión ${number}?`,
      restoreEffects: {
        draft: 'El borrador pasa a ser una copia de esta versión. Se pierde el borrador actual.',
        live: 'Los contactos siguen con la versión en uso hasta que publique.',
      },
      restored: 'El borrador se restauró',
      noVersions: 'Nunca publicado',
      noVersionsHint: 'Cada vez que publica, se guarda aquí una versión. Puede volver a cualquiera.',
    },
    pt: {
      version: (number) => `Versão ${number}`,
      live: 'Em uso',
      versionFacts: (questions, actions, documents) =>
        `Pares: ${questions}, ações: ${actions}, documentos: ${documents}`,
      compare: 'Comparar com o rascunho',
      noDifferences: 'O rascunho é igual a esta versão.',
      added: 'Adicionado:',
      removed: 'Removido:',
      restore: 'Restaurar como rascunho',
      restoreTitle: (number) => `Restaurar a versão ${number}?`,
      restoreEffects: {
        draft: 'O rascunho se torna uma cópia desta versão. O rascunho atual é perdido.',
        live: 'Os contatos continuam com a versão em uso até você publicar.',
      },
      restored: 'O rascunho foi restaurado',
      noVersions: 'Nunca publicado',
      noVersionsHint:
        'Cada vez que você publica, uma versão é guardada aqui. Você pode voltar a qualquer uma.',
    },
    de: {
      version: (number) => `Version ${number}`,
      live: 'In Betrieb',
      versionFacts: (questions, actions, documents) =>
        `Paare: ${questions}, Aktionen: ${actions}, Dokumente: ${documents}`,
      compare: 'Mit dem Entwurf vergleichen',
      noDifferences: 'Der Entwurf gleicht dieser Version.',
      added: 'Neu:',
      removed: 'Entfernt:',
      restore: 'Als Entwurf wiederherstellen',
      restoreTitle: (number) => `Version ${number} wiederherstellen?`,
      restoreEffects: {
        draft: 'Der Entwurf wird eine Kopie dieser Version. Der bisherige Entwurf geht verloren.',
        live: 'Kontakte behalten die Version in Betrieb, bis Sie veröffentlichen.',
      },
      restored: 'Der Entwurf wurde wiederhergestellt',
      noVersions: 'Nie veröffentlicht',
      noVersionsHint: 'Jede Veröffentlichung bleibt hier als Version. Sie können zu jeder zurückkehren.',
    },
  },
);
