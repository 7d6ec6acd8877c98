import { contactNumber, type Examples, ids } from './example.ts';

const message = {
  id: ids.message,
  team_id: ids.team,
  device_id: ids.device,
  contact_number: contactNumber,
  direction: 'in',
  origin: 'contact',
  kind: 'text',
  text: 'Do you rent out tandems?',
  status: 'answered',
  outcome: 'answered',
  refunded: false,
  sent_at: '2026-11-23T09:30:00.000Z',
  created_at: '2026-11-23T09:30:00.412Z',
};

const conversation = {
  id: ids.conversation,
  team_id: ids.team,
  device_id: ids.device,
  contact_number: contactNumber,
  contact: {
    name: 'Ines',
    labels: ['regular'],
    blocked: false,
    number: contactNumber,
    addresses: [],
    merged: [],
  },
  state: 'bot',
  last_message_at: '2026-11-23T09:30:00.412Z',
  last_message: {
    id: ids.message,
    direction: 'in',
    origin: 'contact',
    kind: 'text',
    text: 'Do you rent out tandems?',
    created_at: '2026-11-23T09:30:00.412Z',
  },
  unread: 1,
  labels: ['rental'],
  team_name: 'Harbour Rentals',
  device_name: 'Front desk',
  created_at: '2026-11-02T08:15:00.000Z',
};

const contact = {
  team_id: ids.team,
  contact_number: contactNumber,
  name: 'Ines',
  network_name: 'Ines M.',
  fields: { bicycle: 'Tandem' },
  labels: ['regular'],
  note: 'Prefers the afternoon.',
  blocked: false,
  created_at: '2026-11-02T08:15:00.000Z',
  updated_at: '2026-11-23T09:35:00.000Z',
};

const note = {
  id: ids.reply,
  conversation_id: ids.conversation,
  author: { id: `user:${ids.user}`, name: 'Ana' },
  text: 'She will call back about the deposit.',
  created_at: '2026-11-23T09:36:00.000Z',
};

const replies = [{ name: 'hours', text: 'We are open from 9 to 18.' }];

const workday = [
  { from: '09:00', until: '13:00' },
  { from: '15:00', until: '18:00' },
];
const hours = {
  week: {
    monday: workday,
    tuesday: workday,
    wednesday: workday,
    thursday: workday,
    friday: workday,
    saturday: [],
    sunday: [],
  },
  exceptions: [{ date: '2026-12-24', times: [{ from: '09:00', until: '12:00' }] }],
  text: 'We are back on the next working day at 9 and will write to you then.',
};

const exampleConsent = {
  team_id: ids.team,
  kind: 'active_messages',
  state: 'out',
  source: 'contact',
  decided_at: '2026-11-24T10:00:00.000Z',
  proof: ids.message,
};

