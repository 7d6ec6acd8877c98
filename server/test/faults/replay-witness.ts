import { createServer } from 'node:http';

/** A program that counts the requests it gets, with their bodies. It prints its address. `GET /seen` returns them and is not counted. */
const seen: { url: string; body: string }[] = [];
const server = createServer(async (request, response) => {
  if (request.url === '/seen') return response.end(JSON.stringify(seen));
  let body = '';
  for await (const chunk of request) body += chunk;
  seen.push({ url: request.url ?? '', body });
  response.end('{"message":"On its way."}');
}).listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object')
    process.stdout.write(`http://127.0.0.1:${address.port}\n`);
});
