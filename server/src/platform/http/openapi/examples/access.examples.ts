import { type Examples, ids, keyId } from './example.ts';

const secret = 'sk_3fQx8LmV0cNw5RtYhZ7aJb2KpUe9GsDi4WoTq6XnBvC1Zk';

const apiKey = {
  key_id: keyId,
  name: 'CRM integration',
  scope: 'team',
  team_id: ids.team,
  is_active: true,
  expires_at: '2027-11-23T00:00:00.000Z',
  last_used: '2026-11-23T09:30:00.000Z',
  created_at: '2026-11-02T08:15:00.000Z',
};

const token = 'Zk3v9Qw1T0xS2nB7mL5cD8rJ4hP6yA_eUiOqWfGtKxM';
const password = 'correct horse battery staple';
const team = { id: ids.team, name: 'Harbour Rentals' };
const signedIn = {
  id: ids.session,
  created_at: '2026-11-23T09:30:00.000Z',
  last_seen_at: '2026-11-23T09:30:00.000Z',
  expires_at: '2026-11-23T21:30:00.000Z',
  address: '203.0.113.7',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0',
  current: true,
};
const session = {
  user: {
    id: ids.user,
    name: 'Ana Souza',
    email: 'ana@harbour-rentals.example',
    phone: '+15550142',
    created_at: '2026-11-02T08:15:00.000Z',
    role: 'owner',
  },
  team,
  role: 'owner',
  memberships: [{ user_id: ids.user, team, role: 'owner' }],
  has_password: true,
  password_settable: false,
  has_second_factor: false,
  recovery_codes: 0,
  session: signedIn,
};
const staffSession = {
  ...session,
  user: { ...session.user, email: 'ana@parley.example' },
  team: null,
  memberships: [{ user_id: ids.user, team: null, role: 'owner' }],
};

const alertWishes = {
  mail_after_minutes: 5,
  push: true,
  devices: true,
  quiet_hours: { from: '22:00', until: '07:00', timezone: 'Europe/Berlin' },
  team_ids: null,
};
const alertSettings = {
  ...alertWishes,
  mail_possible: true,
  push_key: 'BDd3_hVL9fZi9Ybo2UUzA284WG5FZR30_95YeZJsiApwXKpNcF1rRPF3foIiBHXRdJI2Qhumhf6_LFTeZaNndIo',
  push_devices: 1,
};

const passkey = {
  id: ids.session,
  name: 'Laptop',
  host: 'parley.example.com',
  created_at: '2026-11-22T09:30:00.000Z',
  last_used_at: null,
};

