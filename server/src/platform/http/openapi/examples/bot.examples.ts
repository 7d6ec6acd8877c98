import { created, type Examples, ids } from './example.ts';

const question = { question: 'When are you open?', answer: 'Every day from 9 to 18.' };

const action = {
  id: ids.action,
  name: 'find_booking',
  description: 'Finds a booking by its number.',
  endpoint: 'https://api.harbour-rentals.example/bookings/{{booking_number}}',
  method: 'GET',
  headers: { key: 'X-Shop', value: 'harbour' },
  body: [],
  parameters: [{ name: 'booking_number', description: 'For example HR-2041.', required: true }],
};

const bot = {
  id: ids.bot,
  team_id: ids.team,
  name: 'Rental bot',
  role: 'assistant',
  description: 'Answers questions about bicycles and bookings.',
  ai_provider_id: 'asst_4Kd7Qm',
  vector_id: 'vs_9TzB31',
  instructions: 'Answer briefly and politely. Give prices in euros.',
  temperature: 0.7,
  published: true,
  live_version: 3,
  allow_human: true,
  ...created,
  identification_name: 'Marina',
  use_audio_responses: false,
  allow_user_audio_requests: true,
  capture_payments: false,
  break_lines: true,
  chat_model_level: 1,
};

const trace = {
  passages: [
    {
      document_id: ids.document,
      document: 'price-list.pdf',
      page: 2,
      heading: 'Tandems',
      quote: 'A tandem costs 30 euros a day.',
      score: 0.82,
    },
  ],
  actions: [{ name: 'find_booking', arguments: { booking_number: 'HR-2041' }, status: 200, ms: 184 }],
};

const bookingFound = '{"booking":"HR-2041","status":"confirmed"}';

export const botExamples: Examples = {
  createBot: {
    body: {
      team_id: ids.team,
      name: 'Rental bot',
      description: bot.description,
      instructions: bot.instructions,
      identification_name: 'Marina',
      questions: [question],
      document_ids: [ids.document],
      allow_human: true,
      allow_user_audio_requests: true,
      break_lines: true,
    },
    data: { ...bot, published: false },
  },
  listBots: { data: [bot] },
  getBot: {
    data: {
      ...bot,
      questions: [question],
      actions: [action],
      documents: [{ document_id: ids.document, bot_id: ids.bot }],
    },
  },
  updateBot: {
    body: { instructions: bot.instructions, questions: [question], actions: [action] },
    data: { ...bot, published: false },
  },
  publishBot: { body: {}, data: { id: ids.bot, published: true, message: 'The bot is published' } },
  deleteBot: { data: { message: 'The bot was deleted' } },
  listBotVersions: {
    data: [
      {
        version: 3,
        live: true,
        name: 'Rental bot',
        questions: 1,
        actions: 1,
        document_ids: [ids.document],
        published_at: '2026-11-23T09:30:00.000Z',
      },
    ],
  },
  getBotVersion: {
    data: {
      version: 3,
      live: true,
      name: 'Rental bot',
      document_ids: [ids.document],
      published_at: '2026-11-23T09:30:00.000Z',
      role: bot.role,
      description: bot.description,
      instructions: bot.instructions,
      identification_name: bot.identification_name,
      temperature: bot.temperature,
      chat_model_level: bot.chat_model_level,
      allow_human: bot.allow_human,
      use_audio_responses: bot.use_audio_responses,
      allow_user_audio_requests: bot.allow_user_audio_requests,
      capture_payments: bot.capture_payments,
      break_lines: bot.break_lines,
      questions: [question],
      actions: [action],
    },
  },
  restoreBotVersion: { data: { ...bot, published: false } },
  getUnansweredQuestions: {
    data: {
      total: 1,
      complete: true,
      groups: [
        {
          question: 'Do you deliver to Madeira?',
          count: 7,
          thumbs_down: 1,
          last_asked_at: '2026-11-23T09:30:00.412Z',
          examples: [
            {
              conversation_id: ids.conversation,
              message_id: ids.message,
              question: 'Do you ship to the island of Madeira?',
              asked_at: '2026-11-23T09:30:00.412Z',
            },
          ],
        },
      ],
    },
  },
  askBot: {
    body: {
      question: 'How much is a tandem?',
      version: 'draft',
      history: [
        { role: 'contact', text: 'Do you rent out bicycles?' },
        { role: 'assistant', text: 'Yes, every day from 9 to 18.' },
      ],
    },
    data: {
      answer: 'A tandem costs 30 euros a day.',
      answered: true,
      trace: {
        ...trace,
        actions: trace.actions.map((called) => ({ ...called, result: bookingFound })),
        usage: { input_tokens: 2210, output_tokens: 31, credits: 1, cost: 0.0006 },
        elapsed_ms: 912,
      },
    },
  },
  tryBotAction: {
    body: { arguments: { booking_number: 'HR-2041' } },
    data: { status: 200, error: null, result: bookingFound, ms: 184 },
  },
  getMessageAnswer: {
    data: {
      id: ids.answer,
      bot_id: ids.bot,
      version: 3,
      answered: true,
      credits: 1,
      trace,
      created_at: '2026-11-23T09:30:04.000Z',
    },
  },
};
