import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { startFakeModels } from '../../../../test/fake-models/fake-models.ts';
import type { FakeReply } from '../../../../test/fake-models/protocol.ts';
import { connectTestDatabase } from '../../../../test/provider-on-test-database.ts';
import { makeTurn } from '../../../../test/steps.ts';
import { chatNotation } from '../../../platform/notation/notation.ts';
import { bareSpec, textDocument } from '../assistant-provider.contract.ts';
import { createAssistantProvider } from '../create-assistant-provider.ts';

const { db } = await connectTestDatabase();
const fakes = await startFakeModels();
after(() => fakes.stop());
const { signal } = new AbortController();

const settings = {
  name: 'anthropic' as const,
  apiKey: 'key',
  baseUrl: `${fakes.url}/v1`,
  timeoutMs: 10_000,
  concurrency: 4,
  fallback: 'none' as const,
  vision: false,
};
let assistants = 0;

/** Returns the prompts that a bot with these texts sends, one for each question. */
async function listPrompts(
  texts: readonly string[],
  questions: readonly string[],
  pairs = bareSpec.questions,
  replies: readonly FakeReply[] = [],
) {
  assistants += 1;
  const model = `claude-${assistants}`;
  const provider = await createAssistantProvider({
    settings: { ...settings, levels: [model, null, null] },
    db,
    installationId: model,
    embedding: null,
    notation: chatNotation,
  });
  const tag = (operation: string) => ({ teamId: 'team', objectId: 'bot', operation });
  const documentRefs: string[] = [];
  for (const [index, text] of texts.entries()) {
    const document = textDocument(`${index}.txt`, text);
    documentRefs.push((await provider.putDocument(tag(`${index}`), document, signal)).ref);
  }
  const knowledge = { storeRef: 'store', documentRefs };
  const spec = { ...bareSpec, questions: pairs, knowledge };
  const assistant = await provider.putAssistant(tag('assistant'), null, spec, signal);
  const call = { callId: 'c', tool: 'reply', arguments: '{"text":"Fine.","sources":["p1"]}' };
  await fakes.script(model, replies);
  await fakes.setUsualReply(model, { toolCalls: [call] });
  for (const text of questions) await provider.step(makeTurn(assistant, [{ role: 'contact', text }]), signal);
  return (await fakes.requests(model)).map(({ body }) => body);
}

/** A fact of a boat rental, and a question that shares few words with it. */
const handbook: readonly [fact: string, question: string][] = [
  ['Kayaks cost 14 euros an hour and 45 euros a day.', 'what do you charge for a small boat'],
  ['Stand-up boards are 12 euros an hour.', 'price of a sup?'],
  ['A deposit of 50 euros in cash is due at pick-up.', 'do I have to leave money as security'],
  ['We are closed on 25 and 26 December and on 1 January.', 'are you there at christmas'],
  ['From April to October the jetty is staffed from 9 to 19.', 'opening hours in summer'],
  ['In winter we work by appointment only.', 'can I come in february'],
  ['Children under 12 must be accompanied by a grown-up.', 'is my 9 year old allowed alone'],
  ['Life vests are included in every rental.', 'is safety gear extra'],
  ['Dogs may ride in double kayaks.', 'can i bring my puppy'],
  ['Cancel free of charge up to 24 hours ahead.', 'until when do I get my money back'],
  ['After that, half of the price is kept.', 'what if I call off on the same day'],
  ['If the wind exceeds 6 Beaufort, tours do not start.', 'what happens in a storm'],
  ['The sunset tour takes two and a half hours.', 'how long is the evening trip'],
  ['It starts daily at 18:30 at pier 4.', 'where do we meet for it'],
  ['Guides speak English, Dutch and Polish.', 'which languages'],
  ['Groups of ten or more get 15 percent off.', 'discount for a school class'],
  ['Pay by card, cash or bank transfer.', 'do you take visa'],
  ['Invoices are sent by email within two days.', 'I need a bill for my company'],
  ['Showers and lockers are behind the workshop.', 'can I wash after the ride'],
  ['There are 20 spaces for cars, free for guests.', 'parking?'],
  ['Bus 12 stops at the Quay, five minutes on foot.', 'how do I get there without driving'],
  ['Wheelchair users reach the floating platform by a ramp.', 'is it accessible'],
  ['Lost paddles are charged at 35 euros.', 'I dropped my oar in the water'],
  ['Report damage before you leave the jetty.', 'the hull has a scratch, what now'],
  ['Gift vouchers are valid for three years.', 'when does my coupon run out'],
  ['Alcohol is not permitted on the water.', 'can we drink beer on board'],
  ['Swimming is taught on Saturdays at ten.', 'lessons for beginners?'],
  ['Repairs of private boats take about a week.', 'can you fix mine'],
  ['皮划艇每小时十四欧元。', '租一条小船要花多少钱'],
  ['狗可以坐双人艇。', '能带宠物吗'],
  ['提前二十四小时取消不收费。', '不想去了怎么退'],
  ['圣诞节休息。', '十二月二十五号开门吗'],
  ['日落游览两个半小时。', '晚上的行程多久'],
  ['码头有免费停车场。', '车停在哪里'],
  ['เรือคายัคชั่วโมงละสิบสี่ยูโร', 'ค่าเช่าเท่าไหร่'],
  ['สุนัขนั่งเรือคู่ได้', 'พาสัตว์เลี้ยงมาได้ไหม'],
  ['ยกเลิกฟรีก่อนยี่สิบสี่ชั่วโมง', 'ไม่ไปแล้วได้เงินคืนไหม'],
  ['วันคริสต์มาสปิด', 'ยี่สิบห้าธันวาคมเปิดไหม'],
  ['ทัวร์ชมพระอาทิตย์ตกสองชั่วโมงครึ่ง', 'ทริปตอนเย็นนานแค่ไหน'],
  ['ที่จอดรถฟรีสำหรับแขก', 'จอดรถที่ไหน'],
];
const facts = handbook.map(([fact]) => fact).join('\n\n');
const questions = handbook.map(([, question]) => question);
const pairs = [{ question: 'Who owns the rental?', answer: 'The harbour cooperative.' }];

