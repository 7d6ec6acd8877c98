import { selectDevice } from './device-row.ts';
import { serveFloor } from './floor.ts';

const below = '/status'.length;

/** The same work as the floor of the device itself. */
serveFloor(async (pool, { url }) => ({
  success: true,
  data: await selectDevice(pool, url.slice(url.lastIndexOf('/', url.length - below - 1) + 1, -below)),
}));
