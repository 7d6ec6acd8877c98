import { oneOf } from '../../../server/test/openapi/draw.ts';
import type { Upload } from '../../../server/test/openapi/requests.ts';
import { encodeRequest } from '../../../server/test/openapi/wire.ts';
import type { MutationInput, Mutator } from './mutator.ts';

const text = { part: 'file', name: 'a.txt', bytes: Buffer.from('One line.') };

/** Uploads that are always rejected. */
const badUploads = (team: string): Upload[] => {
  const fields = [['team_id', team]] as const;
  const upload = (change: Partial<Upload>): Upload => ({ fields, files: [text], ...change });
  const file = (change: Partial<typeof text>): Upload => upload({ files: [{ ...text, ...change }] });
  const field = (name: string, value: string): Upload => upload({ fields: [...fields, [name, value]] });
  return [
    upload({ files: [] }),
    upload({ fields: [] }),
    upload({ files: [text, text] }),
    upload({ fields: [['team_id', '019a0000-0000-7000-8000-000000000000']] }),
    upload({ fields: [['team_id', `urn:uuid:${team}`]] }),
    upload({ fields: [['team_id', '\u0000']] }),
    file({ bytes: Buffer.alloc(0) }),
    file({ bytes: Buffer.from([0, 159, 146, 150]) }),
    file({ bytes: Buffer.from('%PDF-1.7\nnonsense') }),
    file({ name: 'a.pdf', bytes: Buffer.from('%PDF-1.7\nnonsense') }),
    file({ name: 'a.docx', bytes: Buffer.from('PK\u0003\u0004nonsense') }),
    file({ name: 'a.pdf' }),
    file({ name: 'a.exe' }),
    file({ name: '' }),
    file({ name: '..' }),
    file({ name: `${'x'.repeat(300)}.txt` }),
    file({ bytes: Buffer.alloc(2 * 1024 * 1024 + 1, 'x') }),
    file({ part: 'team_id' }),
    file({ part: 'other' }),
    field('team_id', team),
    field('zz', '1'),
    field('__proto__', '1'),
    field('file', 'x'),
    ...['-1', '1.5', '1e3', '', ' 1', 'x', '9'.repeat(12), 'x'.repeat(2000)].map((chars) =>
      field('chars', chars),
    ),
  ];
};

const badUpload: Mutator = {
  name: 'bad upload',
  applies: ({ multipart }) => multipart !== null,
  mutate({ request, draw, resources }) {
    const upload = oneOf(draw, badUploads(resources.targets.home['teams'] ?? ''));
    return { wire: encodeRequest({ ...request, upload }, resources.tokens.global), expect: [400] };
  },
};

const badMultipart: Mutator = {
  name: 'broken multipart',
  applies: ({ multipart }) => multipart !== null,
  mutate({ request, draw, resources }) {
    const wire = encodeRequest({ ...request, headers: {} }, resources.tokens.global);
    const bytes = Buffer.from(wire.body ?? []);
    const type = (value: string) => [
      'authorization',
      `Bearer ${resources.tokens.global}`,
      'content-type',
      value,
    ];
    const broken = oneOf(draw, [
      { ...wire, body: bytes.subarray(0, bytes.length - 20) },
      { ...wire, body: bytes.subarray(0, 30) },
      { ...wire, body: Buffer.alloc(0) },
      { ...wire, body: Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1') },
      { ...wire, headers: type('multipart/form-data') },
      { ...wire, headers: type('multipart/form-data; boundary=') },
      { ...wire, headers: type('multipart/form-data; boundary=other') },
      { ...wire, headers: type('application/json'), body: Buffer.from('{}') },
      { ...wire, headers: type('text/plain') },
      { ...wire, headers: type('multipart/mixed; boundary=parley-boundary-3f1c') },
    ]);
    return { wire: broken, expect: [400] };
  },
};

const otherTeam: Mutator = {
  name: 'upload into another team',
  applies: ({ multipart }) => multipart !== null,
  mutate({ request, resources }: MutationInput) {
    const upload = {
      fields: [['team_id', resources.targets.otherTeam['teams'] ?? ''] as const],
      files: [text],
    };
    return { wire: encodeRequest({ ...request, upload }, resources.tokens.team), expect: [400] };
  },
};

export const uploadMutators: readonly Mutator[] = [badUpload, badMultipart, otherTeam];
