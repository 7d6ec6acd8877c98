/** The rooms of server/src, from top to bottom. A file imports only files of its own room and of the rooms below. */
export const rooms = [
  'process',
  'lifecycle',
  'pool',
  'quality',
  'chat',
  'devices',
  'knowledge',
  'records',
  'tenancy',
  'ports',
  'platform',
] as const;

const source = 'server/src/';
/** Starts the program, and is in no room. */
const entry = `${source}main.ts`;

/** Returns the room of a file of the server. Throws if the file is in none. */
export function roomOf(path: string): (typeof rooms)[number] {
  const [name] = path.slice(source.length).split('/');
  const room = rooms.find((room) => room === name);
  if (room === undefined) throw new Error(`${path} is in no room: see scripts/check/rooms.ts`);
  return room;
}

/** Returns true if a file of the server imports a file of a room above its own. */
export const importsUpwards = ({ from, target }: { from: string; target: string }): boolean =>
  from !== entry &&
  from.startsWith(source) &&
  target.startsWith(source) &&
  rooms.indexOf(roomOf(target)) < rooms.indexOf(roomOf(from));
