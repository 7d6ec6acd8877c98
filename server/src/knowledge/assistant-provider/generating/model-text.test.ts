import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { chatNotation } from '../../../platform/notation/notation.ts';
import { type ModelTextContext, readModelText } from './model-text.ts';

const context: ModelTextContext = {
  tools: new Set(['order_status', 'reply', 'cannot_answer']),
  knowledgeIds: new Set(['p1', 'p2', 'q1']),
  botName: 'Ada',
  notation: chatNotation,
  quotable: [],
  isCut: false,
};
const read = (written: string, changes: Partial<ModelTextContext> = {}) =>
  readModelText(written, { ...context, ...changes });
const textOf = (written: string, changes: Partial<ModelTextContext> = {}) => read(written, changes).text;

const answer = 'We are at Quay Street 7.';

const reasoning = [
  '<think>plan</think>',
  '<think>\n\n</think>\n\n',
  'plan</think>',
  '<THINK time="3 s">plan</ THINK >',
  '<think/>',
  '<thinking>plan</thinking>',
  '<thought>plan</thought>',
  '<thoughts>plan</thoughts>',
  '<reasoning effort="low">plan</reasoning>',
  '<reflection>plan</reflection>',
  '<scratchpad>plan</scratchpad>',
  '<inner_monologue>plan</inner_monologue>',
  '<antThinking>plan</antThinking>',
  '<seed:think>plan</seed:think>',
  '<thinking_process>plan</thinking_process>',
  '<analysis>plan</analysis>',
  '<think>plan <reasoning>again</think>',
  '<think>plan <think>again</think> more</think>',
  '[THINK]plan[/THINK]',
  '◁think▷plan◁/think▷',
  '&lt;think&gt;plan&lt;/think&gt;',
  '\\<think\\>plan\\</think\\>',
  '<|thinking|>plan<|/thinking|>',
  '<|begin_of_thought|>plan<|end_of_thought|>',
  '<|START_THINKING|>plan<|END_THINKING|><|START_RESPONSE|>',
  '<|channel>thought\nplan<channel|>',
  '<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>final<|message|>',
  '<|start|>assistant<|channel|>commentary<|message|>plan<|end|><|start|>assistant<|channel|>final <|message|>',
  'analysisThe user wants it.assistantfinal',
  '```thinking\nplan\n```\n',
  "Here's my thought process: plan\nHere's my response: ",
  'Thought: plan\nFinal Answer: ',
  '<thi<think>plan</think>nk>plan</think>',
];

test('removes reasoning in every spelling', () => {
  for (const written of reasoning) assert.equal(textOf(written + answer), answer, written);
  assert.equal(textOf(`<think>plan <answer>${answer}</answer>`), answer);
});

test('leaves nothing of reasoning that has no end', () => {
  for (const written of [
    '<think>plan',
    '<thinking>',
    '[THINK]plan',
    '<|channel|>analysis<|message|>plan',
    'analysisThe user',
  ])
    assert.equal(textOf(written), '', written);
});

test('removes the marks of chat templates, and what a model writes for others', () => {
  for (const written of [
    `${answer}<|im_end|>`,
    `<s>${answer}</s>`,
    `<|im_start|>assistant\n${answer}<|im_end|>\n<|im_start|>user\nThanks!<|im_end|>`,
    `<|start_header_id|>assistant<|end_header_id|>\n\n${answer}<|eot_id|>`,
    `<｜begin▁of▁sentence｜><｜Assistant｜>${answer}<｜end▁of▁sentence｜>`,
    `<bos>${answer}<end_of_turn>\n<start_of_turn>user\nThanks!`,
    `[INST]Where?[/INST] ${answer}</s>`,
    `<<SYS>>Be kind.<</SYS>>${answer}`,
    `<answer>${answer}</answer>`,
    `<|begin_of_solution|>${answer}<|end_of_solution|>`,
    `${answer}<|endoftext|>Human: Thanks!`,
    `<|im_<|im_end|>end|>${answer}`,
  ])
    assert.equal(textOf(written), answer, written);
});

test('removes prefixes of roles, and no labels', () => {
  for (const written of [
    `Assistant: ${answer}`,
    `**Assistant:** ${answer}`,
    `AI：${answer}`,
    `Ada: ${answer}`,
    `**Ada**: ${answer}`,
    `Assistant: Ada: ${answer}`,
    `assistant\n\n${answer}`,
    `Assistant: ${answer}\nUser: Thanks!\nAssistant: Bye.`,
  ])
    assert.equal(textOf(written), answer, written);
  for (const label of [
    'Delivery: 3 days',
    'Ada: 9 to 17\nBen: 9 to 18',
    'Ada: from 9',
    'Address: Quay Street 7',
  ])
    assert.equal(textOf(label), label);
});

