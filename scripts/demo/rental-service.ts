import { createServer } from 'node:http';
import { getUrl } from '../../server/src/platform/shared/listening.ts';

/** The rental company's own service, which the bot's action calls. */
export interface RentalService {
  url: string;
  close(): Promise<void>;
}

const rentals: Record<string, { status: string; bike: string; due_back: string }> = {
  'R-4711': { status: 'active', bike: 'electric bike E-1207', due_back: 'today at 18:00' },
  'R-4712': { status: 'returned', bike: 'city bike C-0310', due_back: 'yesterday' },
};

/** Serves `GET /rentals/{number}` on a free loopback port. */
export async function startRentalService(): Promise<RentalService> {
  const server = createServer((request, response) => {
    const number = /^\/rentals\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? '';
    const rental = rentals[decodeURIComponent(number).toUpperCase()];
    response.writeHead(rental === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(rental ?? { error: `There is no rental ${number}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: getUrl('127.0.0.1', server),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
