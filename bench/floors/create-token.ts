import { createHmac, randomBytes } from 'node:crypto';
import { serveFloor } from './floor.ts';

const signingKey = randomBytes(32);
const lifetime = 86_400;
const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const header = encode({ alg: 'HS256', typ: 'JWT' });

/** One select of the key, and a signature over the same claims as Parley's. */
serveFloor(async (pool, { body }) => {
  const { key_id } = JSON.parse(body) as { key_id: string };
  const { rows } = await pool.query<{ scope: string }>({
    name: 'key',
    text: 'select * from api_keys where key_id = $1',
    values: [key_id],
  });
  const iat = Math.floor(Date.now() / 1000);
  const payload = encode({
    scope: rows[0]?.scope,
    sub: key_id,
    iss: 'parley:7d1b0c4e-52c5-4f1c-9a67-0f6f7f9f5a10',
    aud: 'parley-partner-api',
    iat,
    exp: iat + lifetime,
  });
  const signature = createHmac('sha256', signingKey).update(`${header}.${payload}`).digest('base64url');
  return {
    success: true,
    data: {
      access_token: `${header}.${payload}.${signature}`,
      token_type: 'Bearer',
      expires_in: lifetime,
    },
  };
});