test('removes the ids of knowledge items, and nothing like them', () => {
  for (const written of [
    'We open at 9 [p1].',
    'We open at 9[p1][q1].',
    'We open at 9 [p1, p2 and q1].',
    'We open at 9 (p1).',
    'We open at 9 (source: p1).',
    'We open at 9 (Quelle: p7, q3).',
    'We open at 9【p1】.',
    'We open at 9【4:0†source】.',
    'We open at 9 [^p1].',
    'We open at 9 **[p1]**.',
    'We open at 9.\n\nSources: [p1], q1',
  ])
    assert.equal(textOf(written).replace(' .', '.'), 'We open at 9.', written);
  for (const text of ['See [1] and (p9) in [Q2], 【重要】 and a[0]', 'Use `[p1]`'])
    assert.equal(textOf(text), text);
});

const order = '{"order_number":"4711"}';
const calls = [
  `{"name":"order_status","arguments":${order}}`,
  `{"name":"order_status","parameters":${order}}`,
  `{"name":"order_status","arguments":${JSON.stringify(order)}}`,
  `[{"name":"order_status","arguments":${order}}]`,
  `{"tool":"order_status","tool_input":${order}}`,
  `{"tool_calls":[{"id":"1","type":"function","function":{"name":"order_status","arguments":${order}}}]}`,
  `{"recipient_name":"functions.order_status","parameters":${order}}`,
  `\`\`\`json\n{\n  "name": "order_status",\n  "arguments": ${order}\n}\n\`\`\``,
  `<tool_call>\n{"name":"order_status","arguments":${order}}\n</tool_call>`,
  `<tool_call>{"name":"order_status","arguments":${order}}`,
  `<tool_calls>[{"name":"order_status","arguments":${order}}]</tool_calls>`,
  `<function_call>{"name":"order_status","arguments":${order}}</function_call>`,
  `<function=order_status>${order}</function>`,
  '<tool_call>\n<function=order_status>\n<parameter=order_number>\n4711\n</parameter>\n</function>\n</tool_call>',
  '<tool_call>order_status\n<arg_key>order_number</arg_key>\n<arg_value>4711</arg_value>\n</tool_call>',
  '<function_calls>\n<invoke name="order_status">\n<parameter name="order_number">4711</parameter>\n</invoke>\n</function_calls>',
  '<order_status><order_number>4711</order_number></order_status>',
  `[TOOL_CALLS][{"name":"order_status","arguments":${order}}]`,
  `[TOOL_CALLS]order_status[ARGS]${order}`,
  `[TOOL_REQUEST]{"name":"order_status","arguments":${order}}[END_TOOL_REQUEST]`,
  `<|python_tag|>{"name":"order_status","parameters":${order}}`,
  '<|python_tag|>order_status.call(order_number="4711")',
  '[order_status(order_number="4711")]',
  "```tool_code\nprint(default_api.order_status(order_number='4711'))\n```",
  '<|tool_call_start|>[order_status(order_number="4711")]<|tool_call_end|>',
  `order_status(${order})`,
  `Thought: plan\nAction: order_status\nAction Input: ${order}`,
  `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>order_status\n\`\`\`json\n${order}\n\`\`\`<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  `<|tool_calls_section_begin|><|tool_call_begin|>functions.order_status:0<|tool_call_argument_begin|>${order}<|tool_call_end|><|tool_calls_section_end|>`,
  `<|channel|>analysis<|message|>plan<|end|><|start|>assistant<|channel|>commentary to=functions.order_status <|constrain|>json<|message|>${order}<|call|>`,
];

test('reads a call that a model wrote as text', () => {
  for (const written of calls) {
    const { text, calls: found } = read(written);
    assert.equal(text, '', written);
    assert.deepEqual(
      found.map((call) => [call.tool, JSON.parse(call.arguments)]),
      [['order_status', { order_number: '4711' }]],
      written,
    );
  }
  assert.equal(
    read('{"name":"order_status","arguments":{"order_number":12345678901234567890}}').calls[0]?.arguments,
    '{"order_number":"12345678901234567890"}',
  );
});

test('withholds a call of an unknown tool, and calls within reasoning', () => {
  const others = calls.map((written) => written.replaceAll('order_status', 'search_web'));
  const unknown = others.filter(
    (written) => /[{<]|print/.test(written) && !/^search_web|^<search/.test(written),
  );
  for (const written of unknown) assert.deepEqual([textOf(written), read(written).calls], ['', []], written);
  for (const written of calls.filter((call) => !call.includes('<|')))
    assert.deepEqual(read(`<think>${written}</think>${answer}`), {
      text: answer,
      calls: [],
      shortened: false,
    });
});

test('keeps the text beside a call, and examples that are no calls', () => {
  const beside = read(`Let me check.\n${calls[0]}`);
  assert.deepEqual([beside.text, beside.calls.length], ['Let me check.', 1]);
  assert.equal(textOf(`One [TOOL_CALLS]${calls[3]} two`), 'One  two');
  for (const text of [
    'Send this:\n```\n{"name":"widget","parameters":{"size":3}}\n```',
    '```\n{"a":1}\n```',
    '{"a": 1}',
    'Choose <plan> or <reason>, <response> and <user name>',
    'if (a < b && c > d) { f(x) }',
    'Say {name} and [Monday]: (closed)',
  ])
    assert.equal(textOf(text), text);
});

test('reads an answer in JSON as a reply', () => {
  for (const written of [
    '{"text":"At nine.","sources":[]}',
    '{"answer":"At nine.","confidence":0.9}',
    '{"response":{"text":"At nine."}}',
    '[{"message":"At nine."}]',
    '```json\n{"reply":"At nine."}\n```',
    '{"role":"assistant","content":"At nine."}',
    '{"action":"reply","action_input":"At nine."}',
    "{'answer': 'At nine.',}",
  ]) {
    const { text, calls: found } = read(written);
    assert.deepEqual(
      [text, found[0]?.tool, JSON.parse(found[0]?.arguments ?? '{}').text],
      ['', 'reply', 'At nine.'],
      written,
    );
  }
});

test('takes text that nobody sees for none', () => {
  for (const invisible of [
    '\u200b\u200b',
    '\u00ad',
    '\u202e \u2066',
    '\ufe0f',
    '\u3164\u2800',
    '\u2060\n\t',
    '\u034f',
    '---',
    '**<think>plan</think>**',
  ])
    assert.equal(textOf(invisible), '', JSON.stringify(invisible));
  for (const visible of ['👍🏽', '0', '✓', '¿?']) assert.equal(textOf(visible), visible);
});

test('ends a cut text at a sentence or a line, or marks the missing end', () => {
  const cut = (text: string) => read(text, { isCut: true });
  assert.deepEqual(cut(`${answer} To return the`), { text: answer, calls: [], shortened: true });
  assert.equal(cut('At nine. **Opening ho').text, 'At nine.');
  assert.equal(cut('Bring it back:\n1. Go there.\n2. Pay the dep').text, 'Bring it back:\n1. Go there.');
  assert.equal(
    cut('To return the bike you must first bring it to the').text,
    'To return the bike you must first bring it to …',
  );
  assert.equal(cut('我们九点开门。请带上').text, '我们九点开门。');
  assert.deepEqual(cut(''), { text: '', calls: [], shortened: false });
});

test('does not take long for text full of marks', () => {
  const parts = [
    '<think>',
    '</think>',
    '<thi',
    '<|im_',
    '{',
    '[',
    '{"a":',
    '```json\n',
    '**',
    '[p1',
    '(',
    '<tool_call>',
    '*a',
    '\n> - ',
  ];
  const before = process.threadCpuUsage();
  for (const part of parts) textOf(part.repeat(10_000 / part.length));
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 30_000_000, 'microseconds of the processor');
});

