import { type Static, Type } from 'typebox';
import { expectedUpdate } from '../../platform/http/expected-update.ts';
import { Id, Timestamp } from '../../platform/http/fields.ts';
import { cursorQuery } from '../../platform/http/pagination.ts';
import { maxNameLength, renamePattern } from './document-name.ts';
import { documentTypes } from './document-type.ts';

const DocumentType = () => Type.Enum([...documentTypes]);

export const Document = Type.Object(
  {
    id: Id(),
    team_id: Id(),
    name: Type.String({ description: 'File name.' }),
    type: DocumentType(),
    size: Type.Integer({ description: 'Bytes.' }),
    ai_provider_id: Type.String(),
    file_url: Type.String({ description: 'Storage path `<team_id>/<ai_provider_id>.<type>`; not a URL.' }),
    chars: Type.Integer(),
    provider_status: Type.Enum(['processing', 'ready', 'failed'], {
      'x-extension': true,
      description: 'Whether the AI provider has read it. Publishing a bot requires ready documents.',
    }),
    created_at: Timestamp(),
    updated_at: Timestamp(),
  },
  { title: 'Document' },
);

export const UploadedDocument = Type.Object(
  {
    ...Document.properties,
    similar_documents: Type.Optional(
      Type.Array(Type.Object({ id: Id(), name: Type.String() }), {
        'x-extension': true,
        description:
          'Up to 5 documents of the team that are nearly the same, most similar first. Bots prefer the newest of them. Absent if there is none.',
      }),
    ),
  },
  { title: 'UploadedDocument' },
);

/** For the OpenAPI document; the parts are checked while they stream in. */
export const UploadDocument = Type.Object(
  {
    file: Type.String({
      format: 'binary',
      description:
        'pdf, txt, docx or doc, or as an extension md, html, csv, xlsx or pptx; the content must match the extension. From 1 byte to 20 MiB, or the limit of the deployment (`MAX_UPLOAD_BYTES`).',
    }),
    team_id: Id(),
    chars: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: 'Default: counted from the text.' }),
    ),
  },
  { additionalProperties: false },
);

export const RenameDocument = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: maxNameLength,
      pattern: renamePattern,
      'x-pattern-means': 'must not contain slashes, control or bidirectional characters',
      description: 'Must keep the extension of the document.',
      examples: ['House rules 2027.pdf'],
    }),
    ...expectedUpdate,
  },
  { additionalProperties: false },
);

export type RenameDocument = Static<typeof RenameDocument>;

export const RenameMeta = Type.Object({ changes: Type.Array(Type.String()) }, { title: 'DocumentChanges' });

export const ListDocuments = Type.Object(
  {
    ...cursorQuery,
    team_id: Type.Optional(Id()),
    name: Type.Optional(
      Type.String({ maxLength: 255, description: 'Case-insensitive substring of the name.' }),
    ),
    type: Type.Optional(DocumentType()),
  },
  { additionalProperties: false },
);
export type ListDocuments = Static<typeof ListDocuments>;