export const accessExamples: Examples = {
  createAccessToken: {
    body: { key_id: keyId, key_secret: secret },
    data: {
      access_token:
        'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiJwa183SGQya1FtWjl4VzRiVDF2TmM4UiJ9.Q0d3Zk1ZcE9sVjJrN1RtWg',
      token_type: 'Bearer',
      expires_in: 86_400,
    },
  },
  getSignInMeans: { data: { password: true, code: true, oidc: true, set_up: false } },
  getSession: { data: session },
  signInWithPassword: { body: { email: 'ana@harbour-rentals.example', password }, data: session },
  changePassword: { body: { current_password: password, password: `${password}, twice` }, data: session },
  setUp: { body: { token, name: 'Ana Souza', email: 'ana@parley.example', password }, data: staffSession },
  readInvitation: {
    body: { token },
    data: {
      name: 'Ana Souza',
      email: 'ana@harbour-rentals.example',
      role: 'owner',
      team,
      brand: {
        name: 'Harbour Desk',
        color: null,
        logo: null,
        sender_name: null,
        accents: null,
        updated_at: '2026-11-22T09:30:00.000Z',
      },
      expires_at: '2026-11-30T09:30:00.000Z',
    },
  },
  acceptInvitation: { body: { token, password }, data: session },
  signInWithLink: { body: { token }, data: { ...session, password_settable: true } },
  requestSignInCode: {
    body: { email: 'ana@harbour-rentals.example', language: 'pt' },
    data: { request_id: ids.session, expires_at: '2026-11-23T09:40:00.000Z' },
  },
  signInWithCode: {
    body: { request_id: ids.session, email: 'ana@harbour-rentals.example', code: '40718263' },
    data: { ...session, password_settable: true },
  },
  requestRecoveryLink: {
    body: { email: 'ana@harbour-rentals.example' },
    data: { message: 'If somebody has this address, a mail is on its way' },
  },
  startOidc: {
    data: { url: `https://id.example.com/authorize?client_id=parley&response_type=code&state=${token}` },
  },
  signInWithOidc: {
    body: { code: 'Jq2x8mVt', state: token, iss: 'https://id.example.com' },
    data: { ...session, has_password: false },
  },
  startPasskey: {
    body: {},
    data: {
      challenge: token,
      host: 'parley.example.com',
      brand: 'Parley',
      user: { id: 'MDE5YTk1', name: 'ana@harbour-rentals.example', display_name: 'Ana Souza' },
      algorithms: [-8, -7, -257],
      existing: [],
    },
  },
  createPasskey: {
    body: {
      name: 'Laptop',
      id: 'AQIDBA',
      client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
      attestation: 'o2NmbXRkbm9uZQ',
    },
    data: passkey,
  },
  listPasskeys: { data: [passkey] },
  deletePasskey: { data: { message: 'Passkey removed' } },
  startPasskeySignIn: { data: { challenge: token, host: 'parley.example.com' } },
  signInWithPasskey: {
    body: {
      id: 'AQIDBA',
      client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
      authenticator_data: 'SZYN5YgOjGh0NBcP',
      signature: 'MEUCIQDx',
      user: 'MDE5YTk1',
    },
    data: session,
  },
  startSecondFactor: {
    body: {},
    data: {
      secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      url: 'otpauth://totp/Parley:ana%40harbour-rentals.example?issuer=Parley&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
      qr_code:
        'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    },
  },
  confirmSecondFactor: {
    body: { code: '287082' },
    data: { recovery_codes: ['KQ3T-7WZA-PL5M-XN2C', 'B6RD-VJ4E-OY7H-GS3U'] },
  },
  deleteSecondFactor: { body: { second_factor: '287082' }, data: { message: 'Second factor removed' } },
  createPortalLink: {
    body: { team_id: ids.team, role: 'agent', pages: ['conversations'], expires_in: 600 },
    data: {
      url: `https://parley.example.com/console/portal#${token}`,
      expires_at: '2026-11-23T09:40:00.000Z',
    },
  },
  openPortal: {
    body: { token },
    data: {
      access_token: `portal_${token}`,
      expires_at: '2026-11-23T10:30:00.000Z',
      id: ids.session,
      team,
      role: 'agent',
      pages: ['conversations'],
    },
  },
  signOut: { data: { message: 'Signed out' } },
  listSessions: { data: [signedIn] },
  endOtherSessions: { data: { message: 'Other sessions ended' } },
  endSession: { data: { message: 'Session ended' } },
  getAlertSettings: { data: alertSettings },
  putAlertSettings: { body: { ...alertWishes, language: 'en' }, data: alertSettings },
  addPushSubscription: {
    body: {
      endpoint: 'https://push.example.com/send/4f1c',
      keys: {
        p256dh: 'BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM',
        auth: 'tBHItJI5svbpez7KI4CCXg',
      },
    },
    data: { id: ids.session },
  },
  deletePushSubscription: { data: { message: 'Browser removed' } },
  createApiKey: {
    body: { name: 'CRM integration', expires_at: '2027-11-23T00:00:00Z', scope: 'team', team_id: ids.team },
    data: {
      key_id: keyId,
      key_secret: secret,
      name: 'CRM integration',
      created_at: '2026-11-02T08:15:00.000Z',
    },
  },
  listApiKeys: { data: [apiKey] },
  getApiKey: { data: apiKey },
  updateApiKey: {
    body: { name: 'CRM integration (old)', is_active: false },
    data: { ...apiKey, name: 'CRM integration (old)', is_active: false },
  },
  deleteApiKey: { data: { message: 'API key deleted' } },
};
