import { setTimeout as delay } from 'node:timers/promises';
import { poolKey } from '../../src/pool/pool-key.ts';
import { createEncryption } from '../../src/shared/encryption.ts';
import { testEncryptionKey } from '../harness.ts';
import type { ChaosDatabase, ChaosServer } from './database.ts';
import type { Deployment } from './deployment.ts';
import type { Furniture } from './furniture.ts';
import type { NetworkPhones } from './phones.ts';
import type { Fault } from './plan-faults.ts';

export interface Inflicting {
  server: ChaosServer;
  database: ChaosDatabase;
  deployment: Deployment;
  phones: NetworkPhones;
  furniture: Furniture;
}

/** Makes one fault happen; resolves when it is over. What was killed is started again by whoever keeps it. */
export async function inflict(fault: Fault, on: Inflicting): Promise<void> {
  const { deployment } = on;
  switch (fault.kind) {
    case 'kill':
      return deployment.process(fault.process).restart('SIGKILL');
    case 'stop':
      return deployment.process(fault.process).restart('SIGTERM');
    case 'drain':
      await drain(deployment.process(fault.process).addresses['pool'] ?? '');
      await delay(fault.ms);
      return deployment.process(fault.process).restart('SIGTERM');
    case 'pause':
      return deployment.process(fault.process).pause(fault.ms);
    case 'crash database':
      return on.server.crash(fault.awayMs);
    case 'cut connections':
      await on.database.ask(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where application_name like 'parley%' and random() * 100 < $1`,
        [fault.percent],
      );
      return;
    case 'network': {
      const device = on.furniture.devices[fault.device]?.phone ?? on.furniture.restless.phone;
      return on.phones.order({ device, fault: fault.fault, count: fault.count, ms: fault.ms });
    }
    case 'provider': {
      const { call, mischief, count, ms } = fault;
      return orderMischief(deployment, 'POST', { call, mischief, count, ms });
    }
  }
}

/** Whatever is still to go wrong outside of the service does not any more. */
export async function relieve({ deployment, phones, furniture }: Inflicting): Promise<void> {
  await orderMischief(deployment, 'DELETE');
  for (const { phone: device } of furniture.devices) {
    for (const fault of ['lose_ack_next', 'delay_acks'])
      await phones.order({ device, fault, count: 0, ms: 0 });
  }
}

/** A pool that is away has nothing to give. */
async function drain(poolUrl: string): Promise<void> {
  const authorization = `Bearer ${poolKey(createEncryption(testEncryptionKey))}`;
  await fetch(`${poolUrl}/drain`, { method: 'POST', headers: { authorization } }).catch(() => undefined);
}

/** A provider that is away has forgotten its mischief, and takes no more. */
async function orderMischief(
  deployment: Deployment,
  method: 'POST' | 'DELETE',
  body?: object,
): Promise<void> {
  await fetch(`${deployment.providerUrl()}/mischief`, {
    method,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => undefined);
}
