import { runDuringAttack } from '../../server/test/hostile-uploads/attack.ts';
import { measureP99s, type ProbeTarget } from '../../server/test/hostile-uploads/measure-latency.ts';
import { median } from '../rig/median.ts';
import { startParley } from '../rig/parley-process.ts';
import { residentBytes } from '../rig/resident-memory.ts';
import type { Figure, FigureRow } from './row.ts';

export const uploadAttack: FigureRow = {
  name: 'upload-attack',
  work: 'GET /devices/{id} while hostile uploads arrive',
  async measure({ environment, effort, directory, execArgs }) {
    const roles = 'api';
    const parley = await startParley({
      deployment: environment,
      directory,
      log: 'upload-attack',
      roles,
      execArgs,
    });
    try {
      const { url, token } = parley;
      const target = { url, token, path: `/api/openapi/v1/devices/${environment.deviceIds[0]}` };
      const teamId = await readTeamId(target);
      await measureP99s(target, 1, effort.secondsEach);
      const idle = await measureP99s(target, effort.pairs, effort.secondsEach);
      const residentAtRest = await residentBytes(parley.pid);
      const { report, result } = await runDuringAttack({ url, token, teamId }, async () => ({
        attacked: await measureP99s(target, 2 * effort.pairs, effort.secondsEach),
        residentThen: await residentBytes(parley.pid),
      }));
      if (report.unexpected.length > 0)
        throw new Error(`uploads got wrong responses: ${report.unexpected.join('; ')}`);
      return [
        ...latencyFigures(median(idle), median(result.attacked)),
        ...memory(residentAtRest, result.residentThen),
      ];
    } finally {
      await parley.stop();
    }
  },
};

const latencyFigures = (idle: number, attacked: number): Figure[] => [
  { figure: 'p99 idle, median', value: idle, unit: ' ms' },
  { figure: 'p99 under attack, median', value: attacked, unit: ' ms' },
  { figure: 'ratio of the two', value: attacked / idle, unit: 'x', goal: { atMost: 2 } },
];

const memory = (atRest: number, then: number): Figure[] => [
  { figure: 'resident memory idle', value: atRest / 2 ** 20, unit: ' MiB' },
  {
    figure: 'resident memory at the end of the attack',
    value: then / 2 ** 20,
    unit: ' MiB',
    goal: { atMost: 512 },
  },
];

async function readTeamId({ url, path, token }: ProbeTarget): Promise<string> {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${token}` } });
  // The device envelope of the API description.
  const { data } = (await response.json()) as { data: { team_id: string } };
  return data.team_id;
}
