import { createParley, type Parley } from '@parley/sdk';
import { clientOptions, watched } from './client.ts';

/** A client that reports the share of a file that was sent. `fetch` cannot report it, so it uses XMLHttpRequest. */
export const createUploader = (onProgress: (share: number) => void): Parley =>
  createParley({
    ...clientOptions,
    timeoutMs: 300_000,
    fetch: watched(createFetch(onProgress)),
  });

const createFetch =
  (onProgress: (share: number) => void): typeof fetch =>
  (url, { method = 'GET', headers, body, signal } = {}) =>
    new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      request.open(method, String(url));
      for (const [name, value] of Object.entries(headers as Record<string, string>))
        request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
      request.onload = () => resolve(toResponse(request));
      request.onerror = () => reject(new TypeError('The connection failed'));
      request.onabort = () => reject(signal?.reason);
      signal?.addEventListener('abort', () => request.abort(), { once: true });
      request.send(body as XMLHttpRequestBodyInit);
    });

function toResponse(request: XMLHttpRequest): Response {
  const lines = request.getAllResponseHeaders().trim().split(/\r\n/);
  const headers = lines.map((line): [string, string] => {
    const colon = line.indexOf(':');
    return [line.slice(0, colon), line.slice(colon + 1).trim()];
  });
  return new Response(request.responseText, {
    status: request.status,
    statusText: request.statusText,
    headers,
  });
}
