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

/** What became of a seed. */
export interface Outcome {
  plan: Plan;
  /** What must not be; empty when all is well. */
  wrong: string[];
  /** The processes that ended by themselves, at fault points above all. */
  ends: ProcessExit[];
  /** From the end of the last fault until all was at rest. */
  recoveryMs: number;
  /** What came to rest last. */
  lastActive: string;
  /** Of the whole seed. */
  elapsedMs: number;
  /** How many messages came in, and how many deeds were done. */
  inbound: number;
  steps: number;
}

/** After the last fault, everything must be at rest within this time; by far the most is other work on the machine. */
const quietWithinMs = 90_000;

/** Plays the seed and judges what is left when all is at rest. Never rejects for what the service does. */
export async function runSeed(stage: Environment, seed: number): Promise<Outcome> {
  const begun = performance.now();
  const plan = createPlan(seed);
  const ledger = emptyLedger();
  stage.ends.length = 0;
  const furniture = await createFixtures(stage.partner, stage.phones, {
    seed,
    activeMessages: plan.activeMessages,
    actionUrl: stage.service.url,
  });
  const wrong: string[] = [];
  const complain = (error: unknown) =>
    void wrong.push(error instanceof Error ? error.message : String(error));
  const clock = startPlanClock(() =>
    Promise.all(serverNames.map((name) => stage.deployment.process(name).untilReady())),
  );
  const playing: Playing = { stage, plan, furniture, ledger, clock };
  const pending = new Set<string>();
  const work = [...contactsOf(playing), ...lanesOf(playing, complain)].map(({ name, done }) => {
    pending.add(name);
    return done.catch(complain).finally(() => pending.delete(name));
  });
  await inflictAll(playing);
  const healedAt = performance.now();
  const rest = await waitUntilIdle(
    {
      database: stage.database,
      ledger,
      pending: () => [...pending],
      dropPhone: (device) => stage.phones.order({ device, fault: 'drop', count: 1, ms: 0 }),
    },
    quietWithinMs,
  );
  wrong.push(...rest.left);
  const recoveryMs = performance.now() - healedAt;
  if (wrong.length === 0) {
    await Promise.all(work);
    wrong.push(...(await findViolations(stage, { furniture, ledger })));
  }
  wrong.push(...unexpectedEnds(stage.ends));
  return {
    plan,
    wrong,
    ends: [...stage.ends],
    recoveryMs,
    lastActive: rest.last,
    elapsedMs: performance.now() - begun,
    inbound: ledger.inbound.length,
    steps: plan.steps.length,
  };
}

interface Playing {
  stage: Environment;
  plan: Plan;
  furniture: Fixtures;
  ledger: Ledger;
  clock: PlanClock;
}

interface Work {
  name: string;
  done: Promise<void>;
}

/** Each contact writes one message after the other. */
function contactsOf({ stage, plan, furniture, ledger, clock }: Playing): Work[] {
  const contacts = Map.groupBy(plan.inbound, ({ contact }) => contact);
  const write = async (number: number, messages: Plan['inbound']) => {
    const deviceIndex = number % furniture.devices.length;
    const phone = furniture.devices[deviceIndex]?.phone ?? '';
    const teamId = furniture.teams[deviceIndex < 2 ? 0 : 1]?.id ?? '';
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
      await stage.phones.write({ from: contact, to: phone, text, id: message.id });
      ledger.inbound.push(message);
    }
  };
  return [...contacts].map(([number, messages]) => ({
    name: `contact ${number}`,
    done: write(number, messages),
  }));
}

/** The deeds of a lane, one after the other; what one complains of keeps none of the others. */
function lanesOf(
  { stage: { partner, phones }, plan, furniture, ledger, clock }: Playing,
  complain: (error: unknown) => void,
): Work[] {
  const lanes = Map.groupBy(
    plan.steps.map((deed, index) => ({ deed, name: `${plan.seed}-${index}` })),
    ({ deed }) => deed.lane,
  );
  const run = async (deeds: readonly { deed: WorkloadStep; name: string }[]) => {
    for (const { deed, name } of deeds) {
      await clock(deed.at);
      await runStep(deed, { partner, phones, furniture, ledger, name }).catch(complain);
    }
  };
  return [...lanes].map(([name, deeds]) => ({ name, done: run(deeds) }));
}

/** All of the schedule, then none of it any more: every process lives, unarmed from its next life on. */
async function inflictAll({
  stage,
  plan: { faults, faultPoints: arms },
  furniture,
  clock,
}: Playing): Promise<void> {
  const on = { ...stage, furniture };
  for (const name of serverNames) stage.arms.set(name, [...(arms[name] ?? [])]);
  await Promise.all(
    faults.map(async (fault) => {
      await clock(fault.at);
      await injectFault(fault, on);
    }),
  );
  stage.arms.clear();
  await clearExternalFaults(on);
}

/** A process ends where it was armed to; while the database was away it may have failed to start. */
const unexpectedEnds = (ends: readonly ProcessExit[]): string[] =>
  ends
    .filter(({ point, wasReady }) => point === null && wasReady)
    .map(({ process, how }) => `${process} ended by itself: ${how}`);
