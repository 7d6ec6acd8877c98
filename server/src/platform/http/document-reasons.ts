import { Type } from 'typebox';
import { because } from './because.ts';

/** Why a document is refused or cannot be used. */
export const documentReasons = {
  empty_file: because(400, 'The file is empty.', 'Send the bytes of the file.'),
  unknown_type: because(
    400,
    'The type of the file is not supported.',
    'Send a file of a type in `details.supported`.',
    { supported: Type.Array(Type.String()) },
  ),
  type_mismatch: because(
    400,
    "The file's content does not match the extension of its name.",
    'Correct the name or the file.',
  ),
  file_too_large: because(400, 'The file is over `details.limit` bytes.', 'Send a smaller file.', {
    limit: Type.Integer({ description: 'In bytes.' }),
  }),
  encrypted: because(400, 'The document is encrypted.', 'Remove its password.'),
  unreadable: because(400, 'The document is damaged.', 'Save it again and upload the copy.'),
  text_too_large: because(400, 'The document has too much text or data.', 'Split it.'),
  text_timeout: because(400, 'The document takes too long to read.', 'Split or simplify it.'),
  extraction_interrupted: because(500, 'Reading the document was interrupted.', 'Upload it again.'),
  storage_unavailable: because(
    500,
    'The file store or the database failed. Nothing was changed.',
    'Retry later.',
  ),
  upload_interrupted: because(
    500,
    'The upload was interrupted, and may have succeeded.',
    'List the documents before you retry.',
  ),
  file_missing: because(
    500,
    "The document's file is missing from the store.",
    'Restore the file store, or upload the document again.',
  ),
};
