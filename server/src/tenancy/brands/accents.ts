type Rgb = readonly [number, number, number];

const white: Rgb = [255, 255, 255];
const black: Rgb = [0, 0, 0];
/** Surfaces on which accent-coloured text appears, with tint: the darkest of the light theme, the lightest of the dark one. */
const lightSurface: Rgb = [226, 232, 240];
const darkSurface: Rgb = [38, 46, 58];
/** WCAG 2.2 level AA for text. */
const minContrast = 4.6;

/** The colours that the console makes of an accent colour, like `#0b5cad`. */
export interface Accents {
  /** The ground of buttons. */
  accent: string;
  /** Text on it. */
  on_accent: string;
  /** Text and icons on the ground of the light theme, and of the dark one. */
  text_on_light: string;
  text_on_dark: string;
}

/** Text in the returned colours and on them is readable in both themes. */
export function accentsOf(color: string): Accents {
  const accent = parseColor(color);
  const onAccent = contrast(accent, white) >= minContrast ? white : black;
  return {
    accent: format(shiftUntilReadable(accent, onAccent, onAccent === white ? black : white)),
    on_accent: format(onAccent),
    text_on_light: format(shiftUntilReadable(accent, lightSurface, black)),
    text_on_dark: format(shiftUntilReadable(accent, darkSurface, white)),
  };
}

export function accentStyle(color: string): string {
  const { accent, on_accent, text_on_light, text_on_dark } = accentsOf(color);
  return [
    ':root {',
    `  --accent: ${accent};`,
    `  --on-accent: ${on_accent};`,
    `  --accent-text: light-dark(${text_on_light}, ${text_on_dark});`,
    '}\n',
  ].join('\n');
}

/** Mixes the colour with `towards` in steps until it contrasts with `background`. */
function shiftUntilReadable(color: Rgb, background: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = mix(color, towards, share);
    if (contrast(mixed, background) >= minContrast) return mixed;
  }
  return towards;
}

const mix = (from: Rgb, to: Rgb, share: number): Rgb => {
  const part = (position: 0 | 1 | 2) => Math.round(from[position] + (to[position] - from[position]) * share);
  return [part(0), part(1), part(2)];
};

function contrast(one: Rgb, other: Rgb): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** Relative luminance as WCAG 2 defines it. */
function luminance([red, green, blue]: Rgb): number {
  const linear = (value: number) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

function parseColor(color: string): Rgb {
  const part = (start: number) => Number.parseInt(color.slice(start, start + 2), 16);
  return [part(1), part(3), part(5)];
}

const format = ([red, green, blue]: Rgb): string =>
  `#${[red, green, blue].map((value) => value.toString(16).padStart(2, '0')).join('')}`;
