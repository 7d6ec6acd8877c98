import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { DocumentType } from '../document-type.ts';
import { extractionFailures } from './extraction.ts';

/** What the server asks of the extraction process; a second message with the bytes of the document follows. */
export interface ExtractionRequest {
  type: DocumentType;
  maxInflatedBytes: number;
}

const answerSchema = Type.Union([
  Type.Object({
    sections: Type.Array(
      Type.Object({
        page: Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]),
        heading: Type.Union([Type.String(), Type.Null()]),
        text: Type.String(),
      }),
    ),
    chars: Type.Integer({ minimum: 0 }),
  }),
  Type.Object({
    failure: Type.Enum([...extractionFailures]),
    message: Type.String(),
  }),
]);

/** What it answers. */
export type ExtractionAnswer = Static<typeof answerSchema>;

const answerShape = Compile(answerSchema);

/** Checks an answer: the process has read a stranger's file and is not trusted any more. */
export function parseAnswer(message: Buffer): ExtractionAnswer {
  const answer: unknown = JSON.parse(message.toString());
  if (!answerShape.Check(answer)) throw new TypeError('The extraction process gave no proper answer');
  return answer;
}
