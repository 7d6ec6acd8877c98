import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { connectTestDatabase, makeAssistant } from '../../../test/provider-on-test-database.ts';
import { textDocument } from '../assistant-provider/assistant-provider.contract.ts';
import { indexDocumentsJob } from './indexing.jobs.ts';
import { createPassageSplitter } from './passages.ts';
import { splitSentences } from './sentences.ts';
import { foldDiacritics, splitForms } from './words.ts';

const database = await connectTestDatabase();
const { signal } = new AbortController();

/** A guide of the same six subjects, with questions and words of their answers. */
const guides = {
  'Chinese, simplified': {
    text: [
      '自行车可以在港口办公室租用。每辆自行车需要押金四十欧元，租金每天十五欧元。',
      '周末的营业时间是上午十点到下午四点。节假日商店不营业。',
      '退款将在五个工作日内退回到原来的信用卡。退款需要出示收据。',
      'iPhone手机壳的价格是２５欧元，有三种颜色。',
      '电池的保修期为两年。保修不包括进水造成的损坏。',
      '狗可以免费乘坐渡轮，但是必须用绳子牵着。',
    ],
    questions: {
      '租自行车要多少押金？': '押金四十欧元',
      请问周末几点营业: '上午十点到下午四点',
      退款多久能退回信用卡: '五个工作日',
      iPhone的手机壳多少钱: '２５欧元',
      '25欧元的手机壳有几种颜色': '三种颜色',
      电池保修几年: '两年',
      狗能乘坐渡轮吗: '必须用绳子牵着',
    },
  },
  'Chinese, traditional': {
    text: [
      '自行車可以在港口辦公室租用。每輛自行車需要押金四十歐元。',
      '週末的營業時間是上午十點到下午四點。',
      '退款將在五個工作日內退回到原來的信用卡。',
    ],
    questions: { '租自行車要多少押金？': '押金四十歐元', 請問週末幾點營業: '上午十點到下午四點' },
  },
  Japanese: {
    text: [
      '自転車は港の事務所で借りることができます。自転車一台につき四十ユーロの保証金が必要です。',
      '週末の営業時間は午前十時から午後四時までです。祝日は休業します。',
      '返金は五営業日以内にクレジットカードに行われます。返金にはレシートが必要です。',
      'バッテリーの保証期間は二年間です。水による故障は保証の対象外です。',
      '犬はフェリーに無料で乗れますが、リードが必要です。',
    ],
    questions: {
      '自転車の保証金はいくらですか？': '四十ユーロの保証金',
      週末の営業時間を教えてください: '午前十時から午後四時まで',
      'クレジットカードへの返金は何日かかりますか？': '五営業日以内',
      'ﾊﾞｯﾃﾘｰの保証期間は？': '二年間',
      犬はフェリーに乗れますか: 'リードが必要',
    },
  },
  Thai: {
    text: [
      'เช่าจักรยานได้ที่สำนักงานท่าเรือ ต้องวางเงินมัดจำสี่สิบยูโรต่อจักรยานหนึ่งคัน',
      'วันหยุดสุดสัปดาห์ร้านเปิดสิบโมงเช้าถึงสี่โมงเย็น วันหยุดราชการร้านปิด',
      'การคืนเงินจะเข้าบัตรเครดิตภายในห้าวันทำการ ต้องแสดงใบเสร็จ',
      'แบตเตอรี่รับประกัน ๒๔ เดือน การรับประกันไม่รวมความเสียหายจากน้ำ',
      'สุนัขขึ้นเรือเฟอร์รี่ได้ฟรี แต่ต้องใส่สายจูง',
    ],
    questions: {
      เงินมัดจำจักรยานเท่าไหร่: 'สี่สิบยูโร',
      วันหยุดสุดสัปดาห์ร้านเปิดกี่โมงครับ: 'สิบโมงเช้าถึงสี่โมงเย็น',
      คืนเงินเข้าบัตรเครดิตกี่วัน: 'ห้าวันทำการ',
      'แบตเตอรี่รับประกัน 24 เดือนไหม': '๒๔ เดือน',
      พาสุนัขขึ้นเรือเฟอร์รี่ได้ไหม: 'ใส่สายจูง',
    },
  },
  Lao: {
    text: ['ເຊົ່າລົດຖີບໄດ້ຢູ່ຫ້ອງການທ່າເຮືອ', 'ຮ້ານເປີດສິບໂມງເຊົ້າໃນທ້າຍອາທິດ'],
    questions: { ເຊົ່າລົດຖີບຢູ່ໃສ: 'ຫ້ອງການທ່າເຮືອ', ທ້າຍອາທິດຮ້ານເປີດຈັກໂມງ: 'ສິບໂມງເຊົ້າ' },
  },
  Khmer: {
    text: ['អ្នកអាចជួលកង់នៅការិយាល័យកំពង់ផែ។', 'ហាងបើកម៉ោងដប់ព្រឹកនៅចុងសប្តាហ៍។'],
    questions: { ជួលកង់នៅឯណា: 'ការិយាល័យកំពង់ផែ', តើហាងបើកម៉ោងប៉ុន្មាននៅចុងសប្តាហ៍: 'ម៉ោងដប់ព្រឹក' },
  },
  Burmese: {
    text: ['စက်ဘီးကို ဆိပ်ကမ်းရုံးတွင် ငှားနိုင်ပါသည်။', 'စနေတနင်္ဂနွေတွင် ဆိုင်ကို မနက်ဆယ်နာရီ ဖွင့်ပါသည်။'],
    questions: { စက်ဘီးဘယ်မှာငှားရမလဲ: 'ဆိပ်ကမ်းရုံး', ဆိုင်ဘယ်အချိန်ဖွင့်သလဲ: 'မနက်ဆယ်နာရီ' },
  },
};

