import type { Environment } from './environment.ts';
import { createFixtures, type Fixtures } from './fixtures.ts';
import { clearExternalFaults, injectFault } from './inject-fault.ts';
import { emptyLedger, type Ledger } from './ledger.ts';
import { findViolations } from './oracle/oracle.ts';
import { createPlan, type Plan } from './plan.ts';
import { type PlanClock, startPlanClock } from './plan-clock.ts';
import type { WorkloadStep } from './plan-workload.ts';
import { serverNames } from './processes.ts';
import type { ProcessExit } from './supervised-process.ts';
import { waitUntilIdle } from './wait-until-idle.ts';
import { runStep } from './workload.ts';

/** The result of a seed. */
export interface Outcome {
  plan: Plan;
  violations: string[];
  /** Unplanned exits and exits at fault points. */
  exits: ProcessExit[];
  /** From the end of the last fault until the system was idle. */
  recoveryMs: number;
  /** The last unfinished work. */
  lastActive: string;
  elapsedMs: number;
  inbound: number;
  steps: number;
}

/** Generous, because other work on the machine slows recovery. */
const idleTimeoutMs = 300_000;

/** Runs the seed, waits until the system is idle and checks the result. Reports failures of the service as violations. */
export async function runSeed(environment: Environment, seed: number): Promise<Outcome> {
  const startedAt = performance.now();
  const plan = createPlan(seed, { crashesDatabase: environment.server.isReplicated });
  const ledger = emptyLedger();
  environment.exits.length = 0;
  const fixtures = await createFixtures(environment.partner, environment.phones, {
    seed,
    activeMessages: plan.activeMessages,
    actionUrl: environment.service.url,
  });
  const violations: string[] = [];
  const recordFailure = (error: unknown) =>
    void violations.push(error instanceof Error ? error.message : String(error));
  const clock = startPlanClock(() =>
    Promise.all(serverNames.map((name) => environment.deployment.process(name).waitUntilReady())),
  );
  const run: SeedRun = { environment, plan, fixtures, ledger, clock };
  const pending = new Set<string>();
  const work = [...startContacts(run), ...startLanes(run, recordFailure)].map(({ name, done }) => {
    pending.add(name);
    return done.catch(recordFailure).finally(() => pending.delete(name));
  });
  await injectFaults(run);
  const clearedAt = performance.now();
  const rest = await waitUntilIdle(
    {
      database: environment.database,
      ledger,
      pending: () => [...pending],
      dropPhone: (device) => environment.phones.injectFault({ device, fault: 'drop', count: 1, ms: 0 }),
    },
    idleTimeoutMs,
  );
  violations.push(...rest.left);
  const recoveryMs = performance.now() - clearedAt;
  if (violations.length === 0) {
    await Promise.all(work);
    violations.push(...(await findViolations(environment, { fixtures, ledger })));
  }
  violations.push(...findUnexpectedExits(environment.exits));
  return {
    plan,
    violations,
    exits: [...environment.exits],
    recoveryMs,
    lastActive: rest.last,
    elapsedMs: performance.now() - startedAt,
    inbound: ledger.inbound.length,
    steps: plan.steps.length,
  };
}

interface SeedRun {
  environment: Environment;
  plan: Plan;
  fixtures: Fixtures;
  ledger: Ledger;
  clock: PlanClock;
}

interface Work {
  name: string;
  done: Promise<void>;
}

/** Each contact writes its messages one after another. */
function startContacts({ environment, plan, fixtures, ledger, clock }: SeedRun): Work[] {
  const contacts = Map.groupBy(plan.inbound, ({ contact }) => contact);
  const write = async (number: number, messages: Plan['inbound']) => {
    const deviceIndex = number % fixtures.devices.length;
    const phone = fixtures.devices[deviceIndex]?.phone ?? '';
    const teamId = fixtures.teams[deviceIndex < 2 ? 0 : 1]?.id ?? '';
    const contact = `+1556${String(plan.seed).padStart(5, '0')}${String(number).padStart(2, '0')}`;
    for (const [index, { at, wantsAction }] of messages.entries()) {
      await clock(at);
      const text = `q${plan.seed}-${number}-${index}${wantsAction ? '!' : ''}`;
      const message = {
        teamId,
        contact,
        phone,
        text,
        id: `IN${text.replace('!', '')}`,
        writtenAt: Date.now(),
      };
      await environment.phones.write({ from: contact, to: phone, text, id: message.id });
      ledger.inbound.push(message);
    }
  };
  return [...contacts].map(([number, messages]) => ({
    name: `contact ${number}`,
    done: write(number, messages),
  }));
}

/** Runs each lane's steps one after another. A failed step does not stop its lane. */
function startLanes(
  { environment: { partner, phones }, plan, fixtures, ledger, clock }: SeedRun,
  recordFailure: (error: unknown) => void,
): Work[] {
  const lanes = Map.groupBy(
    plan.steps.map((step, index) => ({ step, name: `${plan.seed}-${index}` })),
    ({ step }) => step.lane,
  );
  const run = async (steps: readonly { step: WorkloadStep; name: string }[]) => {
    for (const { step, name } of steps) {
      await clock(step.at);
      await runStep(step, { partner, phones, fixtures, ledger, name }).catch(recordFailure);
    }
  };
  return [...lanes].map(([name, steps]) => ({ name, done: run(steps) }));
}

/** Injects all planned faults. Then disarms the fault points of the next starts and clears external faults. */
async function injectFaults({
  environment,
  plan: { faults, faultPoints },
  fixtures,
  clock,
}: SeedRun): Promise<void> {
  const on = { ...environment, fixtures };
  for (const name of serverNames) environment.armedPoints.set(name, [...(faultPoints[name] ?? [])]);
  await Promise.all(
    faults.map(async (fault) => {
      await clock(fault.at);
      await injectFault(fault, on);
    }),
  );
  environment.armedPoints.clear();
  await clearExternalFaults(on);
}

/** Ignores exits at fault points and failed starts while the database was down. */
const findUnexpectedExits = (exits: readonly ProcessExit[]): string[] =>
  exits
    .filter(({ point, wasReady }) => point === null && wasReady)
    .map(({ process, how }) => `${process} exited unexpectedly: ${how}`);
