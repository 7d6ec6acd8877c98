import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import { test } from 'node:test';
import { hostsSimulator, linkBase, listedHosts, readConfig } from './config.ts';

test('lists the hosts of ALLOWED_HOSTS, BASE_URL and POOL_URL in lower case', () => {
  const config = readConfig({
    ALLOWED_HOSTS: 'Parley.example.com, my_service,bücher.example',
    BASE_URL: 'http://Laptop.local:3000',
    POOL_URL: 'http://pool-1:4000',
  });
  assert.deepEqual(listedHosts(config), [
    'parley.example.com',
    'my_service',
    'xn--bcher-kva.example',
    'laptop.local',
    'pool-1',
  ]);
});

test('lists the name of the machine for a pool that listens on all addresses', () => {
  for (const POOL_HOST of ['0.0.0.0', '::'])
    assert.deepEqual(listedHosts(readConfig({ POOL_HOST })), [hostname().toLowerCase()]);
});

test('refuses a secret that is set twice, and a file of a secret that it cannot read', () => {
  const METRICS_TOKEN_FILE = '/nowhere/token';
  assert.throws(
    () => readConfig({ METRICS_TOKEN_FILE }),
    /cannot read \/nowhere\/token of METRICS_TOKEN_FILE/,
  );
  assert.throws(
    () => readConfig({ METRICS_TOKEN_FILE, METRICS_TOKEN: 'token_of_the_metrics' }),
    /METRICS_TOKEN: .*set it or METRICS_TOKEN_FILE, not both/,
  );
});

test('refuses hosts with a port, a path or a wildcard', () => {
  for (const host of ['parley:3000', 'http://parley', 'parley/x', '*', '*.example.com', 'a b'])
    assert.throws(() => readConfig({ ALLOWED_HOSTS: host }), /ALLOWED_HOSTS: .* must be a host name/, host);
});

test('enables several networks, the simulator among them or not', () => {
  const { MESSAGING_NETWORK: networks, ...config } = readConfig({
    MESSAGING_NETWORK: 'whatsapp, simulator,whatsapp',
  });
  assert.deepEqual(networks, ['whatsapp', 'simulator']);
  assert.equal(hostsSimulator({ ...config, MESSAGING_NETWORK: networks }), true);
  assert.throws(
    () => readConfig({ MESSAGING_NETWORK: 'whatsapp,pigeon' }),
    /MESSAGING_NETWORK: must be one of simulator, whatsapp/,
  );
  assert.throws(() => readConfig({ MESSAGING_NETWORK: ',' }), /must name at least one network/);
  const production = { NODE_ENV: 'production', MESSAGING_NETWORK: 'whatsapp,simulator' };
  assert.throws(() => readConfig(production), /simulator is not allowed with NODE_ENV=production/);
});

test('serves the simulator to other machines only with ALLOW_SIMULATOR', () => {
  const elsewhere = { MESSAGING_NETWORK: 'whatsapp' };
  const separate = { ROLES: 'pool', SIMULATOR_URL: 'http://127.0.0.1:4000' };
  for (const HOST of ['0.0.0.0', '::', '192.168.1.20', 'parley.example.com']) {
    assert.throws(() => readConfig({ HOST }), /HOST: .* ALLOW_SIMULATOR=true/, HOST);
    for (const allowed of [{ ALLOW_SIMULATOR: 'true' }, elsewhere, separate])
      assert.equal(readConfig({ HOST, ...allowed }).HOST, HOST);
  }
  for (const HOST of ['127.0.0.1', '127.0.0.2', '::1', 'localhost', 'LOCALHOST'])
    assert.equal(readConfig({ HOST }).HOST, HOST);
});

test('needs the address of the embedding model, and the model with its address or key', () => {
  const EMBEDDING_MODEL = 'bge-m3';
  const EMBEDDING_BASE_URL = 'http://127.0.0.1:11434/v1/';
  const config = readConfig({ EMBEDDING_MODEL, EMBEDDING_BASE_URL });
  assert.equal(config.EMBEDDING_MODEL, EMBEDDING_MODEL);
  assert.equal(config.EMBEDDING_BASE_URL, 'http://127.0.0.1:11434/v1');
  assert.equal(config.EMBEDDING_API_KEY, null);
  assert.throws(
    () => readConfig({ EMBEDDING_MODEL }),
    /EMBEDDING_BASE_URL: is required with EMBEDDING_MODEL/,
  );
  for (const lonely of [{ EMBEDDING_BASE_URL }, { EMBEDDING_API_KEY: 'key' }])
    assert.throws(() => readConfig(lonely), /EMBEDDING_MODEL: is required/);
});