test('sends all of a small knowledge base, whatever words a question has', async () => {
  const prompts = await listPrompts([facts, facts], questions, pairs);
  assert.equal(prompts.length, 40);
  for (const [index, { messages }] of prompts.entries()) {
    const text = JSON.stringify(messages);
    assert.ok(text.includes(handbook[index]?.[0] ?? ''), questions[index]);
    assert.equal(text.split('Kayaks cost 14 euros').length, 2, 'a repeated document is sent once');
  }
});

test('marks what is the same for all questions, so that Anthropic caches it', async () => {
  const prompts = await listPrompts([facts], questions.slice(0, 3), pairs);
  const marked = prompts.map(({ system, tools, messages }) => [tools, system[0], messages[0].content[0]]);
  for (const [, system, knowledge] of marked)
    for (const part of [system, knowledge]) assert.deepEqual(part.cache_control, { type: 'ephemeral' });
  assert.deepEqual(marked[1], marked[0]);
  assert.deepEqual(marked[2], marked[0]);
  assert.equal(prompts[0].max_tokens, 4096);
  const [own] = prompts.map(({ messages }) => messages[0].content[1]);
  assert.equal(own.cache_control, undefined);
  assert.match(own.text, /small boat/);
  assert.doesNotMatch(own.text, /Kayaks cost/);
});

/** More than fits. */
const page = (n: number) =>
  `Berth ${n} is let to boat number ${n * 7}. ${`Its owner pays for the mooring of berth ${n} each spring. `.repeat(5)}`;
const pages = Array.from({ length: 150 }, (_, n) => page(n + 100)).join('\n\n');

test('lets the model write the query if the words of the contact find little', async () => {
  const asked = 'for what stretch will that keep us busy';
  const replies = [{ text: '<think>It is about the tour.</think>sunset tour duration hours' }];
  const [small, full] = await listPrompts([pages, facts], [asked], [], replies);
  assert.match(small.system[0].text, /search query/);
  assert.match(small.messages[0].content[0].text, /keep us busy/);
  assert.match(full.messages[0].content[0].text, /"id":"p1"[^}]*sunset tour takes two and a half hours/);
  // Without a query, the words of the contact decide.
  const silent = await listPrompts([pages, facts], [asked]);
  assert.equal(silent.length, 2);
  const sure = await listPrompts([pages, facts], ['Which boat is at berth 117?']);
  assert.equal(sure.length, 1);
});

test('fills the prompt by rank if not all knowledge fits', async () => {
  const asked = 'Which boat is at berth 117?';
  const [prompt] = await listPrompts([pages, facts], [asked]);
  const text: string = prompt.messages[0].content[0].text;
  assert.ok(Buffer.byteLength(text) > 20_000, 'the budget is used');
  assert.ok(Buffer.byteLength(text) < 32_000, 'the budget is kept');
  const { context, message } = JSON.parse(text);
  assert.equal(message, asked);
  assert.match(context.knowledge[0].text, /Berth 117 is let to boat number 819/);
  const sent = context.knowledge.map(({ text: each }: { text: string }) => each);
  assert.equal(new Set(sent).size, sent.length);
  assert.equal(prompt.messages[0].content[0].cache_control, undefined);
});
