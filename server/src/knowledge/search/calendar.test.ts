import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findDateRanges, isAboutOtherDates, readDateKind, writeHoliday } from './calendar.ts';
import { splitForms } from './words.ts';

test('knows the names of weekdays, months, seasons and holidays in several languages', () => {
  for (const word of ['sunday', 'mondays', 'samstags', 'domingo', 'dimanche', 'воскресенье'])
    assert.equal(readDateKind(word), 'weekday', word);
  for (const word of ['july', 'dezember', 'enero', 'мая', 'winter', 'invierno'])
    assert.equal(readDateKind(word), 'month', word);
  for (const word of ['sun', 'mar', 'bike', 'to']) assert.equal(readDateKind(word), null, word);
  assert.equal(writeHoliday('christmas', 'english'), 'December 25');
  assert.equal(writeHoliday('weihnachten', 'german'), '25. Dezember');
  assert.equal(writeHoliday('bike', 'english'), null);
});

test('finds ranges of weekdays and months', () => {
  const ranges = {
    'open from Monday to Friday': ['weekday'],
    'Mo-Fr 9-18 Uhr': ['weekday'],
    'from May to September only': ['month'],
    'de lunes a viernes, de mayo a septiembre': ['weekday', 'month'],
    'on Saturdays and Sundays': [],
    'you may do that at any time': [],
  };
  for (const [text, kinds] of Object.entries(ranges))
    assert.deepEqual([...findDateRanges(splitForms(text))], kinds, text);
});

test('tells whether a text is about other dates than the question', () => {
  const hours = 'Monday to Friday, 9 to 18.';
  assert.equal(isAboutOtherDates('Are you open on christmas?', hours), true);
  assert.equal(isAboutOtherDates('Are the hours different in winter?', hours), true);
  assert.equal(isAboutOtherDates('Are you open on Sunday?', hours), false);
  assert.equal(isAboutOtherDates('Are you open in July?', 'From May to September.'), false);
  assert.equal(isAboutOtherDates('Are you open on christmas?', 'Closed on 25 December.'), false);
  assert.equal(isAboutOtherDates('Are you open on christmas?', 'Every day from 9 to 18.'), false);
  assert.equal(isAboutOtherDates('When are you open?', hours), false);
});
