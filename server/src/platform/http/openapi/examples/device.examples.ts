import { created, devicePhone, type Examples, ids } from './example.ts';

const device = {
  id: ids.device,
  team_id: ids.team,
  bot_id: ids.bot,
  name: 'Front desk',
  status: 'started',
  type: 'messaging',
  connected: true,
  blocked: false,
  network: 'whatsapp',
  capabilities: {
    content: ['text', 'image', 'voice', 'document'],
    initiates: 'free',
    phone_numbers: true,
    pairing_codes: true,
    credentials: false,
  },
  web_chat: null,
  webhook_url: null,
  phone_number: devicePhone,
  token: 'dt_5mVq0Zr8LwYx2KsB',
  pool_url: 'https://pool-1.example.com',
  last_disconnect_reason: null,
  last_disconnect_at: null,
  ...created,
};
const stopped = { ...device, status: 'stopped', connected: false, phone_number: null };
const qrCode = 'data:image/png;base64,iVBORw0KGgo=';
const linkToken = 'kVb3x9_Qm-7TzR4wLd2sYc8NfHj1Ge5AoUiPq6XtBvM';

const pool = {
  id: ids.pool,
  url: 'https://pool-1.example.com',
  capacity: 5000,
  devices: 1240,
  connected: 1198,
  alive: true,
  draining: false,
  lease_age_seconds: 1.2,
  lease_remaining_seconds: 8.8,
  started_at: '2026-11-20T06:00:00.000Z',
};

const template = {
  id: ids.template,
  team_id: ids.team,
  device_id: ids.device,
  name: 'order_ready',
  language: 'en',
  category: 'utility',
  state: 'approved',
  reason: null,
  body: 'Your order {{1}} is ready.',
  variables: 1,
  ...created,
};

export const deviceExamples: Examples = {
  createDevice: {
    body: { team_id: ids.team, bot_id: ids.bot, name: 'Front desk', network: 'simulator' },
    data: stopped,
  },
  listDevices: { data: [device] },
  getDevice: { data: device },
  updateDevice: { body: { name: 'Reception' }, data: { ...device, name: 'Reception' } },
  deleteDevice: { data: { message: 'Device deleted' } },
  revokeDeviceToken: { data: { ...device, token: 'dt_1pTn6XcJ3RfGa9Ue' } },
  putDeviceCredentials: {
    body: {
      phone_number_id: '106540352242922',
      waba_id: '102290129340398',
      access_token: 'EAAJB5n3Xr9wBAK2',
      app_secret: '5f3c9a1e7b204d68',
    },
    data: {
      device_id: ids.device,
      webhook_url: 'https://parley.example.com/networks/whatsapp_cloud/8Jc2rQmT4xWvK1sZpLy3nBdF/webhook',
      verify_token: 'kVb3x9_Qm-7TzR4wLd2sYc8NfHj1Ge5A',
    },
  },
  listTemplates: { data: [template] },
  createTemplate: {
    body: {
      name: 'order_ready',
      language: 'en',
      category: 'utility',
      body: 'Your order {{1}} is ready.',
      examples: ['4711'],
    },
    data: { ...template, state: 'pending' },
  },
  deleteTemplate: { data: { message: 'Template deleted' } },
  connectDevice: {
    body: { pairing_phone_number: '+4915550100' },
    data: { device_id: ids.device, status: 'started', message: 'Scan the QR code with the phone' },
  },
  getDeviceStatus: {
    data: {
      device_id: ids.device,
      connected: false,
      logged_in: false,
      status: 'started',
      qr_code: qrCode,
      phone_number: null,
      message: 'Scan the QR code with the phone',
      last_disconnect_reason: null,
      last_disconnect_at: null,
      restrictions: [],
    },
  },
  stopDevice: { data: stopped },
  logoutDevice: {
    data: {
      ...stopped,
      last_disconnect_reason: 'logged_out',
      last_disconnect_at: '2026-11-23T09:30:00.000Z',
    },
  },
  deleteDeviceLink: { data: { message: 'Link ended' } },
  createDeviceLink: {
    body: { expires_in: 86400 },
    data: {
      url: `https://parley.example.com/console/link#${linkToken}`,
      expires_at: '2026-11-23T09:40:00.000Z',
    },
  },
  getLinkStatus: {
    body: { token: linkToken },
    data: {
      state: 'scan',
      device_name: 'Front desk',
      pairing: false,
      timed_out: false,
      message: 'Scan the QR code with the phone',
      qr_code: qrCode,
      expires_at: '2026-11-23T09:40:00.000Z',
    },
  },
  getLinkBrand: {
    body: { token: linkToken },
    data: {
      name: 'Harbour Desk',
      color: null,
      logo: null,
      sender_name: null,
      accents: null,
      updated_at: '2026-11-22T09:30:00.000Z',
    },
  },
  putLinkCredentials: {
    body: { token: linkToken, bot_token: '4837261:AAF-3kQ9xW4bT1vNc8Rz7Hd2kQmZ9xW4bT1v' },
    data: {
      state: 'linked',
      device_name: 'Front desk',
      pairing: false,
      timed_out: false,
      message: 'A phone is linked.',
      expires_at: '2026-11-23T09:40:00.000Z',
    },
  },
  connectLink: {
    body: { token: linkToken },
    data: {
      state: 'connecting',
      device_name: 'Front desk',
      pairing: false,
      timed_out: false,
      message: 'The connection is being started',
      expires_at: '2026-11-23T09:40:00.000Z',
    },
  },
  listPools: { data: [pool] },
  drainPool: { data: { ...pool, draining: true } },
};
