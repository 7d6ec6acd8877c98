export interface CannedReplies {
  humanRequested: string;
  /** Reply to kinds of content that the bot does not read. */
  textOnly: string;
  /** Reply to content of a kind that the bot reads, such as a voice note that is too long. */
  notUnderstood: string;
  receiptKept: string;
  noAnswer: string;
  /** Reply to a contact who wants no active messages. START works in every language. */
  optedOut: string;
  optedIn: string;
}

export const replyLanguages = [
  'en',
  'es',
  'pt',
  'de',
  'fr',
  'it',
  'nl',
  'pl',
  'tr',
  'ru',
  'uk',
  'ar',
  'he',
  'hi',
  'id',
  'zh',
  'ja',
  'ko',
] as const;

export type ReplyLanguage = (typeof replyLanguages)[number];

const cannedReplies: Record<ReplyLanguage, CannedReplies> = {
  en: {
    humanRequested: 'Of course. A person from our team will write to you here soon.',
    textOnly: 'I can only read text. Could you write to me what it is about?',
    notUnderstood: 'I am sorry, I could not understand your message. Could you write to me what it is about?',
    receiptKept: 'Thank you, I have kept your payment receipt.',
    noAnswer: 'I am sorry, I could not find an answer to that.',
    optedOut:
      'You will get no more messages from us unless you write first. Write START if you change your mind.',
    optedIn: 'Welcome back. You will get our messages again.',
  },
  es: {
    humanRequested: 'Por supuesto. Una persona de nuestro equipo te escribirá aquí en breve.',
    textOnly: 'Solo puedo leer texto. ¿Podrías escribirme de qué se trata?',
    notUnderstood: 'Lo siento, no he podido entender tu mensaje. ¿Podrías escribirme de qué se trata?',
    receiptKept: 'Gracias, he guardado tu comprobante de pago.',
    noAnswer: 'Lo siento, no he encontrado una respuesta a eso.',
    optedOut:
      'No recibirás más mensajes nuestros, salvo que nos escribas tú. Escribe START si cambias de opinión.',
    optedIn: 'Gracias por volver. Recibirás de nuevo nuestros mensajes.',
  },
  pt: {
    humanRequested: 'Claro. Uma pessoa da nossa equipe escreverá para você aqui em breve.',
    textOnly: 'Só consigo ler texto. Você poderia me escrever do que se trata?',
    notUnderstood: 'Desculpe, não consegui entender sua mensagem. Você poderia me escrever do que se trata?',
    receiptKept: 'Obrigado, guardei o seu comprovante de pagamento.',
    noAnswer: 'Desculpe, não encontrei uma resposta para isso.',
    optedOut:
      'Você não receberá mais mensagens nossas, a menos que nos escreva. Escreva START se mudar de ideia.',
    optedIn: 'Que bom ter você de volta. Você receberá nossas mensagens de novo.',
  },
  de: {
    humanRequested: 'Gern. Jemand aus unserem Team schreibt Ihnen hier in Kürze.',
    textOnly: 'Ich kann nur Text lesen. Könnten Sie mir schreiben, worum es geht?',
    notUnderstood:
      'Es tut mir leid, ich konnte Ihre Nachricht nicht verstehen. Könnten Sie mir schreiben, worum es geht?',
    receiptKept: 'Danke, ich habe Ihren Zahlungsbeleg aufbewahrt.',
    noAnswer: 'Es tut mir leid, darauf habe ich keine Antwort gefunden.',
    optedOut:
      'Sie erhalten keine Nachrichten mehr von uns, außer wenn Sie uns schreiben. Schreiben Sie START, wenn Sie es sich anders überlegen.',
    optedIn: 'Willkommen zurück. Sie erhalten wieder Nachrichten von uns.',
  },
  fr: {
    humanRequested: 'Bien sûr. Une personne de notre équipe vous écrira ici très bientôt.',
    textOnly: 'Je ne peux lire que du texte. Pourriez-vous m’écrire de quoi il s’agit ?',
    notUnderstood:
      'Désolé, je n’ai pas pu comprendre votre message. Pourriez-vous m’écrire de quoi il s’agit ?',
    receiptKept: 'Merci, j’ai conservé votre justificatif de paiement.',
    noAnswer: 'Désolé, je n’ai pas trouvé de réponse à cela.',
    optedOut:
      'Vous ne recevrez plus de messages de notre part, sauf si vous nous écrivez. Écrivez START si vous changez d’avis.',
    optedIn: 'Bon retour. Vous recevrez de nouveau nos messages.',
  },
  it: {
    humanRequested: 'Certo. Una persona del nostro team ti scriverà qui a breve.',
    textOnly: 'Posso leggere solo testo. Potresti scrivermi di cosa si tratta?',
    notUnderstood:
      'Mi dispiace, non ho potuto capire il tuo messaggio. Potresti scrivermi di cosa si tratta?',
    receiptKept: 'Grazie, ho conservato la tua ricevuta di pagamento.',
    noAnswer: 'Mi dispiace, non ho trovato una risposta.',
    optedOut: 'Non riceverai più messaggi da noi, a meno che non ci scriva tu. Scrivi START se cambi idea.',
    optedIn: 'Bentornato. Riceverai di nuovo i nostri messaggi.',
  },
  nl: {
    humanRequested: 'Natuurlijk. Iemand van ons team schrijft je hier binnenkort.',
    textOnly: 'Ik kan alleen tekst lezen. Kun je me schrijven waar het over gaat?',
    notUnderstood: 'Sorry, ik kon je bericht niet begrijpen. Kun je me schrijven waar het over gaat?',
    receiptKept: 'Bedankt, ik heb je betaalbewijs bewaard.',
    noAnswer: 'Sorry, daar heb ik geen antwoord op gevonden.',
    optedOut:
      'Je krijgt geen berichten meer van ons, behalve als je ons schrijft. Schrijf START als je je bedenkt.',
    optedIn: 'Welkom terug. Je krijgt onze berichten weer.',
  },
  pl: {
    humanRequested: 'Oczywiście. Wkrótce napisze tu do Ciebie osoba z naszego zespołu.',
    textOnly: 'Potrafię czytać tylko tekst. Czy możesz napisać, o co chodzi?',
    notUnderstood: 'Przepraszam, nie udało mi się zrozumieć tej wiadomości. Czy możesz napisać, o co chodzi?',
    receiptKept: 'Dziękuję, potwierdzenie płatności zostało zapisane.',
    noAnswer: 'Przepraszam, nie udało mi się znaleźć odpowiedzi.',
    optedOut:
      'Nie będziemy już wysyłać wiadomości, chyba że najpierw ktoś do nas napisze z tego numeru. Napisz START, aby to zmienić.',
    optedIn: 'Witamy ponownie. Nasze wiadomości będą znów przychodzić.',
  },
  tr: {
    humanRequested: 'Elbette. Ekibimizden biri kısa süre içinde size buradan yazacak.',
    textOnly: 'Yalnızca metin okuyabiliyorum. Konunun ne olduğunu yazabilir misiniz?',
    notUnderstood: 'Üzgünüm, mesajınızı anlayamadım. Konunun ne olduğunu yazabilir misiniz?',
    receiptKept: 'Teşekkürler, ödeme dekontunuzu kaydettim.',
    noAnswer: 'Üzgünüm, bununla ilgili bir yanıt bulamadım.',
    optedOut: 'Siz yazmadıkça size artık mesaj göndermeyeceğiz. Fikrinizi değiştirirseniz START yazın.',
    optedIn: 'Tekrar hoş geldiniz. Mesajlarımızı yeniden alacaksınız.',
  },
  ru: {
    humanRequested: 'Конечно. Скоро вам здесь напишет наш сотрудник.',
    textOnly: 'Я умею читать только текст. Напишите, пожалуйста, о чём речь.',
    notUnderstood: 'Извините, не удалось понять ваше сообщение. Напишите, пожалуйста, о чём речь.',
    receiptKept: 'Спасибо, квитанция об оплате сохранена.',
    noAnswer: 'К сожалению, ответ на этот вопрос не найден.',
    optedOut:
      'Мы больше не будем присылать вам сообщения, если вы не напишете сами. Напишите START, если передумаете.',
    optedIn: 'С возвращением. Вы снова будете получать наши сообщения.',
  },
  uk: {
    humanRequested: 'Звичайно. Незабаром вам тут напише людина з нашої команди.',
    textOnly: 'Я вмію читати лише текст. Напишіть, будь ласка, про що йдеться.',
    notUnderstood: 'Вибачте, не вдалося зрозуміти ваше повідомлення. Напишіть, будь ласка, про що йдеться.',
    receiptKept: 'Дякую, квитанцію про оплату збережено.',
    noAnswer: 'На жаль, відповіді на це не знайдено.',
    optedOut:
      'Ми більше не надсилатимемо вам повідомлень, якщо ви не напишете самі. Напишіть START, якщо передумаєте.',
    optedIn: 'З поверненням. Ви знову отримуватимете наші повідомлення.',
  },
  ar: {
    humanRequested: 'بالتأكيد. سيكتب لك هنا قريبًا شخص من فريقنا.',
    textOnly: 'يمكنني قراءة النصوص فقط. هل يمكنك أن تكتب لي عن الموضوع؟',
    notUnderstood: 'عذرًا، لم أتمكن من فهم رسالتك. هل يمكنك أن تكتب لي عن الموضوع؟',
    receiptKept: 'شكرًا، لقد حفظت إيصال الدفع.',
    noAnswer: 'عذرًا، لم أجد إجابة عن ذلك.',
    optedOut: 'لن تصلك رسائل منا بعد الآن إلا إذا كتبت لنا أولًا. اكتب START إذا غيّرت رأيك.',
    optedIn: 'أهلًا بعودتك. ستصلك رسائلنا من جديد.',
  },
  he: {
    humanRequested: 'בוודאי. מישהו מהצוות שלנו יכתוב כאן בקרוב.',
    textOnly: 'ניתן לקרוא כאן רק טקסט. אפשר לכתוב לי במה מדובר?',
    notUnderstood: 'סליחה, לא ניתן היה להבין את ההודעה. אפשר לכתוב לי במה מדובר?',
    receiptKept: 'תודה, אישור התשלום נשמר.',
    noAnswer: 'סליחה, לא נמצאה תשובה על כך.',
    optedOut: 'לא יישלחו אליך עוד הודעות, אלא אם הפנייה תבוא ממך. לביטול אפשר לכתוב START.',
    optedIn: 'ברוכים השבים. ההודעות שלנו יישלחו אליך שוב.',
  },
  hi: {
    humanRequested: 'ज़रूर। हमारी टीम से कोई व्यक्ति जल्द ही आपको यहाँ लिखेगा।',
    textOnly: 'यहाँ केवल लिखित संदेश पढ़े जा सकते हैं। कृपया लिखकर बताइए कि बात किस बारे में है।',
    notUnderstood: 'माफ़ कीजिए, आपका संदेश समझ में नहीं आया। कृपया लिखकर बताइए कि बात किस बारे में है।',
    receiptKept: 'धन्यवाद, आपकी भुगतान रसीद रख ली गई है।',
    noAnswer: 'माफ़ कीजिए, इसका उत्तर नहीं मिला।',
    optedOut: 'अब हम आपको संदेश नहीं भेजेंगे, जब तक आप स्वयं न लिखें। मन बदलने पर START लिखें।',
    optedIn: 'वापसी पर स्वागत है। आपको हमारे संदेश फिर से मिलेंगे।',
  },
  id: {
    humanRequested: 'Tentu. Seseorang dari tim kami akan segera menulis kepada Anda di sini.',
    textOnly: 'Saya hanya dapat membaca teks. Bisakah Anda menuliskan maksudnya?',
    notUnderstood: 'Maaf, saya tidak dapat memahami pesan Anda. Bisakah Anda menuliskan maksudnya?',
    receiptKept: 'Terima kasih, bukti pembayaran Anda sudah saya simpan.',
    noAnswer: 'Maaf, saya tidak menemukan jawabannya.',
    optedOut:
      'Anda tidak akan menerima pesan dari kami lagi, kecuali Anda menulis lebih dulu. Tulis START jika berubah pikiran.',
    optedIn: 'Selamat datang kembali. Anda akan menerima pesan kami lagi.',
  },
  zh: {
    humanRequested: '好的。我们团队的人员很快会在这里回复您。',
    textOnly: '我只能阅读文字。请您用文字告诉我是什么事，好吗？',
    notUnderstood: '抱歉，我没能理解您的消息。请您用文字告诉我是什么事，好吗？',
    receiptKept: '谢谢，您的付款凭证已保存。',
    noAnswer: '抱歉，我没有找到相关的答案。',
    optedOut: '除非您先给我们留言，否则我们不会再给您发消息。如果改变主意，请回复 START。',
    optedIn: '欢迎回来。您将重新收到我们的消息。',
  },
  ja: {
    humanRequested: '承知しました。まもなく担当者がこちらにご連絡します。',
    textOnly: 'テキストのみ読むことができます。ご用件を文章でお送りいただけますか。',
    notUnderstood:
      '申し訳ありませんが、メッセージを理解できませんでした。ご用件を文章でお送りいただけますか。',
    receiptKept: 'ありがとうございます。お支払いの控えを保存しました。',
    noAnswer: '申し訳ありませんが、回答が見つかりませんでした。',
    optedOut:
      'お客様からご連絡いただかない限り、こちらからメッセージをお送りすることはありません。再開するには START とお送りください。',
    optedIn: 'お帰りなさい。再びメッセージをお送りします。',
  },
  ko: {
    humanRequested: '네, 곧 저희 담당자가 여기로 연락드리겠습니다.',
    textOnly: '글자로 된 메시지만 읽을 수 있습니다. 어떤 내용인지 글로 보내 주시겠어요?',
    notUnderstood: '죄송합니다. 메시지를 이해하지 못했습니다. 어떤 내용인지 글로 보내 주시겠어요?',
    receiptKept: '감사합니다. 결제 영수증을 보관했습니다.',
    noAnswer: '죄송합니다. 그에 대한 답변을 찾지 못했습니다.',
    optedOut:
      '먼저 연락하지 않으시는 한 더 이상 메시지를 보내지 않겠습니다. 다시 받으시려면 START라고 보내 주세요.',
    optedIn: '다시 오신 것을 환영합니다. 저희 메시지를 다시 받으시게 됩니다.',
  },
};

/** Falls back to English. `locale` is a tag like `pt-BR`. */
export function getCannedReplies(locale: string): CannedReplies {
  const language = locale.split('-')[0]?.toLowerCase() ?? '';
  return isLanguage(language) ? cannedReplies[language] : cannedReplies.en;
}

const isLanguage = (language: string): language is ReplyLanguage => Object.hasOwn(cannedReplies, language);
