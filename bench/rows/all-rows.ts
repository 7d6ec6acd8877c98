import { createTeam } from './create-team.ts';
import { createToken } from './create-token.ts';
import { getDevice } from './get-device.ts';
import type { Row } from './row.ts';

/** Every row, in the order of the table. */
export const allRows: readonly Row[] = [getDevice, createToken, createTeam];
