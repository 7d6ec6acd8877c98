import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectTestDatabase, makeAssistant } from '../../../../test/provider-on-test-database.ts';
import { makeTurn } from '../../../../test/steps.ts';
import { bareSpec, textDocument } from '../assistant-provider.contract.ts';
import type { DocumentSection } from '../assistant-provider.ts';
import { createLocalProvider } from '../local/local-provider.ts';

const database = await connectTestDatabase();

const guide = {
  name: 'guide.pdf',
  type: 'pdf' as const,
  bytes: new Uint8Array(),
  sections: pages(
    'Moorings are let by the night at the visitors pontoon. The fee is 18 euros for boats under ten metres and includes ' +
      'electricity. Larger boats pay two euros for every further metre.',
    'The slipway crane lifts up to 12 tonnes. It works on weekdays only, and lifting has to be booked with the harbour ' +
      'master Ingrid Solberg three days ahead.',
    'The harbour was built in 1887 by Danish engineers after a storm had wrecked the fishing fleet. The lighthouse on the ' +
      'northern mole followed in 1902.',
  ),
};

function pages(...texts: readonly string[]): DocumentSection[] {
  return texts.map((text, index) => ({ page: index + 1, heading: null, text }));
}

const harbour = await makeAssistant(database, { documents: [guide] });

test('quotes a passage with its document and page', async () => {
  const answer = await harbour.reply('How many tonnes can the crane lift?');
  assert.equal(answer.answered, true);
  assert.match(answer.text, /12 tonnes/);
  assert.match(answer.text, /— guide\.pdf, page 2$/);
  const [source] = answer.sources;
  assert.deepEqual(source?.kind === 'passage' && [source.documentRef, source.page], [
    harbour.documentRefs[0],
    2,
  ]);
});

test('adds no sentence of another passage that has fewer words of the question', async () => {
  const sections = pages(
    'We rent kayaks, electric boats and rowing boats at three piers of the harbour town.',
    'The deposit is 20 euros for a kayak, 150 euros for an electric boat and 30 euros for a rowing boat.',
    'A day in an electric boat costs 90 euros.',
  );
  const boats = await makeAssistant(database, { documents: [{ ...guide, sections }] });
  const { text } = await boats.reply('How much is the deposit for an electric boat?');
  assert.match(text, /^The deposit is 20 euros.*— guide\.pdf, page 2$/s);
  assert.doesNotMatch(text, /three piers|90 euros/);
});

test('writes the page in the language of the question', async () => {
  const hafen = await makeAssistant(database, {
    documents: [
      {
        ...guide,
        name: 'hafen.pdf',
        sections: pages('Der Kran hebt bis zu zwölf Tonnen und muss drei Tage vorher gebucht werden.'),
      },
    ],
  });
  assert.match(
    (await hafen.reply('Wie viele Tonnen hebt der Kran?')).text,
    /zwölf Tonnen.*— hafen\.pdf, Seite 1$/s,
  );
});

test('shows the heading for formats without pages', async () => {
  const sections = [
    {
      page: null,
      heading: 'Refunds',
      text: 'Money is paid back within fourteen days after the parcel has arrived.',
    },
  ];
  const shop = await makeAssistant(database, {
    documents: [{ ...guide, name: 'terms.docx', type: 'docx', sections }],
  });
  assert.match(
    (await shop.reply('When is the money paid back?')).text,
    /fourteen days.*— terms\.docx, Refunds$/s,
  );
});

test('says in the language of the question that the documents do not answer it', async () => {
  const questions = {
    'Who composed the opera Fidelio?': /^I am sorry/,
    '¿Quién compuso la ópera Fidelio?': /^Lo siento/,
    'Wer hat die Oper Fidelio komponiert?': /leider nicht/,
    'What does a ticket to the opera in Vienna cost?': /^I am sorry/,
  };
  for (const [question, words] of Object.entries(questions)) {
    const answer = await harbour.reply(question);
    assert.deepEqual([answer.answered, answer.sources.length], [false, 0], question);
    assert.match(answer.text, words);
  }
});

