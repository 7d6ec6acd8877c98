import { type Static, Type } from 'typebox';
import { expectedFirstUpdate } from '../../platform/http/expected-update.ts';
import { Nullable, Timestamp } from '../../platform/http/fields.ts';

const Times = () =>
  Type.Array(
    Type.Object(
      {
        from: Type.String({
          maxLength: 5,
          pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
          'x-pattern-means': 'must be a time from 00:00 to 23:59',
          examples: ['09:00'],
        }),
        until: Type.String({
          maxLength: 5,
          pattern: '^(([01][0-9]|2[0-3]):[0-5][0-9]|24:00)$',
          'x-pattern-means': 'must be a time from 00:00 to 24:00',
          examples: ['18:00'],
        }),
      },
      { additionalProperties: false, title: 'OpenTime' },
    ),
    { maxItems: 6, description: 'In order. Empty: closed.' },
  );

export const weekdays = [
  'sunday',
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
] as const;

export const Hours = Type.Object(
  {
    week: Type.Object(
      {
        monday: Times(),
        tuesday: Times(),
        wednesday: Times(),
        thursday: Times(),
        friday: Times(),
        saturday: Times(),
        sunday: Times(),
      },
      { additionalProperties: false, title: 'OpenWeek', description: "In the team's time zone." },
    ),
    exceptions: Type.Array(
      Type.Object(
        {
          date: Type.String({
            maxLength: 10,
            pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$',
            'x-pattern-means': 'must be a date like 2026-12-24',
            description: 'A day in the time zone of the team.',
            examples: ['2026-12-24'],
          }),
          times: Times(),
        },
        { additionalProperties: false, title: 'OpenException' },
      ),
      { maxItems: 100, description: 'Days with other times. The dates differ.' },
    ),
    text: Type.String({
      minLength: 1,
      maxLength: 1000,
      pattern: '^(?:(?=[\\s\\S]*\\S)[^\\u0000\\ud800-\\udfff]*)?$',
      'x-pattern-means': 'must not be blank or contain U+0000',
      description: 'The bot says this to a contact who asks for a person outside of these times.',
      examples: ['We are back on Monday at 9. We will write to you then.'],
    }),
  },
  { additionalProperties: false, title: 'Hours' },
);
export type Hours = Static<typeof Hours>;

export const PutHours = Type.Object(
  { hours: Type.Optional(Hours), ...expectedFirstUpdate },
  { additionalProperties: false, title: 'PutHours' },
);
export type PutHours = Static<typeof PutHours>;

export const StoredHours = Type.Object(
  {
    hours: Nullable(Hours),
    timezone: Type.String({ description: 'Of the settings of the team.' }),
    open: Type.Boolean({ description: 'Now.' }),
    updated_at: Nullable(Timestamp({ description: 'Null: nobody has set them.' })),
  },
  { title: 'StoredHours' },
);
export type StoredHours = Static<typeof StoredHours>;
