import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import iconv from 'iconv-lite';
import { decodeText, detectTextEncoding } from './text-encoding.ts';

/** One-line texts, as in short lists of questions and answers. */
const lines: [encodings: string[], ...texts: string[]][] = [
  [
    ['windows-1250', 'iso-8859-2'],
    'Otevírací doba je každý den od 9 do 18 hodin.',
    'Kde vás najdu?',
    'Czy mogę zwrócić towar? Tak, w ciągu 14 dni.',
    'Wysyłka jest bezpłatna powyżej 100 zł.',
    'Gdzie jest najbliższy sklep?',
    'Nyitva tartás: minden nap 9 és 18 óra között.',
    'Mennyibe kerül a szállítás?',
    'Programul nostru este zilnic între 9 şi 18.',
    'Gdje se nalazi najbliža poslovnica? Pokraj željezničkog kolodvora.',
    'Otváracie hodiny sú každý deň od 9 do 18.',
  ],
  [['ibm852'], 'Godziny otwarcia: codziennie od 9 do 18. Czy są zniżki dla uczniów?'],
  [
    ['windows-1252', 'iso-8859-15'],
    'Öffnungszeiten: täglich von 9 bis 18 Uhr.',
    'Straße',
    'Où êtes-vous situés ?',
    'café',
    '¿A qué hora abren? Todos los días de 9 a 18.',
    'Mañana',
    'Situação: não pago',
    'Gli orari sono così: lunedì e martedì.',
    'Öppettider: alla dagar från 9 till 18.',
    'Kan jeg få pengene tilbage? Ja, på 14 dage når du køber.',
    'The price is £5 for café guests.',
  ],
  [['windows-1252'], 'Only 5 € per day – “special offer”.', 'It costs 20°C ± 2'],
  [
    ['macintosh', 'ibm850'],
    '¿A qué hora abren? ¿Puedo devolver el artículo? Sí, también los sábados, según el día.',
  ],
  [
    ['windows-1251', 'koi8-r', 'iso-8859-5', 'ibm866', 'ibm855', 'x-mac-cyrillic'],
    'Мы работаем каждый день с 9 до 18.',
    'Можно ли вернуть товар? Да, в течение 14 дней.',
    'ЧАСЫ РАБОТЫ',
  ],
  [['windows-1251', 'koi8-u'], 'Чи можна повернути товар? Так, протягом 14 днів.'],
  [
    ['windows-1251', 'iso-8859-5'],
    'Работното време е всеки ден от 9 до 18 часа.',
    'Радно време је сваки дан.',
  ],
  [['windows-1253', 'iso-8859-7'], 'Ώρες λειτουργίας: κάθε μέρα από 9 έως 18.', 'Πού βρίσκεστε;', 'Τιμή'],
  [
    ['windows-1254'],
    'Çalışma saatlerimiz her gün 9 ile 18 arası.',
    'Mağazanız nerede?',
    'Kargo ücretsizdir.',
    'Fiyatı ne kadar?',
  ],
  [['windows-1255', 'iso-8859-8'], 'האם אפשר להחזיר את המוצר? כן, תוך 14 יום.', 'איפה אתם נמצאים?'],
  [
    ['windows-1256', 'iso-8859-6'],
    'نحن نعمل كل يوم من 9 إلى 18.',
    'هل يمكنني إرجاع المنتج؟ نعم، خلال 14 يوما.',
  ],
  [
    ['windows-1257', 'iso-8859-13'],
    'Ar galiu grąžinti prekę? Taip, per 14 dienų.',
    'Mēs strādājam katru dienu.',
  ],
  [['windows-874'], 'ฉันคืนสินค้าได้ไหม ได้ภายใน 14 วัน'],
  [['shift_jis', 'euc-jp'], '営業時間は毎日9時から18時までです。', '場所はどこですか', '営業時間'],
  [['gb18030'], '可以退货吗？可以，14天之内。', '营业时间'],
  [['big5'], '可以退貨嗎？可以，14天之內。', '營業時間'],
  [['euc-kr'], '매일 9시부터 18시까지 영업합니다.', '영업시간'],
];
const iconvNames: Record<string, string> = { 'x-mac-cyrillic': 'maccyrillic' };
const encode = (text: string, encoding: string): Buffer =>
  iconv.encode(text, iconvNames[encoding] ?? encoding.replace('ibm', 'cp'));

const read = (bytes: Uint8Array): string | null => {
  const encoding = detectTextEncoding(bytes);
  return encoding === null ? null : decodeText(bytes, encoding);
};

describe('the encoding of a text', () => {
  for (const [encodings, ...texts] of lines) {
    for (const encoding of encodings) {
      it(`is detected from one line in ${encoding}: ${texts[0]}`, () => {
        for (const text of texts) assert.equal(read(encode(text, encoding)), text);
      });
    }
  }

  it('is detected from the letters far from the beginning', () => {
    const terms = 'Terms and conditions.\r'.repeat(5000);
    for (const [encoding, text] of [
      ['windows-1250', 'Wysyłka jest bezpłatna powyżej 100 zł.'],
      ['koi8-r', 'Мы работаем каждый день с 9 до 18.'],
      ['shift_jis', '営業時間は毎日9時から18時までです。'],
    ] as const)
      assert.equal(read(encode(terms + text, encoding))?.slice(terms.length), text);
  });

  it('is Unicode without a byte order mark, in any language', () => {
    const texts = lines.map(([, text]) => `${text}\n`).filter((text) => text.length > 8);
    for (const text of [...texts, 'मूल्य क्या है?\n', 'რა ღირს?\n', 'Emoji 😀 too\n']) {
      for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])
        assert.equal(read(iconv.encode(text, encoding, { addBOM: false })), text, `${encoding} ${text}`);
    }
  });

  it('is shown by a byte order mark, which is not part of the text', () => {
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])
      assert.equal(read(iconv.encode('Grüße', encoding, { addBOM: true })), 'Grüße', encoding);
  });

  it('is shown by escape sequences', () => {
    assert.equal(read(Buffer.from('\u001b$B1D6H;~4V\u001b(B: 9-18', 'latin1')), '営業時間: 9-18');
    const korean = Buffer.from('\u001b$)C\u000e?5>w=C0#\u000f: 9-18\n', 'latin1');
    assert.equal(read(korean), '영업시간: 9-18\n');
  });

  it('is detected from syllables in Johab', () => {
    const bytes = Buffer.from(
      'a081b7a92039afa1a681c8e1203138afa18c61bba120b577b4f3d07393a194612e20e034e13b2c20d94888618962d949',
      'hex',
    );
    assert.equal(read(bytes), '매일 9시부터 18시까지 영업합니다. 價格, 「가격」');
  });

  it('is UTF-8 for a text with a few invalid bytes', () => {
    const cut = Buffer.from('Größe und Länge, Übergröße, für Äpfel. '.repeat(10)).subarray(0, -3);
    const bytes = Buffer.concat([cut, Buffer.from([0xc3])]);
    assert.equal(detectTextEncoding(bytes), 'utf-8');
  });

  it('is unknown for binary data', () => {
    for (const bytes of [
      randomBytes(4096),
      Buffer.from([0, 1, 2, 3]),
      Buffer.from('a\0b'),
      Buffer.from('Hello\u0007'),
    ])
      assert.equal(detectTextEncoding(bytes), null);
    assert.equal(detectTextEncoding(Buffer.alloc(64)), null);
  });
});