/** What a model writes, the words of it that a contact sees, in order, and words that must stay private. */
interface Piece {
  written: string;
  seen: string;
}

const word = fc
  .stringMatching(/^[a-z]{1,6}$/)
  .map((text): Piece => ({ written: `w${text}`, seen: `w${text} ` }));
const symbol = fc
  .constantFrom('5 < 6', '3*4', '[1]', 'a_b_c', '10 €', '<5')
  .map((text): Piece => ({ written: text, seen: `${text} ` }));
const hidden =
  (make: (text: string) => string) =>
  ({ written }: Piece): Piece => ({
    written: make(written.replaceAll(/\bw(?=[a-z])/g, 'secret')),
    seen: '',
  });
const around =
  (before: string, after: string) =>
  ({ written, seen }: Piece): Piece => ({
    written: `${before}${written}${after}`,
    seen,
  });
const join =
  (separator: string) =>
  (pieces: readonly Piece[]): Piece => ({
    written: pieces.map(({ written }) => written).join(separator),
    seen: pieces.map(({ seen }) => seen).join(''),
  });

const families = ['think', 'THINK', 'thinking', 'thought', 'reasoning', 'reflection'];
const thinkingAround = fc.oneof(
  fc.constantFrom(...families).map((name): [string, string] => [`<${name}>`, `</${name}>`]),
  fc.constantFrom<[string, string]>(
    ['[THINK]', '[/THINK]'],
    ['◁think▷', '◁/think▷'],
    ['<|begin_of_thought|>', '<|end_of_thought|>'],
    ['<think effort="low">', '</think >'],
    ['<tool_call>', '</tool_call>'],
    ['<function_call>{"name":"search","arguments":{"q":"', '"}}</function_call>'],
  ),
);
const token = fc
  .constantFrom(
    '<|im_end|>',
    '<|eot_id|>',
    '</s>',
    '<end_of_turn>',
    '<｜end▁of▁sentence｜>',
    '[p1]',
    '(source: p2)',
    '【q1】',
  )
  .map((written): Piece => ({ written, seen: '' }));

