import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { accentStyle } from './accents.ts';

const luminance = (hex: string): number => {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((start) => {
    const share = Number.parseInt(hex.slice(start, start + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (one: string, other: string): number => {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
};

const style =
  /--accent: (#\w{6});\s+--on-accent: (#\w{6});\s+--accent-text: light-dark\((#\w{6}), (#\w{6})\)/;

/** The grounds of styles.css on which text in the accent colour appears, and WCAG's contrast of text. */
const lightGrounds = ['#ffffff', '#f6f7f9', '#eef0f3', '#e3e6ea'];
const darkGrounds = ['#0d0f12', '#121519', '#14181d', '#1a1f26', '#1e242c', '#272d36'];
const least = 4.5;

function assertReadable(color: string): void {
  const [, accent = '', onAccent = '', light = '', dark = ''] = style.exec(accentStyle(color)) ?? [];
  assert.ok(contrast(accent, onAccent) >= least, `${color}: ${onAccent} on ${accent}`);
  for (const ground of lightGrounds)
    assert.ok(contrast(light, ground) >= least, `${color}: ${light} on ${ground}`);
  for (const ground of darkGrounds)
    assert.ok(contrast(dark, ground) >= least, `${color}: ${dark} on ${ground}`);
}

test('text in and on every accent colour is readable in both themes', () => {
  for (const color of [
    '#000000',
    '#ffffff',
    '#ffee00',
    '#0b5cad',
    '#ff0000',
    '#00ff00',
    '#808080',
    '#767676',
  ])
    assertReadable(color);
  const channel = fc.integer({ min: 0, max: 255 });
  fc.assert(
    fc.property(fc.tuple(channel, channel, channel), (rgb) =>
      assertReadable(`#${rgb.map((part) => part.toString(16).padStart(2, '0')).join('')}`),
    ),
    { numRuns: 5_000 },
  );
});

test('keeps an accent colour that is readable', () => {
  assert.match(accentStyle('#0b5cad'), /--accent: #0b5cad;/);
});
