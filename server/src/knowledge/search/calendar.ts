import { allLanguages, languageCodes } from './languages.ts';
import lists from './word-lists.json' with { type: 'json' };
import { foldDiacritics, splitForms } from './words.ts';

/** A range speaks about all days of the week, or all months: "Monday to Friday" tells about Sunday. */
type Kind = 'weekday' | 'month';

interface DateWord {
  kind: Kind;
  /** The weekday or month, from 0. Null for a season. */
  at: number | null;
  /** Abbreviations count in ranges only, because they are words, too. */
  isShort: boolean;
}

const fold = (text: string): string[] => splitForms(text).map(foldDiacritics);

/** A week that begins on a Sunday. */
const sunday = Date.UTC(2023, 0, 1);
const dayMs = 86_400_000;

function listDateWords(): Map<string, DateWord> {
  const words = new Map<string, DateWord>();
  const add = (text: string, word: DateWord) => {
    for (const form of fold(text)) if (/^\p{L}{2}/u.test(form) && !words.has(form)) words.set(form, word);
  };
  for (const isShort of [false, true]) {
    for (const language of allLanguages) {
      if (language === 'simple') continue;
      const write = (kind: Kind, format: Intl.DateTimeFormatOptions, date: number): string =>
        new Intl.DateTimeFormat(languageCodes[language], { ...format, timeZone: 'UTC' })
          .formatToParts(date)
          .flatMap(({ type, value }) => (type === kind ? value : []))
          .join(' ');
      const length = isShort ? 'short' : 'long';
      for (let at = 0; at < 12; at += 1) {
        const month = Date.UTC(2023, at, 1);
        add(write('month', { month: length }, month), { kind: 'month', at, isShort });
        add(write('month', { month: length, day: 'numeric' }, month), { kind: 'month', at, isShort });
        const day = sunday + at * dayMs;
        if (at < 7) add(write('weekday', { weekday: length }, day), { kind: 'weekday', at, isShort });
      }
    }
  }
  for (const season of lists.seasons.split(' ')) add(season, { kind: 'month', at: null, isShort: false });
  return words;
}

const dateWords = listDateWords();
const holidays = new Map(
  Object.entries(lists.holidays).flatMap(([date, names]) =>
    names.split(' ').map((name) => [foldDiacritics(name), new Date(`2023-${date}T00:00:00Z`)] as const),
  ),
);

const readWord = (form: string): DateWord | undefined =>
  dateWords.get(form) ?? dateWords.get(form.replace(/s$/, ''));

/** Returns the kind of date that a word of a question names. */
export function readDateKind(form: string): Kind | null {
  const word = readWord(form);
  return word === undefined || word.isShort ? null : word.kind;
}

/** Returns the date of a holiday as texts write it, `25 December`. Null for another word. */
export function writeHoliday(form: string, language: (typeof allLanguages)[number]): string | null {
  const date = holidays.get(foldDiacritics(form));
  if (date === undefined) return null;
  const code = language === 'simple' ? 'en' : languageCodes[language];
  return new Intl.DateTimeFormat(code, { day: 'numeric', month: 'long', timeZone: 'UTC' }).format(date);
}

/** Words between the ends of a range. Abbreviations stand closer, because many are also other words. */
const widestGap = 2;
const widestShortGap = 1;

/** Returns the kinds of ranges and lists that a text contains: "Monday to Friday", "May – September". */
export function findDateRanges(forms: readonly string[]): ReadonlySet<Kind> {
  const named = forms.flatMap((form, index) => {
    const word = readWord(foldDiacritics(form));
    return word === undefined || word.at === null ? [] : [{ ...word, at: word.at, index }];
  });
  const isRange = ({ kind, at, isShort, index }: (typeof named)[number]): boolean => {
    const before = named.findLast(
      (other) => other.kind === kind && other.isShort === isShort && other.index < index,
    );
    if (before === undefined) return false;
    const steps = Math.abs(at - before.at);
    // Neighbours, such as Saturday and Sunday, are no range.
    return (
      index - before.index - 1 <= (isShort ? widestShortGap : widestGap) &&
      steps > 1 &&
      steps < (kind === 'weekday' ? 6 : 11)
    );
  };
  return new Set(named.filter(isRange).map(({ kind }) => kind));
}

/** Whether a text is about other dates than the question: it names some, but not those of the question. */
export function isAboutOtherDates(question: string, text: string): boolean {
  const forms = fold(text);
  const asked = fold(question).filter((form) => holidays.has(form) || readDateKind(form) !== null);
  const ranges = findDateRanges(forms);
  const named = forms.map(readWord);
  const isMet = (form: string): boolean => {
    const word = readWord(form);
    if (forms.includes(form) || (word !== undefined && ranges.has(word.kind))) return true;
    const month = holidays.get(form)?.getUTCMonth() ?? word?.at ?? null;
    return (
      month !== null && named.some((each) => each?.at === month && each.kind === (word?.kind ?? 'month'))
    );
  };
  return (
    asked.some((form) => !isMet(form)) &&
    named.some((word) => (word !== undefined && !word.isShort) || ranges.size > 0)
  );
}
