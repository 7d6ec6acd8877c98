import { type Static, Type } from 'typebox';
import { Id, Nullable, Timestamp } from '../../platform/http/fields.ts';

const use = {
  answers: Type.Integer({ description: 'Of the answers that were read, how many are from it.' }),
  case_ids: Type.Array(Id(), { description: 'Cases that need it. They fail without it.' }),
};

const Questions = () => Type.Array(Type.String());

export const Health = Type.Object(
  {
    answers_read: Type.Integer({
      description: 'The answers of the bot among the newest 5,000 of its team.',
    }),
    duplicates: Type.Array(Type.Object({ questions: Questions() }), {
      description: 'Pairs whose questions seem to mean the same.',
    }),
    contradictions: Type.Array(
      Type.Object({
        questions: Questions(),
        numbers: Type.Array(Type.Array(Type.String()), {
          description: 'Of the answers, in the order of the questions.',
        }),
      }),
      { description: 'Duplicates whose answers have different numbers.' },
    ),
    pairs: Type.Array(
      Type.Object({
        question: Type.String(),
        unused: Type.Boolean({ description: 'No answer that was read is from it.' }),
        ...use,
      }),
      { description: 'All pairs of the draft, the least used first.' },
    ),
    documents: Type.Array(
      Type.Object({
        document_id: Id(),
        name: Type.String(),
        created_at: Timestamp(),
        latest_year: Nullable(
          Type.Integer({
            description: 'That the text mentions. Null without one, or if the provider keeps the text.',
          }),
        ),
        stale: Type.Boolean({
          description:
            'The latest year in the text is over, or the document is older than a year and mentions none.',
        }),
        unused: Type.Boolean({ description: 'No answer that was read quotes it.' }),
        ...use,
      }),
      { description: 'All documents of the draft, the least used first.' },
    ),
  },
  { title: 'Health' },
);
export type Health = Static<typeof Health>;
