const introduction = `# Roles

Use this page to give an API key no more rights than its program needs. \`POST /api/openapi/v1/api-keys\` takes a \`role\`. A key without
one may call every operation of its scope. Otherwise it gets 403 with reason \`role\` where this page has no mark.

| role | for |
|---|---|
| partner: \`owner\` | everything |
| partner: \`admin\` | everything but API keys of scope \`global\`, which it only sees |
| partner: \`support\` | reads everything, works in conversations |
| team: \`owner\` | everything of the team |
| team: \`editor\` | bots, documents, devices, webhooks, and the rights of \`agent\` |
| team: \`agent\` | conversations and contacts, and the rights of \`viewer\` |
| team: \`viewer\` | reads |

A key of scope \`global\` has a role of the partner, a key of scope \`team\` a role of the team. The role of a key never changes; create
another key instead. Roles decide about some fields, too. \`support\`, \`agent\` and \`viewer\` get an empty \`token\` of a device, empty values
of action headers, and no code that links a phone.

A session in a portal ([portal.md](portal.md)) has a role of the team, and may call only the operations of its pages.

\`npm run generate\` writes this page from \`x-roles\` in \`openapi.json\`, which comes from \`server/src/tenancy/roles/roles.ts\`.
`;

interface Operation {
  operationId: string;
  tags: string[];
  'x-roles'?: { partner: string[]; team: string[]; portal: string[] };
}

/** The operations that callers with a role may call, in the order of the document. */
export function withRoles(openapi: string): Required<Operation>[] {
  const { paths } = JSON.parse(openapi) as { paths: Record<string, Record<string, Operation>> };
  return Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter((operation): operation is Required<Operation> => operation['x-roles'] !== undefined);
}

const columns = [
  ['partner', ['owner', 'admin', 'support']],
  ['team', ['owner', 'editor', 'agent', 'viewer']],
] as const;

/** Returns docs/roles.md: one table of operations per tag of the OpenAPI document. */
export function rolesPage(openapi: string): string {
  const operations = withRoles(openapi);
  const tags = [...new Set(operations.flatMap((operation) => operation.tags))];
  const header = [
    ...columns.flatMap(([of, roles]) => roles.map((role) => `${of}: ${role}`)),
    'pages of a portal',
  ];
  const tables = tags.flatMap((tag) => {
    const rows = operations.flatMap(({ tags: [of], operationId, 'x-roles': allowed }) => {
      if (of !== tag) return [];
      const marks = columns.flatMap(([of, roles]) =>
        roles.map((role) => (allowed[of].includes(role) ? 'yes' : '')),
      );
      return [`| \`${operationId}\` | ${[...marks, allowed.portal.join(', ')].join(' | ')} |`];
    });
    const rule = `|${'---|'.repeat(header.length + 1)}`;
    return [[`## ${tag}`, '', `| operation | ${header.join(' | ')} |`, rule, ...rows, ''].join('\n')];
  });
  return [introduction, ...tables].join('\n');
}
