import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailLanguages, writeMail } from './mail-texts.ts';

const given = {
  team: 'Café <script>alert("x")</script> & Söhne',
  expiresAt: new Date('2026-12-04T09:30:00Z'),
  baseUrl: 'https://parley.example.com/',
  brand: { name: "Anna's <b>Bots</b>", color: '#0b5cad', senderName: 'Anna' },
};

for (const kind of ['invitation', 'recovery', 'code'] as const)
  test(`writes the mail ${kind} in four languages, and shows names as text`, () => {
    const secret = kind === 'code' ? '04071826' : 'Zk3v9Qw1T0xS2nB7mL5cD8rJ4hP6yA_eUiOqWfGtKxM';
    const page = { invitation: 'invitation', recovery: 'reset', code: null }[kind];
    const shown = page === null ? secret : `https://parley.example.com/console/${page}#${secret}`;
    const subjects = mailLanguages.map((language) => {
      const { subject, text, html } = writeMail({ ...given, kind, secret, language });
      assert.ok(text.includes(`\n${shown}\n`), text);
      assert.ok(html.includes(shown) && html.includes(`<html lang="${language}">`), html);
      assert.doesNotMatch(html, /<script|<b>/);
      assert.match(html, /Anna&#39;s &lt;b&gt;Bots&lt;\/b&gt;/);
      for (const written of [subject, text, html]) assert.doesNotMatch(written, /undefined|\[object/);
      return subject;
    });
    assert.equal(new Set(subjects).size, 4);
  });

test('takes the language of a tag, or English', () => {
  const subjectIn = (language: string) =>
    writeMail({ ...given, kind: 'recovery', secret: 'x', language }).subject;
  assert.equal(subjectIn('pt-BR'), subjectIn('pt'));
  assert.equal(subjectIn('DE-at'), subjectIn('de'));
  assert.equal(subjectIn('ja'), subjectIn('en'));
  assert.equal(subjectIn('depth'), subjectIn('en'));
});
