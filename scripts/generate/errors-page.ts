import { errorReasons } from '../../server/src/platform/http/error-reasons.ts';

const introduction = `# Errors

Look up the \`details.reason\` of an error here to learn what to do. Every error except 401 has one. In programs, read \`code\` and
\`details.reason\`. The message in \`error\` is for people and can change. For \`POST /send\`, the errors 403 and 429 carry \`message\`, \`code\`
and \`details\` inside \`error\`.

The last column names the members of \`details\` beside \`reason\`.

A 401 means that the access token or the API key is missing, wrong, expired or revoked. Get a new token with
\`POST /api/openapi/auth/token\`.

\`npm run generate\` writes this page from \`server/src/platform/http/error-reasons.ts\`.
`;

/** Returns docs/errors.md: one table of reasons per status. */
export async function errorsPage(): Promise<string> {
  const reasons = Object.entries(errorReasons);
  const statuses = [...new Set(reasons.map(([, { status }]) => status))].sort();
  const tables = statuses.map((status) => {
    const rows = reasons
      .filter(([, reason]) => reason.status === status)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { meaning, fix, details }]) => {
        const members = Object.keys(details).map((member) => `\`${member}\``);
        return `| \`${name}\` | ${meaning} | ${fix} | ${members.join(', ')} |`;
      });
    const head = ['| Reason | Meaning | What to do | `details` |', '|---|---|---|---|'];
    return [`## ${status}`, '', ...head, ...rows, ''].join('\n');
  });
  return [introduction, ...tables].join('\n');
}