test('keeps a reply within 600 characters, sources included, with the answering sentence', async () => {
  const filler =
    'The committee met again and talked about many other matters of the harbour without any result at all. ';
  const long = textDocument(
    'minutes-of-the-very-long-meeting-of-the-harbour-committee-in-the-winter-of-1952.txt',
    `${filler.repeat(5)}The breakwater was finally paid by the merchant Ole Bergman. ${filler.repeat(5)}`,
  );
  const answer = await (await makeAssistant(database, { documents: [long] })).reply(
    'Who paid for the breakwater?',
  );
  assert.match(answer.text, /Ole Bergman/);
  assert.ok(answer.text.length <= 600, `${answer.text.length} characters`);
});

test('quotes two passages that may both answer, each with its source', async () => {
  const fees = await makeAssistant(database, {
    documents: [
      textDocument('summer.txt', 'In summer a berth for a sailing boat costs 18 euros a night.'),
      textDocument('winter.txt', 'In winter a berth for a sailing boat costs 90 euros a month.'),
      guide,
    ],
  });
  const { text, sources } = await fees.reply('How much does a berth for a sailing boat cost?');
  assert.match(text, /18 euros.*\n— summer\.txt/);
  assert.match(text, /90 euros.*\n— winter\.txt/);
  assert.equal(sources.length, 2);
});

test('cuts a sentence longer than a reply between words', async () => {
  const words = Array.from({ length: 120 }, (_, index) => `barnacle${index}`).join(' ');
  const assistant = await makeAssistant(database, {
    documents: [textDocument('list.txt', `Scraped off: ${words}.`)],
  });
  const { text } = await assistant.reply('What about barnacle7 and barnacle8?');
  assert.match(text, /barnacle\d+ …\n— list\.txt$/);
  assert.ok(text.length <= 600);
});

test('finds a passage by inflected, compound and misspelled words', async () => {
  const verein = await makeAssistant(database, {
    documents: [
      textDocument(
        'satzung.txt',
        'Die Mitgliedschaft kostet vierzig Euro im Jahr.\n\nDas Segelboot liegt im Winter in der Halle am Ostufer.\n\n' +
          'Die Hauptversammlung findet im März statt und wird vom Vorstand einberufen.',
      ),
    ],
  });
  assert.match((await verein.reply('Was kosten Mitgliedschaften?')).text, /vierzig/);
  assert.match((await verein.reply('Wann ist die Versammlung des Vorstands?')).text, /März/);
  assert.match((await harbour.reply('Who built the harbor ligthouse?')).text, /1902|Danish/);
});

test('combines an elliptic question with the previous one', async () => {
  const answer = await harbour.reply(
    'How many tonnes can the crane lift?',
    { role: 'assistant', text: 'The slipway crane lifts up to 12 tonnes.' },
    'And on weekdays?',
  );
  assert.equal(answer.answered, true);
  assert.match(answer.text, /weekdays only/);
});

test('never quotes passages of another team', async () => {
  const { signal } = new AbortController();
  const provider = createLocalProvider({ ...database, installationId: 'test' });
  const tag = { teamId: 'other-team', objectId: 'spy', operation: 'spy' };
  const documentRefs = harbour.documentRefs;
  const { ref, revision } = await provider.putAssistant(
    tag,
    null,
    { ...bareSpec, knowledge: { storeRef: '', documentRefs } },
    signal,
  );
  const step = await provider.step(
    makeTurn({ ref, revision }, [{ role: 'contact', text: 'How many tonnes can the crane lift?' }]),
    signal,
  );
  assert.equal(step.kind === 'answer' && step.answered, false);
});

test('marks a document without text as failed', async () => {
  const { signal } = new AbortController();
  const provider = createLocalProvider({ ...database, installationId: 'test' });
  const tag = { teamId: 'team', objectId: 'empty', operation: 'empty' };
  const { ref } = await provider.putDocument(tag, { ...guide, sections: pages('  \n ') }, signal);
  assert.equal(await provider.documentStatus(ref, signal), 'failed');
});

test('accepts control characters and unpaired surrogates in a document', async () => {
  const document = textDocument(
    'odd.txt',
    'The gate\u0000 code of the boathouse is 4711\uD800 and nothing else.',
  );
  const assistant = await makeAssistant(database, { documents: [document] });
  assert.match((await assistant.reply('What is the gate code of the boathouse?')).text, /4711/);
});
