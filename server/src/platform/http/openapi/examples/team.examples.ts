import { created, type Examples, ids } from './example.ts';

const quotas = {
  bots: 10,
  accounts: 10,
  characters: 20_000_000,
  documents: 500,
  members: 10,
  credits: 20_000,
};

const plan = {
  name: 'pro',
  features: { allowActiveMessaging: true },
  active_messages_monthly: 1000,
  paying: true,
  quotas,
};
const { name: _, ...planTerms } = plan;

const team = {
  id: ids.team,
  name: 'Harbour Rentals',
  plan_name: 'pro',
  paying: true,
  banned: false,
  ...created,
};
const teamDetail = {
  ...team,
  quotas,
  settings: {
    locale: 'en',
    timezone: 'Europe/Lisbon',
    reply_delay_seconds: 2,
    human_takeover_minutes: 60,
    retention_days: 365,
    disclosure: null,
  },
};

const user = {
  id: ids.user,
  name: 'Ana Souza',
  email: 'ana@harbour-rentals.example',
  phone: '+15550142',
  created_at: '2026-11-02T08:15:00.000Z',
};
const person = { ...user, id: ids.user, name: 'Noor Haddad', email: 'noor@example.com', phone: null };
const presence = { state: 'invited', last_seen_at: null, has_picture: false };
const member = { ...person, role: 'agent', ...presence };
const staff = { ...person, role: 'support', ...presence };
const invitation = {
  invitation_url: 'https://parley.example/console/invitation#Zk3v9Qw1T0xS2nB7mL5cD8rJ4hP6yA_eUiOqWfGtKxM',
  expires_at: '2026-11-30T09:30:00.000Z',
  mailed: true,
};

const modelUsage = {
  calls: 412,
  calls_without_tokens: 0,
  calls_without_cost: 0,
  input_tokens: 910_400,
  cached_tokens: 602_112,
  output_tokens: 48_230,
  reasoning_tokens: 0,
  cost: 1.87,
};

const logo =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const brand = {
  name: 'Harbour Desk',
  color: '#0b5cad',
  logo,
  sender_name: 'Harbour Rentals',
  accents: { accent: '#0b5cad', on_accent: '#ffffff', text_on_light: '#0b5cad', text_on_dark: '#6196cb' },
  updated_at: '2026-11-22T09:30:00.000Z',
};
const host = {
  name: 'desk.harbour-rentals.example',
  team_id: ids.team,
  created_at: '2026-11-22T09:30:00.000Z',
};

export const teamExamples: Examples = {
  listPlans: { data: [plan] },
  putPlan: { body: planTerms, data: plan },
  deletePlan: { data: { message: 'Plan deleted' } },
  createTeam: {
    body: {
      user: { name: 'Ana Souza', email: 'ana@harbour-rentals.example', phone: '+15550142' },
      team: { name: 'Harbour Rentals', plan_name: 'pro', quotas: { documents: 800 } },
    },
    data: {
      team,
      user,
    },
  },
  listTeams: { data: [team] },
  getTeam: { data: teamDetail },
  updateTeam: {
    body: { plan_name: 'enterprise', quotas: { bots: null }, settings: { reply_delay_seconds: 5 } },
    data: {
      ...teamDetail,
      plan_name: 'enterprise',
      settings: { ...teamDetail.settings, reply_delay_seconds: 5 },
    },
  },
  getBrand: { data: brand },
  putBrand: {
    body: { name: brand.name, color: brand.color, logo, sender_name: brand.sender_name },
    data: brand,
  },
  getHost: { data: host },
  putHost: { body: { team_id: ids.team }, data: host },
  deleteHost: { data: { message: 'Host removed' } },
  deleteTeam: { data: { message: 'Team deleted' } },
  createTeamMember: {
    body: { name: 'Noor Haddad', email: 'noor@example.com', role: 'agent' },
    data: { ...member, ...invitation },
  },
  inviteTeamMember: { data: invitation },
  listTeamMembers: { data: [member] },
  updateTeamMember: { body: { role: 'editor' }, data: { ...member, role: 'editor' } },
  deleteTeamMember: { data: { message: 'Member removed' } },
  createUser: {
    body: { name: 'Noor Haddad', email: 'noor@example.com', role: 'support' },
    data: { ...staff, ...invitation },
  },
  inviteUser: { data: invitation },
  listUsers: { data: [staff] },
  updateUser: { body: { role: 'admin' }, data: { ...staff, role: 'admin' } },
  deleteUser: { data: { message: 'User removed' } },
  getQuotaWarnings: {
    data: {
      warnings: [
        { team_id: ids.team, team_name: team.name, quota: 'active_messages', used: 940, limit: 1000 },
      ],
    },
  },
  getCompliance: {
    data: {
      team_id: ids.team,
      team_name: team.name,
      since: '2026-10-28T00:00:00.000Z',
      until: '2026-11-27T00:00:00.000Z',
      disclosure: { mode: 'first_reply', reason: null, set_by: 'deployment' },
      answers: 1204,
      conversations: { answered: 310, noticed: 310, automated: 1 },
      opt_outs: { now: 12, added: 4, undone: 1 },
      people: { requested: 18, took_over: 23 },
      bots: [
        {
          id: '01985e2a-5c3d-7a3e-8a63-0f4dfb3f9c10',
          name: 'Front desk',
          purpose: 'bicycles, repairs and guided tours',
          disclosure_mode: null,
          answers: 412,
          off_topic: 7,
        },
      ],
      retention_days: 365,
      erasures: 2,
      exports: 1,
      recipients: [
        { kind: 'model', name: 'openai', host: 'api.openai.com', own: false },
        { kind: 'webhook', name: null, host: 'hooks.example.com', own: false },
      ],
      storage: { database: 'embedded', files: 'local', documents: 'database' },
    },
  },
  getTeamUsage: {
    data: {
      quotas: {
        bots: { used: 2, limit: 10 },
        accounts: { used: 3, limit: 10 },
        characters: { used: 184_212, limit: 20_000_000 },
        documents: { used: 14, limit: 500 },
        members: { used: 1, limit: 10 },
        credits: { used: 1204, limit: 20_000 },
      },
      active_messages: { month: '2026-11', used: 318, quota: 1000, limit: 1050, remaining: 732 },
      ai: { ...modelUsage, by_model: [{ provider: 'openai', model: 'gpt-5-mini', ...modelUsage }] },
      message_prices: [
        {
          category: 'marketing',
          currency: 'EUR',
          billable: 120,
          not_billable: 0,
          without_price: 2,
          amount: 13.3458,
        },
        {
          category: 'service',
          currency: 'EUR',
          billable: 0,
          not_billable: 318,
          without_price: 0,
          amount: 0,
        },
      ],
    },
  },
};