const { line } = fc.letrec<{ line: Piece; item: Piece }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    word,
    symbol,
    token,
    fc
      .tuple(thinkingAround, tie('line'))
      .map(([[before, after], piece]) => hidden((text) => before + text + after)(piece)),
    tie('line').map(around('<answer>', '</answer>')),
  ),
  line: fc.array(tie('item'), { minLength: 1, maxLength: 4 }).map(join(' ')),
}));

const marked = fc.oneof(
  line,
  line.map(around('**', '**')),
  line.map(around('~~', '~~')),
  line.map(around('[', '](https://shop.example/a_b)')),
);
const inline = fc.array(marked, { minLength: 1, maxLength: 4 }).map(join(' '));
const block = fc.oneof(
  inline,
  line.map(around('## ', '')),
  // Code may well have such ids.
  line
    .map(({ written, seen }) => ({ written: written.replaceAll(/\[p1\]|\(source: p2\)|【q1】/g, ''), seen }))
    .map(around('```json\n', '\n```')),
  fc.array(inline.map(around('* ', '')), { minLength: 1, maxLength: 3 }).map(join('\n')),
  fc
    .array(line, { minLength: 2, maxLength: 2 })
    .map((cells) => around('| ', ' |\n|---|---|')(join(' | ')(cells))),
  fc.constant<Piece>({ written: '---', seen: '' }),
  fc
    .tuple(thinkingAround, inline)
    .map(([[before, after], piece]) => hidden((text) => `${before}\n${text}\n\n${after}`)(piece)),
);
const documents = fc.array(block, { minLength: 1, maxLength: 5 }).map(join('\n\n'));

const forbidden =
  /secret|think|thought|reasoning|reflection|<\||\|>|<｜|<\/?s>|_of_turn|\[p1|p2\)|【|answer>|tool_call|function|\*\*|~~|\]\(|^#|\|--|```json|^---$|\[\/?THINK/im;
/** Letters and figures without marks. */
const wordsOf = (text: string): string =>
  text
    .replaceAll(/ ?\(https:\/\/shop\.example\/a_b\)|https:\/\/shop\.example\/a_b/g, ' ')
    .replaceAll(/[*~`–-]|\s+/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

test('leaves no mark of any nesting, and loses no word', () => {
  fc.assert(
    fc.property(
      documents,
      fc.constantFrom('', 'Assistant: ', 'secret plan</think>'),
      ({ written, seen }, start) => {
        const text = textOf(start + written);
        assert.doesNotMatch(text, forbidden);
        assert.equal(wordsOf(text), wordsOf(seen));
      },
    ),
    { numRuns: 200 },
  );
});

test('leaves nothing private of a text that ends anywhere', () => {
  fc.assert(
    fc.property(documents, fc.nat(), ({ written }, at) => {
      assert.doesNotMatch(textOf(written.slice(0, at % (written.length + 1)), { isCut: true }), /secret/);
    }),
    { numRuns: 200 },
  );
});
