import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addDocument, addTeam } from '../../../test/bots.ts';
import { startChatApp } from '../../../test/chats.ts';
import { maxCases } from './cases.schemas.ts';

const app = await startChatApp();
const tandem = { question: 'How much is a tandem?', answer: 'A tandem costs 40 euros a day.' };

const importCsv = (botId: string, csv: string, token?: string) =>
  app.api('POST', `/bots/${botId}/cases/import`, {
    body: { csv },
    ...(token === undefined ? {} : { token }),
  });

const listed = async (botId: string) => {
  const { data } = (await app.api('GET', `/bots/${botId}/cases?limit=100`)).body;
  return data.toSorted((a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name));
};

test('imports cases from a CSV, and replaces those of an earlier one', async () => {
  const { botId } = await app.addDevice({ questions: [tandem] });
  await app.api('POST', `/bots/${botId}/cases`, {
    body: { name: 'Price', messages: [{ role: 'contact', text: 'By hand' }] },
  });
  const csv = [
    '\uFEFFName;Question;contains;lacks;silent;max_ms;calls_none',
    'Price;How much is a tandem?;40 euros|a day;dollars;no;5000;x',
    ';"Anything; at all?";;;;;',
  ].join('\r\n');
  const { status, body } = await importCsv(botId, csv);
  assert.deepEqual([status, body.data], [200, { imported: 2, refused: [] }]);
  const [free, manual, priced] = await listed(botId);
  assert.deepEqual(
    [free.name, free.messages, free.checks, free.origin],
    ['Anything; at all?', [{ role: 'contact', text: 'Anything; at all?' }], [], 'csv'],
  );
  const [price, other] = manual.origin === 'csv' ? [manual, priced] : [priced, manual];
  assert.deepEqual([other.origin, other.messages[0].text], ['manual', 'By hand']);
  assert.deepEqual(price.checks, [
    { kind: 'contains', text: '40 euros' },
    { kind: 'contains', text: 'a day' },
    { kind: 'lacks', text: 'dollars' },
    { kind: 'calls_none' },
    { kind: 'max_ms', value: 5000 },
  ]);
  await importCsv(botId, csv);
  assert.deepEqual(await listed(botId), await listed(botId));
  assert.equal((await listed(botId)).length, 3);
  await importCsv(botId, 'name,question,contains\nPrice,How much?,50 euros');
  const changed = (await listed(botId)).find(({ id }: { id: string }) => id === price.id);
  assert.deepEqual(
    [changed.messages[0].text, changed.checks],
    ['How much?', [{ kind: 'contains', text: '50 euros' }]],
  );
});

test('refuses rows that are wrong, and tables that are none', async () => {
  const { botId } = await app.addDevice({ questions: [tandem] });
  const csv = [
    'question,language,max_cost,cites_document,hands_over',
    ',en,,,',
    'One?,english,,,',
    'Two?,,-1,,',
    'Three?,,,price-list,',
    'Four?,,,,maybe',
    'Five?,en,0.01,,yes',
    'Five?,,,,',
  ].join('\n');
  const { body } = await importCsv(botId, csv);
  assert.equal(body.data.imported, 1);
  assert.deepEqual(
    body.data.refused.map(({ row, message }: { row: number; message: string }) => [
      row,
      message.split(' ')[0],
    ]),
    [
      [2, 'question'],
      [3, 'language'],
      [4, 'max_cost'],
      [5, 'cites_document'],
      [6, 'hands_over'],
      [8, 'has'],
    ],
  );
  const tooMany = `question\n${Array.from({ length: maxCases + 1 }, (_, n) => `Question ${n}?`).join('\n')}`;
  for (const wrong of ['answer\nYes', 'question,mood\nHi,good', 'question\n"Hi', tooMany]) {
    const refused = await importCsv(botId, wrong);
    assert.deepEqual([refused.status, refused.body.details.issues[0].path], [400, 'csv'], wrong.slice(0, 30));
  }
  const full = Array.from({ length: maxCases }, (_, n) => `Question ${n}?`).join('\n');
  const overfull = await importCsv(botId, `question\n${full}`);
  assert.equal(overfull.body.details.reason, 'too_many_cases');
  assert.equal((await listed(botId)).length, 1);
  const { token } = await app.issueKey({ teamId: await addTeam(app.context) });
  for (const path of ['import', 'propose']) {
    const body = path === 'import' ? { csv: 'question\nHi' } : {};
    const foreign = await app.api('POST', `/bots/${botId}/cases/${path}`, { token, body });
    assert.equal(foreign.status, 404, path);
  }
});

test('names the line of a refused row after blank lines and cells of several lines', async () => {
  const { botId } = await app.addDevice({ questions: [tandem] });
  const { body } = await importCsv(botId, 'question,max_ms\n\n"One\nor two?",5\n\nThree?,soon\n\u0001,5');
  assert.deepEqual(body.data, {
    imported: 1,
    refused: [
      { row: 6, message: 'max_ms must be a number from 0 to 1000000' },
      { row: 7, message: 'question must not be empty' },
    ],
  });
});

test('proposes a case for each pair, action and heading, once', async () => {
  const teamId = await addTeam(app.context);
  const document = await addDocument(app.context, teamId);
  const action = {
    name: 'Order status',
    description: 'Looks it up',
    endpoint: 'http://127.0.0.1:1/{{order}}',
  };
  const draft = { questions: [tandem], actions: [action], document_ids: [document.id] };
  const { body } = await app.api('POST', '/bots', { body: { team_id: teamId, name: 'Desk', ...draft } });
  const botId: string = body.data.id;
  const propose = async () => (await app.api('POST', `/bots/${botId}/cases/propose`)).body.data.proposed;
  const proposed = await propose();
  assert.ok(proposed >= 2, `${proposed}`);
  const cases = await listed(botId);
  assert.equal(cases.length, proposed);
  const named = new Map(cases.map((each: { name: string }) => [each.name, each]));
  const content = (name: string) => {
    const { checks, enabled, origin } = named.get(name) as {
      checks: object[];
      enabled: boolean;
      origin: string;
    };
    return { checks, enabled, origin };
  };
  assert.deepEqual(content(tandem.question), {
    checks: [{ kind: 'cites_pair', question: tandem.question }],
    enabled: true,
    origin: 'proposed',
  });
  assert.deepEqual(content(action.name), {
    checks: [{ kind: 'calls_action', name: action.name }],
    enabled: false,
    origin: 'proposed',
  });
  assert.equal(await propose(), 0);
});
