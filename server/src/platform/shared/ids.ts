import { v7 } from 'uuid';

/** Returns a UUIDv7, which rises with time, so that new rows go to one end of their index. */
export const newId = (): string => v7();

/** Returns an id before those of all rows that were created since the time. A UUIDv7 begins with its time, which is not before 1970. */
export const idBefore = (time: Date): string => {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
};

const uuidPattern = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => uuidPattern.test(text);
