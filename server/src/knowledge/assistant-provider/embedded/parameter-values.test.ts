import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTimeSlicer } from '../../search/time-slices.ts';
import { fillParameters, type Parameter, readValue } from './parameter-values.ts';

const yieldControl = createTimeSlicer()();

const text = (name: string, description = ''): Parameter => ({
  name,
  type: 'string',
  description,
  required: true,
});
const number = (name: string, description = ''): Parameter => ({
  name,
  type: 'number',
  description,
  required: true,
});
const yesOrNo = (name: string): Parameter => ({ name, type: 'boolean', description: '', required: true });

test('recognises values by their shape', async () => {
  const cases: [Parameter, string, unknown][] = [
    [text('email'), 'write to ana.b@mail.example.org please', 'ana.b@mail.example.org'],
    [text('date'), 'can I come on 2026-03-04 at noon', '2026-03-04'],
    [text('fecha'), 'el 4/3/2026 por favor', '4/3/2026'],
    [text('time'), 'tomorrow at 18:30', '18:30'],
    [text('phone'), 'call +34 600 123 456', '+34 600 123 456'],
    [text('tracking_code'), 'where is ES-99-A?', 'ES-99-A'],
    [text('tracking_code'), 'mine/yours is -_-9a/b, not 7', '9a/b'],
    [text('email'), 'either a@b or @x.ana@example.org', 'x.ana@example.org'],
    [number('amount'), 'transfer 1,250.50 euros', 1250.5],
    [number('price'), 'unter 12,5 Euro', 12.5],
    [number('guests'), 'table 7 for guests: 4', 4],
    [yesOrNo('breakfast'), 'yes, with breakfast', true],
    [yesOrNo('breakfast'), 'no thanks', false],
    [text('title'), 'do you have "The Old Man" in stock', 'The Old Man'],
    [text('city'), 'what about New York today', 'New York'],
    [text('colour'), 'the colour is dark green', 'dark green'],
  ];
  for (const [parameter, words, value] of cases) {
    assert.deepEqual(
      (await fillParameters([parameter], words, yieldControl)).values,
      { [parameter.name]: value },
      words,
    );
  }
});

test('reports parameters without a value as missing', async () => {
  const parameters = [text('email'), number('amount'), text('city')];
  const filling = await fillParameters(parameters, 'please send it', yieldControl);
  assert.deepEqual([filling.values, filling.missing], [{}, parameters]);
});

test('fills one parameter per part of the text', async () => {
  const { values, missing } = await fillParameters(
    [number('from'), number('to')],
    'a parcel of 3 kilos',
    yieldControl,
  );
  assert.deepEqual([Object.values(values), missing.length], [[3], 1]);
});

test('reads a bare reply as the requested value, but not a question', () => {
  assert.equal(readValue(text('city'), 'lisbon'), 'lisbon');
  assert.equal(readValue(number('guests'), 'we are 5'), 5);
  assert.equal(readValue(number('guests'), 'many'), null);
  assert.equal(readValue(text('city'), 'why do you ask?'), null);
});

test('ignores parameter names in text that was already used as a value', async () => {
  const parameters = [number('amount'), text('colour')];
  const { values } = await fillParameters(parameters, 'colour5 and colour: green', yieldControl);
  assert.deepEqual(values, { amount: 5, colour: 'green' });
});