for (const [language, { text, questions }] of Object.entries(guides)) {
  test(`quotes the sentence that answers a question: ${language}`, async () => {
    const documents = text.map((each, index) => textDocument(`guide-${index}.txt`, each));
    const assistant = await makeAssistant(database, { documents });
    for (const [question, expected] of Object.entries(questions)) {
      const reply = await assistant.reply(question);
      assert.ok(reply.answered && reply.text.includes(expected), `${question}\n${reply.text}`);
    }
  });
}

/** Pairs with the questions that they answer in other words. */
const pairs = {
  Chinese: {
    '你们几点开门？': ['请问早上几点开门营业？', '星期六开门吗'],
    '怎么取消订单？': ['我想取消我的订单', '已经下的订单怎么取消'],
    '支持哪些付款方式？': ['可以用什么付款？', '有什么付款方式'],
    '如何退货？': ['我想退货，怎么办理？', '退货流程是什么'],
    '电池保修多久？': ['电池的保修期是多久', '保修多久'],
  },
  Japanese: {
    '営業時間は何時からですか？': ['営業時間を教えてください', '土曜日の営業時間は？'],
    '注文をキャンセルするにはどうすればいいですか？': ['注文をキャンセルしたい'],
    '支払い方法は何がありますか？': ['支払い方法を教えて', 'どんな支払い方法がありますか'],
    商品を返品したいのですが: ['買った商品を返品したい', '商品の返品の方法は？'],
    'バッテリーの保証期間はどのくらいですか？': ['ﾊﾞｯﾃﾘｰの保証は何年ですか', '保証期間は？'],
  },
  Thai: {
    ร้านเปิดกี่โมง: ['วันเสาร์ร้านเปิดไหมครับ', 'เปิดกี่โมง'],
    ยกเลิกคำสั่งซื้ออย่างไร: ['อยากยกเลิกคำสั่งซื้อค่ะ'],
    รับชำระเงินแบบไหนบ้าง: ['ชำระเงินยังไงได้บ้าง', 'วิธีชำระเงิน'],
    คืนสินค้าได้อย่างไร: ['อยากคืนสินค้า', 'คืนสินค้าภายในกี่วัน'],
    แบตเตอรี่รับประกันกี่ปี: ['การรับประกันแบตเตอรี่'],
  },
};

for (const [language, asked] of Object.entries(pairs)) {
  test(`finds a pair in other words: ${language}`, async () => {
    const answerTo = (question: string) => `A: ${question}`;
    const questions = Object.keys(asked).map((question) => ({ question, answer: answerTo(question) }));
    const assistant = await makeAssistant(database, { questions });
    for (const [question, others] of Object.entries(asked))
      for (const other of others)
        assert.equal((await assistant.reply(other)).text, answerTo(question), other);
    for (const other of ['埃菲尔铁塔有多高？', 'エッフェル塔の高さは？', 'หอไอเฟลสูงเท่าไหร่'])
      assert.equal((await assistant.reply(other)).answered, false, other);
  });
}

test('splits runs of letters into words, and unknown names into pairs of characters', () => {
  assert.deepEqual(splitForms('请问iPhone手机的价格'), ['请问', 'iphone', '手机', '的', '价格']);
  assert.deepEqual(splitForms('黑豹队的'), ['黑豹', '豹队', '的']);
  assert.deepEqual(splitForms('我的猫'), ['我的', '猫']);
  assert.deepEqual(splitForms('ร้านเปิดกี่โมง'), ['ร้าน', 'เปิด', 'กี่', 'โมง']);
});

