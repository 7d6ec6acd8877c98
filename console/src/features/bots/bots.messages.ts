import { defineMessages } from '../../i18n/define-messages.ts';

export const botsMessages = defineMessages(
  {
    withDocument: (name: string) => `With ${name}`,
    title: 'Bots',
    intro: 'A bot answers the contacts of its team. You edit a draft; contacts get the published version.',
    create: 'New bot',
    empty: 'No bots yet',
    emptyHint: 'A bot needs a team, a few question/answer pairs or a document, and then a device.',
    search: 'Search by name',
    publication: 'Publication',
    all: 'All bots',
    published: 'Published',
    draft: 'Unpublished changes',
    nameHint: 'The bot introduces itself with this name unless you set another one.',
    created: (name: string) => `${name} was created`,
  },
  {
    es: {
      withDocument: (name) => `Con ${name}`,
      title: 'Bots',
      intro:
        'Un bot responde a los contactos de su equipo. Usted edita un borrador; los contactos reciben la versión publicada.',
      create: 'Nuevo bot',
      empty: 'Aún no hay bots',
      emptyHint:
        'Un bot necesita un equipo, algunas preguntas con respuesta o un documento, y después un dispositivo.',
      search: 'Buscar por nombre',
      publication: 'Publicación',
      all: 'Todos los bots',
      published: 'Publicado',
      draft: 'Cambios sin publicar',
      nameHint: 'El bot se presenta con este nombre, salvo que indique otro.',
      created: (name) => `Se creó ${name}`,
    },
    pt: {
      withDocument: (name) => `Com ${name}`,
      title: 'Bots',
      intro:
        'Um bot responde aos contatos da sua equipe. Você edita um rascunho; os contatos recebem a versão publicada.',
      create: 'Novo bot',
      empty: 'Ainda não há bots',
      emptyHint:
        'Um bot precisa de uma equipe, de perguntas com resposta ou de um documento, e depois de um dispositivo.',
      search: 'Pesquisar por nome',
      publication: 'Publicação',
      all: 'Todos os bots',
      published: 'Publicado',
      draft: 'Alterações não publicadas',
      nameHint: 'O bot se apresenta com este nome, a menos que você defina outro.',
      created: (name) => `${name} foi criado`,
    },
    de: {
      withDocument: (name) => `Mit ${name}`,
      title: 'Bots',
      intro:
        'Ein Bot antwortet den Kontakten seines Teams. Sie bearbeiten einen Entwurf; Kontakte erhalten die veröffentlichte Version.',
      create: 'Neuer Bot',
      empty: 'Noch keine Bots',
      emptyHint:
        'Ein Bot braucht ein Team, einige Fragen mit Antworten oder ein Dokument und danach ein Gerät.',
      search: 'Nach Name suchen',
      publication: 'Veröffentlichung',
      all: 'Alle Bots',
      published: 'Veröffentlicht',
      draft: 'Offene Änderungen',
      nameHint: 'Mit diesem Namen stellt sich der Bot vor, wenn Sie keinen anderen festlegen.',
      created: (name) => `${name} wurde angelegt`,
    },
  },
);
