import { selectDevice } from './device-row.ts';
import { serveFloor } from './floor.ts';

serveFloor(async (pool, { url }) => ({
  success: true,
  data: await selectDevice(pool, url.slice(url.lastIndexOf('/') + 1)),
}));
