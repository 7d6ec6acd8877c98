import { defineMessages } from '../../i18n/define-messages.ts';

export const consentMessages = defineMessages(
  {
    states: {
      in: 'Agreed to active messages',
      out: 'Wants no active messages',
      unknown: 'Has not decided about active messages',
    },
    since: (time: string) => `since ${time}`,
    sources: {
      contact: 'by a word of the contact',
      api: 'over the API',
      console: 'in the console',
      import: 'by import',
    },
    change: 'Record a decision',
    title: 'What the contact decided',
    hint: 'After an opt-out, nobody can begin a chat with the contact. Answers stay allowed.',
    state: 'Decision',
    proof: 'Reason or proof',
    proofHint: 'How the decision can be shown, such as a call, a letter or a form.',
    final: 'The contact opted out alone, and only the contact can undo that, by writing START.',
  },
  {
    es: {
      states: {
        in: 'Aceptó mensajes activos',
        out: 'No quiere mensajes activos',
        unknown: 'No ha decidido sobre mensajes activos',
      },
      since: (time) => `desde ${time}`,
      sources: {
        contact: 'por una palabra del contacto',
        api: 'por la API',
        console: 'en la consola',
        import: 'por importación',
      },
      change: 'Registrar una decisión',
      title: 'Lo que decidió el contacto',
      hint: 'Tras una baja, nadie puede iniciar un chat con el contacto. Las respuestas siguen permitidas.',
      state: 'Decisión',
      proof: 'Motivo o prueba',
      proofHint: 'Cómo se puede demostrar la decisión, por ejemplo una llamada, una carta o un formulario.',
      final: 'El contacto se dio de baja y solo él puede anularlo, escribiendo START.',
    },
    pt: {
      states: {
        in: 'Aceitou mensagens ativas',
        out: 'Não quer mensagens ativas',
        unknown: 'Não decidiu sobre mensagens ativas',
      },
      since: (time) => `desde ${time}`,
      sources: {
        contact: 'por uma palavra do contato',
        api: 'pela API',
        console: 'no console',
        import: 'por importação',
      },
      change: 'Registrar uma decisão',
      title: 'O que o contato decidiu',
      hint: 'Depois de um descadastro, ninguém pode iniciar uma conversa com o contato. Respostas continuam permitidas.',
      state: 'Decisão',
      proof: 'Motivo ou prova',
      proofHint: 'Como a decisão pode ser comprovada, por exemplo uma ligação, uma carta ou um formulário.',
      final: 'O contato se descadastrou, e só ele pode desfazer isso, escrevendo START.',
    },
    de: {
      states: {
        in: 'Hat aktiven Nachrichten zugestimmt',
        out: 'Möchte keine aktiven Nachrichten',
        unknown: 'Hat nicht über aktive Nachrichten entschieden',
      },
      since: (time) => `seit ${time}`,
      sources: {
        contact: 'durch ein Wort des Kontakts',
        api: 'über die API',
        console: 'in der Konsole',
        import: 'durch Import',
      },
      change: 'Entscheidung eintragen',
      title: 'Was der Kontakt entschieden hat',
      hint: 'Nach einer Abmeldung kann niemand mehr ein Gespräch mit dem Kontakt beginnen. Antworten bleiben erlaubt.',
      state: 'Entscheidung',
      proof: 'Grund oder Nachweis',
      proofHint:
        'Wie sich die Entscheidung belegen lässt, etwa durch einen Anruf, einen Brief oder ein Formular.',
      final: 'Der Kontakt hat sich selbst abgemeldet. Nur er kann das aufheben, indem er START schreibt.',
    },
  },
);
