import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeTextFile } from './text-file.ts';

/** Encodes with a code page of one byte a character. */
function encode(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const bytes = new Map(
    Array.from({ length: 256 }, (_, byte) => [decoder.decode(Uint8Array.of(byte)), byte]),
  );
  return Uint8Array.from(text, (character) => bytes.get(character) ?? assert.fail(character));
}

const texts = {
  'windows-1252': [
    'Horário;9h às 17h',
    '¿Cuándo abren los sábados?;A las 9, mañana también',
    'Öffnungszeiten?;Täglich außer Sonntag',
    'Où êtes-vous?;À côté de la gare, sœur',
    'Não sei;Fechamos às 18h, informações no balcão, você',
    'Når åpner dere?;Søndag på brygga',
    'Hvornår åbner I?;Søndag på øen, høj sæson',
    'Prix?;10 € le forfait, goûter compris',
    'Perché è chiuso?;Perché è festa, più tardi',
    'Área;25 m² – “bem grande”',
  ],
  'windows-1250': [
    'Kiedy jest otwarte?;Codziennie oprócz świąt, może też wieczorem',
    'Ile kosztuje rower?;Piętnaście złotych',
    'Kdy máte otevřeno?;Denně kromě neděle',
    'Tři kola stojí dvě stě',
    'Când sunteți deschis?;Luni până vineri'.replace('ț', 'ţ'),
    'Kedy máte otvorené?;Každý deň',
    'Mikor vannak nyitva?;Hétfőtől péntekig, ünnepnapokon zárva',
    'Hol van az üzlet?;A kikötő mellett, a főutcán',
    'Kada ste otvoreni?;Svaki dan, osim nedjelje, čekamo vas uživo',
    'Kdaj ste odprti?;Vsak dan, razen ob nedeljah, še vedno čakamo',
  ],
};

for (const [encoding, lines] of Object.entries(texts))
  test(`reads a file of one line in ${encoding}`, () => {
    for (const line of lines) assert.equal(decodeTextFile(encode(line, encoding)), line);
    const file = lines.join('\r\n');
    assert.equal(decodeTextFile(encode(file, encoding)), file);
  });

test('reads UTF-8 and UTF-16 with and without a byte order mark', () => {
  const text = 'Horário;9h às 17h\r\n価格;１０€';
  for (const mark of ['', '\uFEFF']) {
    assert.equal(decodeTextFile(Buffer.from(mark + text)), text);
    assert.equal(decodeTextFile(Buffer.from(mark + text, 'utf16le')), text);
    assert.equal(decodeTextFile(Buffer.from(mark + text, 'utf16le').swap16()), text);
  }
});

test('finds an accent far behind the first lines', () => {
  const text = `${'Open?;Yes\n'.repeat(50_000)}Horário;sim`;
  assert.equal(decodeTextFile(encode(text, 'windows-1252')), text);
});

test('refuses workbooks and other binary files', () => {
  assert.equal(decodeTextFile(Buffer.from('PK\u0003\u0004 and the rest of a workbook')), null);
  assert.equal(decodeTextFile(Uint8Array.from({ length: 4096 }, (_, at) => (at * 7) % 256)), null);
  assert.equal(decodeTextFile(new Uint8Array()), '');
});