export const messageExamples: Examples = {
  getActivity: {
    data: { hours: [{ hour: '2026-11-23T09:00:00.000Z', received: 41, answers: 38, others: 3 }] },
  },
  getAttention: {
    data: {
      total: 1,
      kinds: [
        {
          kind: 'human_requested',
          count: 1,
          items: [
            {
              id: ids.conversation,
              team_id: ids.team,
              team_name: 'Harbour Rentals',
              name: contactNumber,
              reason: 'human_requested',
              since: '2026-11-23T09:30:00.412Z',
            },
          ],
        },
      ],
    },
  },
  sendMessage: {
    body: {
      device_id: ids.device,
      message: 'Your tandem is ready. See you at 10!',
      destination_number: contactNumber,
    },
    data: {
      device_id: ids.device,
      name: 'Front desk',
      destinationNumber: contactNumber,
      sendAsAudio: false,
      aiGeneratesMessage: false,
      imageUrl: null,
      imageMimeType: null,
      usage: { activeMessagesUsed: 319, activeMessagesQuota: 1000, activeMessagesRemaining: 731 },
      messageId: ids.reply,
      status: 'sent',
    },
  },
  listMessages: { data: [message] },
  getMessage: { data: message },
  getMessageMedia: {},
  rateMessage: {
    body: { rating: 'down' },
    data: { ...message, direction: 'out', origin: 'bot', status: 'read', rating: 'down' },
  },
  listConversations: { data: [conversation] },
  getConversation: { data: conversation },
  listConversationMessages: { data: [message] },
  writeToConversation: {
    body: { text: 'Yes, we have two tandems left for Saturday.' },
    data: {
      id: ids.reply,
      team_id: ids.team,
      device_id: ids.device,
      contact_number: contactNumber,
      direction: 'out',
      origin: 'person',
      kind: 'text',
      text: 'Yes, we have two tandems left for Saturday.',
      status: 'accepted',
      refunded: false,
      created_at: '2026-11-23T09:31:07.090Z',
    },
  },
  sendFileToConversation: {
    data: {
      id: ids.reply,
      team_id: ids.team,
      device_id: ids.device,
      contact_number: contactNumber,
      direction: 'out',
      origin: 'person',
      kind: 'document',
      text: 'Our prices for the winter.',
      status: 'accepted',
      refunded: false,
      mime_type: 'application/pdf',
      created_at: '2026-11-23T09:31:07.090Z',
    },
  },
  pauseConversation: { data: { ...conversation, state: 'paused' } },
  resumeConversation: { data: conversation },
  markConversationRead: { data: { ...conversation, unread: 0 } },
  closeConversation: { data: { ...conversation, state: 'closed', unread: 0 } },
  answerConversation: { data: conversation },
  getWaiting: { data: { waiting: 12, answering: 0, running: false } },
  answerWaiting: { data: { waiting: 12, answering: 0, running: true } },
  assignConversation: {
    body: { user_id: ids.user },
    data: { ...conversation, assignee: { user_id: ids.user, name: 'Ana' } },
  },
  labelConversation: { body: { labels: ['rental'] }, data: conversation },
  noteTyping: { data: { message: 'Shown to colleagues' } },
  createNote: { body: { text: note.text }, data: note },
  listNotes: { data: [note] },
  getHours: {
    data: { hours, timezone: 'Europe/Madrid', open: true, updated_at: '2026-11-23T09:30:00.412Z' },
  },
  putHours: {
    body: { hours },
    data: { hours, timezone: 'Europe/Madrid', open: true, updated_at: '2026-11-23T09:30:00.412Z' },
  },
  getSavedReplies: { data: { replies, updated_at: '2026-11-23T09:30:00.412Z' } },
  putSavedReplies: { body: { replies }, data: { replies, updated_at: '2026-11-23T09:30:00.412Z' } },
  listContacts: { data: [contact] },
  getContact: { data: contact },
  updateContact: { body: { team_id: ids.team, name: 'Ines', labels: ['regular'] }, data: contact },
  getConsents: { data: [exampleConsent] },
  putConsent: {
    body: { team_id: ids.team, state: 'out', proof: 'A letter of 24 November 2026' },
    data: [{ ...exampleConsent, source: 'api', proof: 'A letter of 24 November 2026' }],
  },
  importConsents: {
    body: { team_id: ids.team, csv: `number,state,decided_at\n${contactNumber},out,2026-11-24T10:00:00Z` },
    data: { imported: 1, refused: [] },
  },
  exportContact: {
    body: { team_id: ids.team },
    data: {
      contact_number: contactNumber,
      complete: true,
      known: [
        {
          team_id: ids.team,
          contact_number: contactNumber,
          name: contact.name,
          network_name: contact.network_name,
          fields: contact.fields,
          labels: contact.labels,
          note: contact.note,
          blocked: false,
        },
      ],
      notes: [
        {
          id: note.id,
          conversation_id: ids.conversation,
          author_name: note.author.name,
          text: note.text,
          created_at: note.created_at,
        },
      ],
      tester_of: [],
      consents: [{ contact: contactNumber, ...exampleConsent }],
      conversations: [
        {
          labels: ['rental'],
          id: ids.conversation,
          team_id: ids.team,
          device_id: ids.device,
          state: 'bot',
          flag: null,
          last_message_at: '2026-11-23T09:30:00.412Z',
          created_at: '2026-11-02T08:15:00.000Z',
        },
      ],
      messages: [
        {
          id: ids.message,
          team_id: ids.team,
          device_id: ids.device,
          direction: 'in',
          origin: 'contact',
          kind: 'image',
          text: 'Is this one free on Saturday?',
          status: 'answered',
          sent_at: '2026-11-23T09:30:00.000Z',
          created_at: '2026-11-23T09:30:00.412Z',
          media: [{ kind: 'image', mime_type: 'image/png', size: 8, content: 'iVBORw0KGgo=' }],
        },
      ],
      answers: [
        {
          id: ids.answer,
          bot_id: ids.bot,
          answered: true,
          rating: null,
          contact_rating: 'up',
          trace: { passages: [], actions: [] },
          created_at: '2026-11-23T09:30:04.000Z',
        },
      ],
    },
  },
  eraseContact: {
    body: { team_id: ids.team },
    data: { messages: 12, conversations: 1, answers: 6, events: 31 },
  },
};
