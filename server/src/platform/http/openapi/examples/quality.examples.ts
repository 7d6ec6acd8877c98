import { contactNumber, created, type Examples, ids } from './example.ts';

const messages = [{ role: 'contact', text: 'How high is the deposit for a tandem?' }];
const checks = [
  { kind: 'contains', text: '40 euros' },
  { kind: 'cites_document', document_id: ids.document },
];
const botCase = {
  id: ids.case,
  bot_id: ids.bot,
  name: 'Deposit of a tandem',
  messages,
  checks,
  origin: 'manual',
  enabled: true,
  ...created,
};
const run = {
  id: ids.run,
  bot_id: ids.bot,
  version: 'draft',
  baseline: 'published',
  sources: ['cases', 'recent'],
  state: 'finished',
  error: null,
  progress: 1,
  total: 92,
  passed: 90,
  failed: 1,
  warned: 1,
  changed: 3,
  worse: 1,
  cost: 0,
  results_url: `/api/openapi/v1/runs/${ids.run}/results`,
  created_at: '2026-11-23T09:30:00.000Z',
  finished_at: '2026-11-23T09:30:06.000Z',
};
const gate = {
  gate: {
    min_pass: 1,
    max_worse: 2,
    sources: ['cases', 'recent'],
    recent_count: 50,
    updated_at: created.updated_at,
  },
  updated_at: created.updated_at,
};

const outcomes = { questions: 120, answered: 96, asked_back: 9, declined: 11, handed_over: 4 };
const numbers = {
  ...outcomes,
  resolved_alone: 88,
  thumbs_up: 7,
  thumbs_down: 1,
  response_ms: 2400,
  credits: 120,
  cost: 0,
};
const analytics = {
  since: '2026-11-01',
  until: '2026-11-30',
  by: 'month',
  timezone: 'Europe/Lisbon',
  resolved_until: '2026-11-29T09:23:00.000Z',
  sum: numbers,
  periods: [{ start: '2026-11-01', ...numbers }],
  topics: [{ name: 'How high is the deposit?', ...outcomes }],
  languages: [{ language: 'en', ...outcomes }],
};

export const qualityExamples: Examples = {
  getBotHealth: {
    data: {
      answers_read: 1840,
      duplicates: [{ questions: ['How much is a tandem?', 'What does a tandem cost?'] }],
      contradictions: [
        {
          questions: ['How much is a tandem?', 'What does a tandem cost?'],
          numbers: [['40'], ['45']],
        },
      ],
      pairs: [{ question: 'Do you rent boats?', unused: true, answers: 0, case_ids: [] }],
      documents: [
        {
          document_id: ids.document,
          name: 'price-list.pdf',
          created_at: created.created_at,
          latest_year: 2025,
          stale: true,
          unused: false,
          answers: 31,
          case_ids: [ids.case],
        },
      ],
    },
  },
  getPreview: { data: { numbers: [contactNumber] } },
  setPreview: { body: { numbers: [contactNumber] }, data: { numbers: [contactNumber] } },
  getBotAnalytics: { data: analytics },
  getTeamAnalytics: { data: analytics },
  listCases: { data: [botCase] },
  createCase: { body: { name: botCase.name, messages, checks }, data: botCase },
  importCases: {
    body: { csv: 'question,contains\nHow high is the deposit for a tandem?,40 euros\n,40 euros' },
    data: { imported: 1, refused: [{ row: 3, message: 'question must not be empty' }] },
  },
  proposeCases: { data: { proposed: 12 } },
  getCase: { data: botCase },
  updateCase: { body: { enabled: false }, data: { ...botCase, enabled: false } },
  deleteCase: { data: { message: 'The case was deleted' } },
  createRun: {
    body: { baseline: 'published', sources: ['cases', 'recent'] },
    data: {
      ...run,
      state: 'waiting',
      progress: 0,
      total: 0,
      passed: 0,
      failed: 0,
      warned: 0,
      changed: 0,
      worse: 0,
      finished_at: null,
    },
  },
  listRuns: { data: [run] },
  getRun: { data: run },
  listRunResults: {
    data: [
      {
        position: 7,
        case_id: ids.case,
        conversation_id: null,
        name: botCase.name,
        outcome: 'failed',
        changed: true,
        worse: true,
        old: { text: 'The deposit is 40 euros.', answered: true, source: 'price-list.pdf' },
        new: { text: 'I am sorry, I do not know that.', answered: false, source: null },
        reasons: ['the answer does not contain “40 euros”', 'it was answered before'],
      },
    ],
  },
  getGate: { data: gate },
  putGate: { body: { min_pass: 1, max_worse: 2, sources: ['cases', 'recent'] }, data: gate },
  deleteGate: { data: { message: 'The gate was deleted' } },
};
