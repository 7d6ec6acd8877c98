import { defineMessages } from '../../i18n/define-messages.ts';

export const thumbsMessages = defineMessages(
  {
    rate: { up: 'Good answer', down: 'Bad answer' },
    byContact: { up: 'The contact likes it', down: 'The contact does not like it' },
    filter: 'Thumbs',
    all: 'With or without thumbs',
    choices: { up: 'Thumb up', down: 'Thumb down' },
  },
  {
    es: {
      rate: { up: 'Buena respuesta', down: 'Mala respuesta' },
      byContact: { up: 'Al contacto le gusta', down: 'Al contacto no le gusta' },
      filter: 'Pulgares',
      all: 'Con o sin pulgares',
      choices: { up: 'Pulgar arriba', down: 'Pulgar abajo' },
    },
    pt: {
      rate: { up: 'Boa resposta', down: 'Má resposta' },
      byContact: { up: 'O contato gostou', down: 'O contato não gostou' },
      filter: 'Avaliação',
      all: 'Com ou sem avaliação',
      choices: { up: 'Positiva', down: 'Negativa' },
    },
    de: {
      rate: { up: 'Gute Antwort', down: 'Schlechte Antwort' },
      byContact: { up: 'Dem Kontakt gefällt sie', down: 'Dem Kontakt gefällt sie nicht' },
      filter: 'Daumen',
      all: 'Mit oder ohne Daumen',
      choices: { up: 'Daumen hoch', down: 'Daumen runter' },
    },
  },
);