test('refuses names and keys of embedding models that no HTTP request can carry', () => {
  for (const wrong of ['m'.repeat(201), 'two words', 'línea']) {
    const given = { EMBEDDING_MODEL: wrong, EMBEDDING_BASE_URL: 'http://127.0.0.1:11434/v1' };
    assert.throws(() => readConfig(given), /EMBEDDING_MODEL: must be at most 200 printable/, wrong);
  }
  assert.throws(
    () => readConfig({ EMBEDDING_API_KEY: 'k'.repeat(1001) }),
    /EMBEDDING_API_KEY: must be at most/,
  );
  assert.throws(
    () => readConfig({ EMBEDDING_BASE_URL: 'ftp://host' }),
    /EMBEDDING_BASE_URL: must be an http/,
  );
});

test('refuses incomplete settings of S3', () => {
  const s3 = {
    FILE_STORE: 's3',
    S3_BUCKET: 'parley-files',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
  };
  assert.equal(readConfig(s3).S3_BUCKET, 'parley-files');
  for (const name of ['S3_BUCKET', 'S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY'])
    assert.throws(
      () => readConfig({ ...s3, [name]: '' }),
      new RegExp(`${name}: is required with FILE_STORE=s3`),
    );
  assert.throws(() => readConfig({ ...s3, S3_ENDPOINT: 'minio:9000' }), /S3_ENDPOINT: must be an http/);
  assert.throws(() => readConfig({ ...s3, S3_BUCKET: 'My_Bucket' }), /S3_BUCKET: must be the name/);
  assert.throws(
    () => readConfig({ ...s3, S3_SECRET_ACCESS_KEY: 'two words' }),
    (error: Error) => !error.message.includes('two words'),
  );
  assert.throws(
    () => readConfig({ ...s3, FILE_STORE: '' }),
    /S3_BUCKET: has no effect with FILE_STORE=local/,
  );
});

test('refuses settings of a language model that cannot work', () => {
  const model = { ASSISTANT_PROVIDER: 'openai', MODEL_API_KEY: 'sk-1', MODEL_LEVEL_1: 'small' };
  assert.equal(readConfig(model).MODEL_LEVEL_1, 'small');
  const local = { ASSISTANT_PROVIDER: 'openai-compatible', MODEL_LEVEL_1: 'qwen3:8b' };
  assert.equal(readConfig({ ...local, MODEL_BASE_URL: 'http://127.0.0.1:11434/v1/' }).MODEL_API_KEY, null);
  for (const [environment, problem] of [
    [{ ...model, MODEL_API_KEY: '' }, /MODEL_API_KEY: is required with ASSISTANT_PROVIDER=openai/],
    [{ ...model, MODEL_LEVEL_1: '', MODEL_LEVEL_2: 'large' }, /MODEL_LEVEL_1: is required/],
    [local, /MODEL_BASE_URL: is required with ASSISTANT_PROVIDER=openai-compatible/],
    [{ MODEL_LEVEL_1: 'small' }, /MODEL_LEVEL_1: has no effect/],
    [{ ...model, MODEL_API_KEY: 'a b' }, /MODEL_API_KEY: must be/],
    [{ ...model, MODEL_TIMEOUT_SECONDS: '0' }, /MODEL_TIMEOUT_SECONDS: must be/],
    [{ EMBEDDING_MODEL: 'embed' }, /EMBEDDING_BASE_URL: is required/],
    [{ MODEL_VISION: 'true' }, /MODEL_VISION: has no effect/],
    [{ ASSISTANT_PROVIDER: 'gpt' }, /must be one of embedded, openai/],
  ] as const) {
    assert.throws(() => readConfig(environment), problem);
  }
});

test('refuses settings of an identity provider that cannot work', () => {
  const oidc = {
    OIDC_ISSUER: 'https://id.example.com/app/',
    OIDC_CLIENT_ID: 'parley',
    OIDC_CLIENT_SECRET: 'secret',
  };
  assert.equal(readConfig(oidc).OIDC_ISSUER, oidc.OIDC_ISSUER);
  assert.equal(readConfig({ ...oidc, OIDC_ISSUER: 'http://127.0.0.1:9' }).OIDC_ISSUER, 'http://127.0.0.1:9');
  const open = { ...oidc, HOST: '0.0.0.0', ALLOW_SIMULATOR: 'true' };
  for (const [environment, problem] of [
    [open, /BASE_URL: is required with OIDC_ISSUER/],
    [{ ...oidc, OIDC_CLIENT_SECRET: '' }, /OIDC_CLIENT_SECRET: is required with OIDC_ISSUER/],
    [{ OIDC_CLIENT_ID: 'parley' }, /OIDC_CLIENT_ID: has no effect without OIDC_ISSUER/],
    [{ OIDC_ALLOWED_DOMAINS: 'a.example' }, /OIDC_ALLOWED_DOMAINS: has no effect/],
    [{ ...oidc, OIDC_ISSUER: 'http://id.example.com' }, /OIDC_ISSUER: must be an https address/],
    [{ ...oidc, OIDC_ISSUER: 'https://id.example.com?x' }, /OIDC_ISSUER: must be an https address/],
    [{ ...oidc, OIDC_DEFAULT_ROLE: 'admin' }, /set both or neither/],
    [
      { ...oidc, OIDC_DEFAULT_ROLE: 'owner', OIDC_ALLOWED_DOMAINS: 'a.example' },
      /OIDC_DEFAULT_ROLE: must be/,
    ],
    [
      { ...oidc, OIDC_DEFAULT_ROLE: 'admin', OIDC_ALLOWED_DOMAINS: '@a.example' },
      /OIDC_ALLOWED_DOMAINS: .*is not a domain/,
    ],
  ] as const) {
    assert.throws(() => readConfig(environment), problem);
  }
});

