import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import fc from 'fast-check';
import {
  findRenameProblem,
  getExtension,
  maxNameLength,
  parseDocumentName,
  toRenamedDocument,
} from './document-name.ts';
import { RenameDocument } from './documents.schemas.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('/', '\\', '.', '\u202e', '\0', ' ', 'a', 'e\u0301', 'e', '\u0301') }),
);

describe('the name of an uploaded document', () => {
  const cases: [string, string][] = [
    ['report.pdf', 'report.pdf'],
    ['/home/ann/report.pdf', 'report.pdf'],
    ['C:\\Users\\Ann\\report.pdf', 'report.pdf'],
    ['../../etc/passwd.txt', 'passwd.txt'],
    ['re\u0301sume\u0301.pdf', 'résumé.pdf'],
    ['evil\u202efdp.txt', 'evilfdp.txt'],
    ['re\u202e\u0301sume.pdf', 'résume.pdf'],
    ['a\0b\r\n.txt', 'ab.txt'],
    ['  spaced name.txt  ', 'spaced name.txt'],
    ['каталог.docx', 'каталог.docx'],
    ['smile 😀.txt', 'smile 😀.txt'],
    [`${'a'.repeat(251)}.pdf`, `${'a'.repeat(251)}.pdf`],
    [`${'😀'.repeat(251)}.pdf`, `${'😀'.repeat(251)}.pdf`],
  ];
  for (const [given, expected] of cases) {
    it(`is ${JSON.stringify(expected.slice(0, 20))} for ${JSON.stringify(given.slice(0, 30))}`, () => {
      assert.deepEqual(parseDocumentName(given), { ok: true, name: expected });
    });
  }

  for (const given of ['', '   ', 'folder/', 'folder\\', '.', '..', 'a/..', '\u202e\0']) {
    it(`is rejected as empty for ${JSON.stringify(given)}`, () => {
      assert.deepEqual(parseDocumentName(given), { ok: false, reason: 'name_empty' });
    });
  }

  it('is rejected beyond 255 characters', () => {
    assert.deepEqual(parseDocumentName(`${'a'.repeat(252)}.pdf`), { ok: false, reason: 'name_too_long' });
    assert.deepEqual(parseDocumentName(`${'😀'.repeat(252)}.pdf`), { ok: false, reason: 'name_too_long' });
  });

  it('is always clean, and unchanged when it is sent again', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const result = parseDocumentName(given);
        if (!result.ok) return;
        assert.match(result.name, /^[^/\\\p{Cc}\p{Bidi_Control}\p{Cs}]+$/u);
        assert.equal(result.name, result.name.normalize('NFC'));
        assert.ok(result.name !== '' && [...result.name].length <= maxNameLength);
        assert.deepEqual(parseDocumentName(result.name), result);
      }),
    );
  });
});

describe('renaming a document', () => {
  const fitsSchema = new Ajv({ strict: false }).compile(RenameDocument);
  const isTakenBySchema = (name: string): boolean => fitsSchema({ name });

  it('accepts another name with the same extension, in either letter case', () => {
    assert.equal(toRenamedDocument('a.pdf', 'b.pdf'), 'b.pdf');
    assert.equal(toRenamedDocument('a.PDF', ' e\u0301.pdf '), 'é.pdf');
  });

  for (const requested of ['b.txt', 'b', 'b.pdf.exe', '.pdf', 'pdf', 'b.pdf.']) {
    it(`rejects ${requested} for a pdf because the extension differs`, () => {
      assert.deepEqual([findRenameProblem(requested), toRenamedDocument('a.pdf', requested)], [null, null]);
    });
  }

  for (const requested of ['a/b.pdf', 'a\\b.pdf', 'a\u202eb.pdf', 'a\nb.pdf', 'a\u0085.pdf', 'a\u2028.pdf']) {
    it(`rejects ${JSON.stringify(requested)} instead of correcting it`, () => {
      assert.equal(isTakenBySchema(requested), false);
    });
  }

  it('rejects names of blanks, and names that are too long in NFC', () => {
    for (const requested of ['  ', '.', ' .. ']) {
      assert.equal(findRenameProblem(requested), 'must be more than blanks or dots');
    }
    // U+0958 has two code points in NFC.
    const growing = `${'\u0958'.repeat(200)}.pdf`;
    assert.equal(isTakenBySchema(growing), true);
    assert.equal(findRenameProblem(growing), 'must have at most 255 characters in NFC');
  });

  it('returns only names that an upload can have, with the same extension', () => {
    fc.assert(
      fc.property(anyText, (stem) => {
        const requested = `${stem}.pdf`;
        if (!requested.isWellFormed() || !isTakenBySchema(requested) || findRenameProblem(requested) !== null)
          return;
        const name = toRenamedDocument('a.pdf', requested);
        if (name === null) return;
        assert.deepEqual(parseDocumentName(name), { ok: true, name });
        assert.equal(getExtension(name), 'pdf');
      }),
    );
  });
});
