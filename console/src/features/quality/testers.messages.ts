import { defineMessages } from '../../i18n/define-messages.ts';

export const testerMessages = defineMessages(
  {
    testers: 'Testers',
    testersHint: 'These contacts get the draft when they write. All others get the published version.',
    testerNumbers: 'Phone numbers',
    testerNumbersHint: 'One in each line, with the country code.',
    saveTesters: 'Save the testers',
  },
  {
    es: {
      testers: 'Probadores',
      testersHint:
        'Estos contactos reciben el borrador cuando escriben. Los demás reciben la versión publicada.',
      testerNumbers: 'Números de teléfono',
      testerNumbersHint: 'Uno por línea, con el prefijo del país.',
      saveTesters: 'Guardar los probadores',
    },
    pt: {
      testers: 'Testadores',
      testersHint: 'Estes contatos recebem o rascunho quando escrevem. Os outros recebem a versão publicada.',
      testerNumbers: 'Números de telefone',
      testerNumbersHint: 'Um por linha, com o código do país.',
      saveTesters: 'Salvar os testadores',
    },
    de: {
      testers: 'Tester',
      testersHint:
        'Diese Kontakte bekommen den Entwurf, wenn sie schreiben. Alle anderen bekommen die veröffentlichte Version.',
      testerNumbers: 'Telefonnummern',
      testerNumbersHint: 'Eine je Zeile, mit Ländervorwahl.',
      saveTesters: 'Tester speichern',
    },
  },
);
