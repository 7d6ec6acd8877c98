interface OpenTime {
  from: string;
  until: string;
}

const pattern = /^(\d{1,2})(?:[:.](\d{2}))?[-–—](\d{1,2})(?:[:.](\d{2}))?$/;

/** Reads times such as `9-13, 15:00-18:30`. Nothing: closed. Returns null if it cannot. */
export function parseTimes(text: string): OpenTime[] | null {
  const parts = text
    .split(/[,;]/)
    .map((part) => part.replaceAll(/\s/g, ''))
    .filter((part) => part !== '');
  const times = parts.map((part) => {
    const [, fromHour, fromMinute = '00', untilHour, untilMinute = '00'] = pattern.exec(part) ?? [];
    if (fromHour === undefined || untilHour === undefined) return null;
    const time = {
      from: `${fromHour.padStart(2, '0')}:${fromMinute}`,
      until: `${untilHour.padStart(2, '0')}:${untilMinute}`,
    };
    const isTime = fromMinute < '60' && untilMinute < '60' && time.from < time.until && time.until <= '24:00';
    return isTime ? time : null;
  });
  const isOrdered = times.every((time, index) => {
    const before = times[index - 1];
    return index === 0 || (before && time && before.until <= time.from);
  });
  return isOrdered && times.every((time) => time !== null) ? times : null;
}

export const formatTimes = (times: readonly OpenTime[]): string =>
  times.map(({ from, until }) => `${from}-${until}`).join(', ');
