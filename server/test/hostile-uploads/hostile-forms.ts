import { field, file, multipartBody, type RawPart } from './multipart.ts';

export interface HostileForm {
  title: string;
  contentType: string;
  body: Buffer;
  /** `details.reason` of the refusal. Null if the form is accepted. */
  reason: string | null;
  /** The expected name of the document. */
  name?: string;
}

const text = 'A deposit of forty euros is taken.';
const createBoundary = (length: number): string => 'b'.repeat(length);
const plain = createBoundary(30);

const form = (
  title: string,
  parts: readonly RawPart[],
  reason: string | null,
  name?: string,
): HostileForm => ({
  title,
  contentType: `multipart/form-data; boundary=${plain}`,
  body: multipartBody(parts, plain),
  reason,
  ...(name === undefined ? {} : { name }),
});

/** Names with path traversal or confusable characters. */
const names: [sent: string, stored: string | null, refusal?: string][] = [
  ['../../../etc/passwd.txt', 'passwd.txt'],
  ['..\\..\\windows\\win.txt', 'win.txt'],
  ['C:\\autoexec.txt', 'autoexec.txt'],
  ['/dev/null/a.txt', 'a.txt'],
  ['\u202etxt.exe.txt', 'txt.exe.txt'],
  ['a\u0000b.txt', 'ab.txt'],
  ['....//....//a.txt', 'a.txt'],
  ['%2e%2e%2fa.txt', '%2e%2e%2fa.txt'],
  ['..', null, 'name_empty'],
  ['a.txt/', null, 'name_empty'],
  ['a.txt\u0000.pdf', null, 'type_mismatch'],
];

const hostileNames = (teamId: string): HostileForm[] =>
  names.map(([sent, stored, refusal = null]) =>
    form(
      `a file called ${JSON.stringify(sent)}`,
      [field('team_id', teamId), file(sent, text)],
      refusal,
      ...(stored === null ? [] : [stored]),
    ),
  );

/** Part names that are members of Object.prototype. */
const inheritedNames = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

const hostileParts = (teamId: string): HostileForm[] => {
  const team = field('team_id', teamId);
  const good = [team, file('a.txt', text)];
  return [
    ...inheritedNames.map((name) => form(`a part called ${name}`, [...good, field(name, '1')], 'validation')),
    ...inheritedNames.map((name) =>
      form(`a file in a part called ${name}`, [team, file('a.txt', text, name)], 'validation'),
    ),
    form('the file before the team', [file('a.txt', text), field('chars', '7'), team], null, 'a.txt'),
    form(
      'the team after a file of one megabyte',
      [file('a.txt', 'Ahoy. '.repeat(200_000)), team],
      null,
      'a.txt',
    ),
    form('two files', [...good, file('b.txt', text)], 'validation'),
    form('two teams', [team, ...good], 'validation'),
    form('an empty file', [team, file('a.txt', '')], 'empty_file'),
    form('no parts', [], 'validation'),
    form(
      '10,000 parts',
      [...good, ...Array.from({ length: 10_000 }, (_, n) => field(`f${n}`, ''))],
      'validation',
    ),
    form(
      'a field of ten megabytes',
      [field('team_id', 'x'.repeat(10_000_000)), file('a.txt', text)],
      'validation',
    ),
    form('a part name of one megabyte', [...good, field('x'.repeat(1_000_000), '')], 'validation'),
    form('a header of a megabyte', [...good, { header: `x-a: ${'x'.repeat(1_000_000)}`, content: '' }], null),
    form('a part with 10,000 headers', [...good, { header: 'x-a: 1\r\n'.repeat(10_000), content: '' }], null),
    form('a part without a header', [...good, { header: '', content: 'x' }], null),
    form('a team with a NUL', [field('team_id', `${teamId}\0`), file('a.txt', text)], 'validation'),
    form('a file part with a NUL in its name', [team, file('a.txt', text, 'file\0')], 'validation'),
  ];
};

const hostileBoundaries = (teamId: string): HostileForm[] =>
  [1, 69, 70, 71, 251, 252, 253, 254, 255, 256, 257, 1000, 8000].map((length) => {
    const boundary = createBoundary(length);
    return {
      title: `a boundary of ${length} bytes`,
      contentType: `multipart/form-data; boundary=${boundary}`,
      body: multipartBody([field('team_id', teamId), file('a.txt', text)], boundary),
      // RFC 2046 allows 70 characters. The server accepts longer boundaries up to this limit.
      reason: length > 252 ? 'malformed_multipart' : null,
    };
  });

/** All hostile forms for a team. */
export const hostileForms = (teamId: string): HostileForm[] => [
  ...hostileNames(teamId),
  ...hostileParts(teamId),
  ...hostileBoundaries(teamId),
];
