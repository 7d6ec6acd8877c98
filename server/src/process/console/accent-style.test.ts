import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accentStyle } from './accent-style.ts';

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
  ]) {
    const style = accentStyle(color);
    const [, accent = ''] = /--accent: (#\w{6})/.exec(style) ?? [];
    const [, onAccent = ''] = /--on-accent: (#\w{6})/.exec(style) ?? [];
    const [, light = '', dark = ''] = /light-dark\((#\w{6}), (#\w{6})\)/.exec(style) ?? [];
    assert.ok(contrast(accent, onAccent) >= 4.5, `${color} fill ${accent} with ${onAccent}`);
    assert.ok(contrast(light, '#ffffff') >= 4.5, `${color} light ${light}`);
    assert.ok(contrast(dark, '#0d0f12') >= 4.5, `${color} dark ${dark}`);
  }
});

test('keeps an accent colour that is readable', () => {
  assert.match(accentStyle('#0b5cad'), /--accent: #0b5cad;/);
});
