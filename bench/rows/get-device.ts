import type { FloorRow } from './row.ts';

export const getDevice: FloorRow = {
  name: 'get-device',
  operation: 'GET /devices/{id}',
  floor: 'get-device.ts',
  request: ({ deviceIds, token }) => ({
    method: 'GET',
    paths: deviceIds.map((id) => `/api/openapi/v1/devices/${id}`),
    headers: { authorization: `Bearer ${token}` },
  }),
  goal: { ratio: 0.7, cpuRatio: 1.5 },
};
