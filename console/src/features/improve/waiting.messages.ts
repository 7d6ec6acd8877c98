import { defineMessages } from '../../i18n/define-messages.ts';

export const waitingMessages = defineMessages(
  {
    waiting: (count: number, shown: string) =>
      count === 1 ? '1 conversation waits for an answer.' : `${shown} conversations wait for an answer.`,
    ofBot: (bot: string) => `${bot}: `,
    answerAll: 'Answer all now',
    title: (count: number, shown: string) =>
      count === 1 ? 'Answer 1 conversation?' : `Answer ${shown} conversations?`,
    effects: {
      answers: 'The bot answers what waits in each of them, a few at a time.',
      credits: 'Each answer costs credits as always.',
      rest: 'Conversations that a person has taken over are left alone.',
    },
    running: (left: string) => `The bot answers. ${left} left.`,
    done: 'The bot has answered all of them.',
  },
  {
    es: {
      waiting: (count, shown) =>
        count === 1 ? '1 conversación espera respuesta.' : `${shown} conversaciones esperan respuesta.`,
      ofBot: (bot) => `${bot}: `,
      answerAll: 'Responder todas ahora',
      title: (count, shown) =>
        count === 1 ? '¿Responder 1 conversación?' : `¿Responder ${shown} conversaciones?`,
      effects: {
        answers: 'El bot responde lo que espera en cada una, unas pocas a la vez.',
        credits: 'Cada respuesta cuesta créditos como siempre.',
        rest: 'Las conversaciones que atiende una persona no cambian.',
      },
      running: (left) => `El bot responde. Quedan ${left}.`,
      done: 'El bot las ha respondido todas.',
    },
    pt: {
      waiting: (count, shown) =>
        count === 1 ? '1 conversa espera resposta.' : `${shown} conversas esperam resposta.`,
      ofBot: (bot) => `${bot}: `,
      answerAll: 'Responder todas agora',
      title: (count, shown) => (count === 1 ? 'Responder 1 conversa?' : `Responder ${shown} conversas?`),
      effects: {
        answers: 'O bot responde o que espera em cada uma, poucas por vez.',
        credits: 'Cada resposta custa créditos como sempre.',
        rest: 'As conversas assumidas por uma pessoa não mudam.',
      },
      running: (left) => `O bot está respondendo. Faltam ${left}.`,
      done: 'O bot respondeu todas.',
    },
    de: {
      waiting: (count, shown) =>
        count === 1 ? '1 Gespräch wartet auf eine Antwort.' : `${shown} Gespräche warten auf eine Antwort.`,
      ofBot: (bot) => `${bot}: `,
      answerAll: 'Alle jetzt beantworten',
      title: (count, shown) => (count === 1 ? '1 Gespräch beantworten?' : `${shown} Gespräche beantworten?`),
      effects: {
        answers: 'Der Bot beantwortet das Wartende in jedem davon, wenige zugleich.',
        credits: 'Jede Antwort kostet Credits wie immer.',
        rest: 'Gespräche, die ein Mensch übernommen hat, bleiben, wie sie sind.',
      },
      running: (left) => `Der Bot antwortet. Noch ${left}.`,
      done: 'Der Bot hat alle beantwortet.',
    },
  },
);
