import { defineMessages } from '../i18n/define-messages.ts';

/** Texts about changes that are not saved. */
export const editsMessages = defineMessages(
  {
    changedTitle: 'Somebody else saved changes meanwhile',
    changedHint: 'Nothing is overwritten yet. This is how your version differs.',
    field: 'Field',
    yours: 'Yours',
    theirs: 'Theirs',
    keepMine: 'Keep mine',
    takeTheirs: 'Take theirs',
    restored: (time: string) => `Your unsaved changes of ${time} are back.`,
    discard: 'Discard',
  },
  {
    es: {
      changedTitle: 'Otra persona guardó cambios mientras tanto',
      changedHint: 'Todavía no se sobrescribe nada. Así se distingue su versión.',
      field: 'Campo',
      yours: 'Suyo',
      theirs: 'De la otra persona',
      keepMine: 'Conservar lo mío',
      takeTheirs: 'Tomar lo otro',
      restored: (time: string) => `Se recuperaron sus cambios sin guardar de ${time}.`,
      discard: 'Descartar',
    },
    pt: {
      changedTitle: 'Outra pessoa salvou alterações nesse meio-tempo',
      changedHint: 'Nada foi sobrescrito ainda. A sua versão se distingue assim.',
      field: 'Campo',
      yours: 'Seu',
      theirs: 'Da outra pessoa',
      keepMine: 'Manter o meu',
      takeTheirs: 'Usar o outro',
      restored: (time: string) => `Suas alterações não salvas de ${time} voltaram.`,
      discard: 'Descartar',
    },
    de: {
      changedTitle: 'Inzwischen hat jemand anders Änderungen gespeichert',
      changedHint: 'Noch ist nichts überschrieben. So unterscheidet sich Ihre Fassung.',
      field: 'Feld',
      yours: 'Ihres',
      theirs: 'Das andere',
      keepMine: 'Meines behalten',
      takeTheirs: 'Das andere nehmen',
      restored: (time: string) => `Ihre ungespeicherten Änderungen von ${time} sind wieder da.`,
      discard: 'Verwerfen',
    },
  },
);
