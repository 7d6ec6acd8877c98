import { startAttack } from '../../server/test/hostile-uploads/attack.ts';
import { medianOf, p99s, residentMiB, type Watched } from '../../server/test/hostile-uploads/watch.ts';
import { startParley } from '../rig/parley-process.ts';
import type { Figure, FigureRow } from './row.ts';

export const uploadAttack: FigureRow = {
  name: 'upload-attack',
  work: 'GET /devices/{id} while hostile uploads arrive',
  async measure({ stage, effort, directory, execArgs }) {
    const roles = 'api';
    const parley = await startParley({ deployment: stage, directory, log: 'upload-attack', roles, execArgs });
    try {
      const { url, token } = parley;
      const target = { url, token, path: `/api/openapi/v1/devices/${stage.deviceIds[0]}` };
      const teamId = await teamOf(target);
      await p99s(target, 1, effort.secondsEach);
      const idle = await p99s(target, effort.pairs, effort.secondsEach);
      const residentAtRest = await residentMiB(parley.pid);
      const attack = await startAttack({ url, token, teamId });
      const attacked = await p99s(target, 2 * effort.pairs, effort.secondsEach);
      const residentThen = await residentMiB(parley.pid);
      const { odd } = await attack.stop();
      if (odd.length > 0) throw new Error(`uploads were answered wrongly: ${odd.join('; ')}`);
      return [...latencyFigures(medianOf(idle), medianOf(attacked)), ...memory(residentAtRest, residentThen)];
    } finally {
      await parley.stop();
    }
  },
};

const latencyFigures = (idle: number, attacked: number): Figure[] => [
  { figure: 'p99 at rest, median of the stretches', value: idle, unit: ' ms' },
  { figure: 'p99 under attack, likewise', value: attacked, unit: ' ms' },
  { figure: 'the latter over the former', value: attacked / idle, unit: 'x', goal: { atMost: 2 } },
];

const memory = (atRest: number | null, then: number | null): Figure[] =>
  atRest === null || then === null
    ? []
    : [
        { figure: 'resident at rest', value: atRest, unit: ' MiB' },
        { figure: 'resident at the end of the attack', value: then, unit: ' MiB', goal: { atMost: 512 } },
      ];

async function teamOf({ url, path, token }: Watched): Promise<string> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  // The description's device envelope.
  const { data } = (await response.json()) as { data: { team_id: string } };
  return data.team_id;
}
