import assert from 'node:assert/strict';
import { test } from 'node:test';
import { detectHumanRequest } from './human-request.ts';

test('detects requests for a person in seven languages', () => {
  const requests: [string, string][] = [
    ['Can I talk to a human?', 'en'],
    ['I want to SPEAK WITH a real person!!', 'en'],
    ['Please connect me to an agent', 'en'],
    ['human please', 'en'],
    ['I need a representative', 'en'],
    ['Quiero hablar con una persona', 'es'],
    ['¿Me puede comunicar con un asesor?', 'es'],
    ['quiero un agente', 'es'],
    ['Quero falar com um atendente', 'pt'],
    ['posso falar com alguém?', 'pt'],
    ['Ich möchte mit einem Menschen sprechen', 'de'],
    ['Kann ich mit einem Mitarbeiter reden?', 'de'],
    ['Je voudrais parler à un conseiller', 'fr'],
    ["J'aimerais parler avec une personne", 'fr'],
    ['Vorrei parlare con un operatore', 'it'],
    ['Kan ik met een medewerker spreken?', 'nl'],
  ];
  for (const [text, language] of requests) assert.equal(detectHumanRequest(text), language, text);
});

test('does not detect a request in questions about people', () => {
  const questions = [
    'How many persons fit in the boat?',
    'Is there a human rights museum?',
    'What does the travel agent cost?',
    '¿Cuántas personas caben?',
    'Quanto custa para uma pessoa?',
    'Was kostet es pro Person?',
    'Combien de personnes ?',
    'Quante persone?',
    'Hoeveel personen?',
    'Do you speak English?',
    `I would like to talk to a person. ${'x'.repeat(500)}`,
    '',
  ];
  for (const text of questions) assert.equal(detectHumanRequest(text), null, text);
});
