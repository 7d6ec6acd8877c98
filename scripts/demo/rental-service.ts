import { createServer } from 'node:http';
import { getUrl } from '../../server/src/platform/shared/listening.ts';
import { type ShopPage, shopPage } from './shop-page.ts';

/** The rental company's own service, which the bot's action calls, and its website. */
export interface RentalService {
  url: string;
  /** The website at `/` has the chat from now on. */
  openShop(page: ShopPage): void;
  close(): Promise<void>;
}

const rentals: Record<string, { status: string; bike: string; due_back: string }> = {
  'R-4711': { status: 'active', bike: 'electric bike E-1207', due_back: 'today at 18:00' },
  'R-4712': { status: 'returned', bike: 'city bike C-0310', due_back: 'yesterday' },
};

/** Serves `GET /rentals/{number}` and the website on a free loopback port. */
export async function startRentalService(): Promise<RentalService> {
  let shop: ShopPage | null = null;
  const server = createServer((request, response) => {
    if (request.url === '/' && shop !== null) {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      return response.end(shopPage(shop));
    }
    const number = /^\/rentals\/([^/?]+)$/.exec(request.url ?? '')?.[1] ?? '';
    const rental = rentals[decodeURIComponent(number).toUpperCase()];
    response.writeHead(rental === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(rental ?? { error: `There is no rental ${number}` }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: getUrl('127.0.0.1', server),
    openShop(page) {
      shop = page;
    },
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