test('reads other digits, full width and half width as the usual characters', () => {
  assert.deepEqual(splitForms('ＡＢＣ　１，２００円'), ['abc', '1200', '円']);
  assert.deepEqual(splitForms('๑๕๐ ٢٥ १.५'), ['150', '25', '1.5']);
  assert.deepEqual(splitForms('ﾊﾞﾅﾅ'), ['バナナ']);
});

test('takes no diacritic of Latin letters for a letter of another script', () => {
  for (let mark = 0x300; mark < 0x370; mark += 1) {
    const word = `an${String.fromCodePoint(mark)}o`;
    assert.deepEqual([foldDiacritics(word), splitForms(word).length], ['ano', 1], mark.toString(16));
  }
});

test('splits sentences that no space or capital follows', () => {
  const split = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end));
  assert.deepEqual(split('他说「好。」明天来！真的？！是!好'), [
    '他说「好。」',
    '明天来！',
    '真的？！',
    '是!',
    '好',
  ]);
  assert.deepEqual(split('राम है। सीता नहीं।'), ['राम है।', 'सीता नहीं।']);
  assert.deepEqual(split('ហាងបើក។ហាងបិទ។'), ['ហាងបើក។', 'ហាងបិទ។']);
  assert.deepEqual(split('영업시간은 9시입니다. 주말은 쉽니다.'), [
    '영업시간은 9시입니다.',
    '주말은 쉽니다.',
  ]);
  assert.deepEqual(split('هل أنت هنا؟ نعم. حسنا'), ['هل أنت هنا؟', 'نعم.', 'حسنا']);
  const clause = 'ลูกค้าสามารถเช่าจักรยานได้ที่สำนักงานท่าเรือทุกวันตั้งแต่เวลาเก้าโมงเช้า';
  assert.deepEqual(split(`${clause} ${clause} ${clause}`), [`${clause} ${clause}`, clause]);
});

test('takes no paragraph that ends with a full stop for a heading', () => {
  const text = `狗可以免费乘坐渡轮。\n\n${'自行车可以在港口办公室租用，每天都可以。'.repeat(8)}`;
  const passages = [...createPassageSplitter()({ page: null, heading: null, text })];
  assert.deepEqual(
    passages.map(({ heading }) => heading),
    [null],
  );
});

test('puts no spaces into a quote, neither between sentences nor at the ends of wrapped lines', async () => {
  const text =
    '每辆自行车需要押金四十欧元，不论大小和种类，押金都在归还自行车的时候退还，\n没有收据也可以退还押金。押金可以刷卡。';
  const { reply } = await makeAssistant(database, { documents: [textDocument('押金.txt', text)] });
  const [quote] = (await reply('自行车押金可以刷卡吗')).text.split('\n');
  assert.equal(quote, text.replace('\n', ''));
});

test('indexes the documents of an earlier version again', async () => {
  const { db } = database;
  const texts = guides['Chinese, simplified'].text;
  const assistant = await makeAssistant(database, {
    documents: texts.map((text, index) => textDocument(`old-${index}.txt`, text)),
  });
  const refs = [...assistant.documentRefs];
  const readIndex = async () => {
    const { rows } = await sql`
      select document_ref, term, ordinals from embedded_provider.postings where document_ref = any(${refs}::text[])
      order by document_ref, term`.execute(db);
    return rows;
  };
  const fresh = await readIndex();
  // The earlier version took each sentence for a word, and does not write index_version.
  await sql`update embedded_provider.passages set terms = string_to_array(trim(text, '。'), '。')
    where document_ref = any(${refs}::text[])`.execute(db);
  await sql`delete from embedded_provider.postings where document_ref = any(${refs}::text[])`.execute(db);
  await sql`insert into embedded_provider.postings
    select document_ref, term, array[ordinal] from embedded_provider.passages, unnest(terms) as term
    where document_ref = any(${refs}::text[])`.execute(db);
  await sql`update embedded_provider.documents set index_version = default where ref = any(${refs}::text[])`.execute(
    db,
  );
  assert.equal((await assistant.reply('租自行车要多少押金？')).answered, false);

  const job = (installationId: string) =>
    indexDocumentsJob({ db, installationId, logger: { info: () => undefined } });
  await job('another').run({}, signal);
  await job('test').run({}, AbortSignal.abort());
  assert.equal((await assistant.reply('租自行车要多少押金？')).answered, false);
  await job('test').run({}, signal);
  assert.match((await assistant.reply('租自行车要多少押金？')).text, /押金四十欧元/);
  assert.deepEqual(await readIndex(), fresh);
});
