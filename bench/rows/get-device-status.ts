import type { FloorRow } from './row.ts';

export const getDeviceStatus: FloorRow = {
  name: 'get-device-status',
  operation: 'GET /devices/{id}/status',
  floor: 'get-device-status.ts',
  request: ({ deviceIds, token }) => ({
    method: 'GET',
    paths: deviceIds.map((id) => `/api/openapi/v1/devices/${id}/status`),
    headers: { authorization: `Bearer ${token}` },
  }),
  goal: { ratio: 0.55 },
};
