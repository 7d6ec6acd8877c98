import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';
import { describeSettings, findMisspelled } from './config-report.ts';

test('names the value of a wrong variable, but no secret', () => {
  const wrong = {
    PORT: '70000',
    LEASE_SECONDS: '0',
    LOG_LEVEL: 'loud',
    CORS_ORIGINS: 'https://a.example/x',
    DATABASE_URL: 'mysql://root:hun@ter22@db/x?password=hunter23',
    SPEECH_BASE_URL: 'ftp://user:hunter24@speech',
    ENCRYPTION_KEY: 'hunter25',
    METRICS_TOKEN: 'h 26',
    BOOTSTRAP_KEY_SECRET: 'h 27',
  };
  const message = (() => {
    try {
      readConfig(wrong);
    } catch (error) {
      return String(error);
    }
    return assert.fail('the configuration was accepted');
  })();
  assert.match(message, /PORT: must be a whole number from 0 to 65535, not "70000"/);
  assert.match(message, /LEASE_SECONDS: must be a whole number from 1 to 600, not "0"/);
  assert.match(message, /LOG_LEVEL: must be one of .*, not "loud"/);
  assert.match(message, /CORS_ORIGINS: https:\/\/a\.example\/x must be an origin[^"]*$/m);
  assert.match(message, /DATABASE_URL: must begin with .*, not "mysql:\/\/\*\*\*@db\/x\?\*\*\*"/);
  assert.match(message, /SPEECH_BASE_URL: .*, not "ftp:\/\/\*\*\*@speech"/);
  assert.doesNotMatch(message, /hun@ter22|hunter2|h 2\d/);
});

test('prints settings that are set, without secrets', () => {
  const settings = describeSettings({
    PORT: '4000',
    PATH: '/bin',
    LOG_LEVEL: ' ',
    ENCRYPTION_KEY: 'hunter22',
    DATABASE_URL: 'postgres://parley:hunter22@db/parley?sslpassword=hunter22',
  });
  assert.deepEqual(settings, [
    ['PORT', '4000'],
    ['DATABASE_URL', 'postgres://***@db/parley?***'],
    ['ENCRYPTION_KEY', '(a secret)'],
  ]);
});

test('recognizes misspelled variables', () => {
  const given = { PRT: '1', DATABSE_URL: 'x', data_dir: 'x', MODEL_LEVEL_2: 'a', HOST: 'b' };
  assert.deepEqual(findMisspelled(given), [
    { given: 'PRT', meant: 'PORT' },
    { given: 'DATABSE_URL', meant: 'DATABASE_URL' },
    { given: 'data_dir', meant: 'DATA_DIR' },
  ]);
});

test('leaves variables of other programs alone', () => {
  const others = [
    'HOME',
    'PATH',
    'SHELL',
    'PWD',
    'TERM',
    'LANG',
    'USER',
    'LOGNAME',
    'HOSTNAME',
    'NODE_OPTIONS',
  ];
  const kubernetes = ['PARLEY_PORT', 'PARLEY_SERVICE_HOST', 'KUBERNETES_PORT', 'KUBERNETES_SERVICE_HOST'];
  const npm = ['npm_config_cache', 'npm_package_name', 'INIT_CWD', 'NODE'];
  const names = [...others, ...kubernetes, ...npm];
  assert.deepEqual(findMisspelled(Object.fromEntries(names.map((name) => [name, 'x']))), []);
});
