import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { commands } from '../server/src/process/cli/commands.ts';

const run = promisify(execFile);

/** Returns why tests with this program are skipped. */
const missing = (program: string, ...args: string[]): string | false =>
  spawnSync(program, args, { stdio: 'ignore' }).status === 0 ? false : `${program} is not installed`;

// biome-ignore lint/suspicious/noExplicitAny: the manifests have many shapes
type Document = any;

const readYaml = (path: string): Document[] =>
  parseAllDocuments(readFileSync(path, 'utf8'), { merge: true, strict: true }).map((document) => {
    assert.deepEqual(document.errors, [], path);
    return document.toJS();
  });

describe('Compose file', () => {
  const [compose] = readYaml('deploy/compose.yaml');

  test('runs PostgreSQL, an api, a pool and a worker with health checks and without root', () => {
    assert.deepEqual(Object.keys(compose.services).sort(), ['api', 'pool', 'postgres', 'try', 'worker']);
    for (const role of ['api', 'pool', 'worker']) {
      const { environment, cap_drop, stop_grace_period, depends_on } = compose.services[role];
      assert.equal(environment.ROLES, role);
      assert.deepEqual([cap_drop, stop_grace_period], [['ALL'], '130s'], role);
      assert.equal(depends_on.postgres.condition, 'service_healthy');
    }
    assert.deepEqual(compose.services.try.profiles, ['try'], 'starts only when asked for');
    for (const role of ['postgres', 'pool', 'worker'])
      assert.ok(compose.services[role].healthcheck.test, role);
  });

  test('takes every secret from the environment', () => {
    const { DATABASE_URL, ENCRYPTION_KEY, METRICS_TOKEN } = compose.services.api.environment;
    for (const value of [DATABASE_URL, ENCRYPTION_KEY, METRICS_TOKEN])
      assert.match(value, /\$\{[A-Z_]+:\?\}/);
  });

  test('passes only variables that Parley knows', () => {
    const known = new Set(
      [...readFileSync('docs/configuration.md', 'utf8').matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(
        ([, name]) => name,
      ),
    );
    const kubernetes = ['api', 'pool', 'worker'].flatMap((role) =>
      readYaml(`deploy/kubernetes/${role}.yaml`),
    );
    const names = [
      ...['api', 'pool', 'worker'].flatMap((role) => Object.keys(compose.services[role].environment)),
      ...kubernetes
        .flatMap(({ spec }) => spec.template?.spec.containers[0].env ?? [])
        .map(({ name }) => name),
      ...readYaml('deploy/kubernetes/kustomization.yaml')[0].configMapGenerator[0].literals.map(
        (literal: string) => literal.split('=')[0],
      ),
    ];
    assert.deepEqual(
      names.filter((name) => !known.has(name) && name !== 'NAME'),
      [],
    );
  });
});

describe('Kubernetes manifests', () => {
  const skip = missing('kubectl', 'version', '--client');

  test('build with Kustomize', { skip }, async () => {
    const { stdout } = await run('kubectl', ['kustomize', 'deploy/kubernetes']);
    const objects: Document[] = parseAllDocuments(stdout).map((document) => document.toJS());
    assert.equal(objects.filter(({ kind }) => kind === 'PodDisruptionBudget').length, 3);
  });

  test('let each role stop gracefully, as an ordinary user, with probes', () => {
    for (const role of ['api', 'pool', 'worker']) {
      const documents = readYaml(`deploy/kubernetes/${role}.yaml`);
      const pod = documents.find(({ spec }) => spec.template !== undefined).spec.template.spec;
      assert.deepEqual(
        [pod.terminationGracePeriodSeconds, pod.securityContext.runAsNonRoot],
        [130, true],
        role,
      );
      const [container] = pod.containers;
      assert.equal(container.securityContext.readOnlyRootFilesystem, true, role);
      for (const probe of ['startupProbe', 'livenessProbe'])
        assert.equal(container[probe].httpGet.path, '/healthz', `${role} ${probe}`);
      assert.ok(container.startupProbe && container.livenessProbe && container.resources.limits.memory, role);
      assert.ok(
        documents.some(({ kind, spec }) => kind === 'PodDisruptionBudget' && spec.maxUnavailable === 1),
        role,
      );
    }
  });
});

test('Compose can run several containers of each role', () => {
  const [{ services }] = readYaml('deploy/compose.yaml');
  for (const role of ['api', 'pool', 'worker']) {
    const { hostname, container_name, ports = [], environment, read_only, logging } = services[role];
    assert.deepEqual(
      [hostname, container_name, environment.POOL_URL],
      [undefined, undefined, undefined],
      role,
    );
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:\d+-\d+:\d+$/, role);
    assert.equal(read_only, true, role);
    assert.ok(logging.options['max-size'], role);
  }
});

test('the nightly backup runs the command with options that it knows', () => {
  const [, job] = readYaml('deploy/kubernetes/backup.yaml');
  const [container] = job.spec.jobTemplate.spec.template.spec.containers;
  assert.match(container.args[0], /^parley backup --without-keys "/);
  const { options } = commands.find(({ name }) => name === 'backup') ?? assert.fail();
  assert.ok(options?.['without-keys']);
});

test('the systemd unit is valid', { skip: missing('systemd-analyze', '--version') }, async () => {
  const { stderr } = await run('systemd-analyze', ['verify', 'deploy/systemd/parley.service']).catch(
    (error: { stderr: string }) => error,
  );
  const problems = stderr.split('\n').filter((line) => line !== '' && !line.includes('is not executable'));
  assert.deepEqual(problems, []);
});

test('the alert rules are valid, and one reports a rewritten audit log for an hour', {
  skip: missing('promtool', '--version'),
}, async () => {
  await run('promtool', ['check', 'rules', 'deploy/prometheus/rules.yaml']);
  await run('promtool', ['test', 'rules', 'deploy/prometheus/rules.test.yaml']);
});

test('the dashboard and the alert rules use metrics that exist', () => {
  const documented = readFileSync('docs/metrics.md', 'utf8');
  const text =
    readFileSync('deploy/prometheus/rules.yaml', 'utf8') + readFileSync('deploy/grafana/parley.json', 'utf8');
  const names = new Set(
    [...text.matchAll(/\bparley_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, '')),
  );
  assert.ok(names.size > 12);
  for (const name of names) assert.match(documented, new RegExp(`^\\| \`${name}[{\`]`, 'm'), name);
  const { panels } = JSON.parse(readFileSync('deploy/grafana/parley.json', 'utf8'));
  for (const { title, targets } of panels as Document[]) assert.ok(targets.length > 0, title);
});

test('the Dockerfile runs as an ordinary user, with a health check, and leaves out GPL packages', () => {
  const file = readFileSync('deploy/Dockerfile', 'utf8');
  const user = file.indexOf('\nUSER node');
  assert.ok(user > 0 && user < file.indexOf('\nENTRYPOINT'));
  assert.match(file, /^HEALTHCHECK /m);
  assert.match(readFileSync('.dockerignore', 'utf8'), /^\*\*\/node_modules$/m);
  assert.match(readFileSync('.dockerignore', 'utf8'), /^\*\*\/\.env$/m, 'no secrets');
  assert.doesNotMatch(file, /packages\/whatsapp/);
});
