import { setTimeout as delay } from 'node:timers/promises';
import { createEncryption } from '../../src/platform/shared/encryption.ts';
import { poolKey } from '../../src/pool/pool-key.ts';
import { testEncryptionKey } from '../harness.ts';
import type { ChaosDatabase, ChaosServer } from './database.ts';
import type { Deployment } from './deployment.ts';
import type { Fixtures } from './fixtures.ts';
import type { NetworkPhones } from './phones.ts';
import type { PlannedFault } from './plan-faults.ts';
import type { ServerName } from './processes.ts';
import type { SupervisedProcess } from './supervised-process.ts';

export interface FaultTargets {
  server: ChaosServer;
  database: ChaosDatabase;
  deployment: Deployment;
  phones: NetworkPhones;
  fixtures: Fixtures;
}

/** Injects one fault and resolves when it is over. Killed processes restart by themselves. */
export async function injectFault(fault: PlannedFault, on: FaultTargets): Promise<void> {
  const { deployment } = on;
  switch (fault.kind) {
    case 'kill':
      return deployment.process(fault.process).restart('SIGKILL');
    case 'stop':
      return deployment.process(fault.process).restart('SIGTERM');
    case 'hand over':
      await waitUntilHosting(on.database, fault.process);
      return deployment.process(fault.process).restart('SIGTERM');
    case 'drain':
      await waitUntilHosting(on.database, fault.process);
      return drain(on.database, deployment.process(fault.process));
    case 'pause':
      return deployment.process(fault.process).pause(fault.ms);
    case 'crash database':
      return on.server.crash(fault.awayMs);
    case 'cut connections':
      await on.database.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'parley%' and random() * 100 < $1`,
        [fault.percent],
      );
      return;
    case 'network': {
      const device = on.fixtures.devices[fault.device]?.phone ?? on.fixtures.relinked.phone;
      return on.phones.injectFault({ device, fault: fault.fault, count: fault.count, ms: fault.ms });
    }
    case 'provider': {
      const { call, effect, count, ms } = fault;
      return sendProviderFault(deployment, 'POST', { call, effect, count, ms });
    }
  }
}

/** Cancels the pending faults of the provider and the network. */
export async function clearExternalFaults({ deployment, phones, fixtures }: FaultTargets): Promise<void> {
  await sendProviderFault(deployment, 'DELETE');
  for (const { phone: device } of fixtures.devices) {
    for (const fault of ['lose_ack_next', 'delay_acks'])
      await phones.injectFault({ device, fault, count: 0, ms: 0 });
  }
}

/** Selects a row if the pool has connected devices that another pool could take. */
const hosts = `
  select from pools p join audit.incarnations i on i.pool_id = p.id
  where i.process = $1 and p.lease_until > now()
    and exists (select from devices d where d.pool_id = p.id and d.connected)
    and exists (select from pools o where o.id <> p.id and o.lease_until > now() and not o.draining)`;

const handoverTimeoutMs = 12_000;

/** Waits until the pool hosts devices, up to a limit. */
async function waitUntilHosting({ query }: Pick<ChaosDatabase, 'query'>, pool: ServerName): Promise<void> {
  const deadline = performance.now() + handoverTimeoutMs;
  while (performance.now() < deadline && (await query(hosts, [pool])).length === 0) await delay(50);
}

/** Drains the pool. If it dies at a fault point, it restarts by itself. */
async function drain({ query }: Pick<ChaosDatabase, 'query'>, pool: SupervisedProcess): Promise<void> {
  const { pool: url = '' } = pool.addresses;
  const isSameRun = () => pool.isReady && pool.addresses['pool'] === url;
  const authorization = `Bearer ${poolKey(createEncryption(testEncryptionKey))}`;
  await fetch(`${url}/drain`, { method: 'POST', headers: { authorization } }).catch(() => undefined);
  const deadline = performance.now() + handoverTimeoutMs;
  while (performance.now() < deadline && isSameRun() && (await query(hosts, [pool.name])).length > 0)
    await delay(50);
  if (isSameRun()) await pool.restart('SIGTERM');
}

/** Ignores a provider that is down: it restarts without faults. */
async function sendProviderFault(
  deployment: Deployment,
  method: 'POST' | 'DELETE',
  body?: object,
): Promise<void> {
  await fetch(`${deployment.providerUrl()}/faults`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => undefined);
}