test('refuses settings of mail that cannot work', () => {
  const from = { MAIL_FROM: 'noreply@example.com' };
  const mail = { ...from, MAIL_URL: 'smtp://post:p%2Fw@mail.example.com:587' };
  assert.equal(readConfig({}).MAIL_URL, null);
  assert.equal(readConfig({ MAIL_URL: 'none' }).MAIL_URL, null);
  assert.equal(readConfig(mail).MAIL_URL, mail.MAIL_URL);
  assert.equal(linkBase(readConfig(mail)), 'http://127.0.0.1:3000');
  const open = { ...mail, HOST: '0.0.0.0', ALLOW_SIMULATOR: 'true' };
  assert.equal(
    linkBase(readConfig({ ...open, BASE_URL: 'https://parley.example.com' })),
    'https://parley.example.com',
  );
  for (const [environment, problem] of [
    [open, /BASE_URL: is required with MAIL_URL/],
    [from, /MAIL_FROM: has no effect without MAIL_URL/],
    [{ ...mail, MAIL_FROM: '' }, /MAIL_FROM: is required with MAIL_URL/],
    [{ ...mail, MAIL_FROM: 'Parley <noreply@example.com>' }, /MAIL_FROM: must be an e-mail address/],
    [{ ...mail, MAIL_FROM: 'a@example.com\r\nBcc: b@example.com' }, /MAIL_FROM: must be an e-mail address/],
  ] as const) {
    assert.throws(() => readConfig(environment), problem);
  }
  const urls = [
    'smtp://',
    'http://mail.example.com',
    'smtp://post@mail.example.com',
    'smtp://m/path',
    'mail:25',
  ];
  for (const MAIL_URL of [...urls, 'smtp://m?tls=no', 'smtp://:p@m'])
    assert.throws(() => readConfig({ ...mail, MAIL_URL }), /MAIL_URL: must be none, or smtp:/, MAIL_URL);
  assert.throws(
    () => readConfig({ ...mail, MAIL_URL: 'smtp://post:hunter24@' }),
    (error: Error) => !error.message.includes('hunter24'),
  );
});

test('refuses settings of speech that cannot work', () => {
  const service = { SPEECH_PROVIDER: 'openai-compatible', SPEECH_BASE_URL: 'http://127.0.0.1:8000/v1' };
  const speaking = { ...service, SPEECH_MODEL: 'tts', SPEECH_VOICE: 'alloy' };
  const transcribing = { ...service, TRANSCRIPTION_MODEL: 'whisper' };
  assert.equal(readConfig(speaking).TRANSCRIPTION_MODEL, null);
  assert.equal(readConfig(transcribing).SPEECH_MODEL, null);
  for (const [environment, problem] of [
    [{ ...speaking, SPEECH_BASE_URL: '' }, /SPEECH_BASE_URL: is required with SPEECH_PROVIDER/],
    [service, /SPEECH_MODEL, TRANSCRIPTION_MODEL: set at least one of them/],
    [{ ...speaking, SPEECH_VOICE: '' }, /SPEECH_MODEL, SPEECH_VOICE: set both or neither/],
    [{ ...transcribing, SPEECH_VOICE: 'alloy' }, /SPEECH_MODEL, SPEECH_VOICE: set both or neither/],
    [{ ...transcribing, SPEECH_PROVIDER: 'none' }, /TRANSCRIPTION_MODEL: has no effect/],
    [{ SPEECH_API_KEY: 'sk-1' }, /SPEECH_API_KEY: has no effect with SPEECH_PROVIDER=none/],
    [{ SPEECH_PROVIDER: 'elevenlabs' }, /SPEECH_PROVIDER: must be one of none, openai-compatible/],
  ] as const) {
    assert.throws(() => readConfig(environment), problem);
  }
});
