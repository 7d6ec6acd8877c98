import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReplyLanguage, replyLanguages } from './canned-replies.ts';
import { detectContactLanguage } from './contact-language.ts';

const messages: Record<ReplyLanguage, readonly string[]> = {
  en: ['Hello', 'When do you open tomorrow?', 'how much is a cargo bike', 'thanks a lot'],
  es: ['Hola', '¿Cuándo abren mañana?', 'cuanto cuesta la bici', 'Quiero cambiar mi reserva'],
  pt: ['Olá', 'Quando vocês abrem amanhã?', 'quanto custa a bicicleta', 'muito obrigado'],
  de: ['Guten Tag', 'Wann öffnen Sie morgen?', 'was kostet das fahrrad', 'liefert ihr am sonntag'],
  fr: ['Bonjour', 'Quand ouvrez-vous demain ?', 'combien coûte le vélo', 'merci beaucoup'],
  it: ['Ciao', 'Quando aprite domani?', 'quanto costa la bici', 'grazie mille'],
  nl: ['Hoi', 'Wanneer gaan jullie morgen open?', 'wat kost de fiets', 'waar zijn jullie'],
  pl: ['Dzień dobry', 'Kiedy jutro otwieracie?', 'ile kosztuje rower', 'Chcę zmienić rezerwację'],
  tr: ['Merhaba', 'Yarın ne zaman açıyorsunuz?', 'bisiklet ne kadar', 'çok teşekkürler'],
  ru: ['Здравствуйте', 'Когда вы завтра открываетесь?', 'сколько стоит велосипед', 'большое спасибо'],
  uk: ['Доброго дня', 'Коли ви завтра відкриваєтесь?', 'скільки коштує велосипед', 'щиро дякую'],
  ar: ['مرحبا', 'متى تفتحون غدا؟', 'كم سعر الدراجة', 'شكرا جزيلا'],
  he: ['שלום', 'מתי אתם פותחים מחר?', 'כמה עולה האופניים', 'תודה רבה'],
  hi: ['नमस्ते', 'आप कल कब खोलते हैं?', 'साइकिल कितने की है', 'बहुत धन्यवाद'],
  id: ['Halo', 'Kapan buka besok?', 'berapa harga sepeda', 'terima kasih banyak'],
  zh: ['你好', '你们明天几点开门？', '自行车多少钱', '非常感谢'],
  ja: ['こんにちは', '明日は何時に開きますか？', '自転車はいくらですか', 'ありがとうございます'],
  ko: ['안녕하세요', '내일 몇 시에 열어요?', '자전거 얼마예요', '감사합니다'],
};

test('detects the language of a conversation', async () => {
  for (const language of replyLanguages)
    assert.equal(await detectContactLanguage(messages[language], 'en'), language);
});

test('detects the language of nearly every single short message', async () => {
  const wrong: string[] = [];
  for (const language of replyLanguages)
    for (const text of messages[language]) {
      const detected = await detectContactLanguage([text], 'en');
      if (detected !== language) wrong.push(`${text}: ${detected}`);
    }
  assert.ok(wrong.length <= 2, wrong.join('\n'));
});

test('keeps the language of the conversation over messages that say little', async () => {
  const earlier = ['Quando vocês abrem amanhã?', 'E no domingo?'];
  for (const text of [
    'ok',
    '👍',
    '4711',
    '[location: 52.5, 13.25]',
    'https://shop.example/the/best/bikes',
    '',
  ])
    assert.equal(await detectContactLanguage([...earlier, text], 'en'), 'pt', text);
});

test('follows a contact who changes the language', async () => {
  const earlier = ['When do you open tomorrow?', 'Thank you very much'];
  assert.equal(
    await detectContactLanguage([...earlier, 'Quanto custa alugar uma bicicleta? Vocês abrem amanhã?'], 'en'),
    'pt',
  );
});

test('returns null for texts that say nothing, and for languages without canned replies', async () => {
  for (const text of [
    '',
    'ok',
    '👍',
    '4711',
    'iPhone',
    'När öppnar ni på söndag?',
    'Πότε ανοίγετε αύριο;',
    'พรุ่งนี้เปิดกี่โมง',
  ])
    assert.equal(await detectContactLanguage([text], 'de'), null, text);
  assert.equal(await detectContactLanguage([], 'de'), null);
});
