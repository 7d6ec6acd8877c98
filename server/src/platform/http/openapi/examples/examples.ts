import { accessExamples } from './access.examples.ts';
import { botExamples } from './bot.examples.ts';
import { deviceExamples } from './device.examples.ts';
import { documentExamples } from './document.examples.ts';
import { eventExamples } from './event.examples.ts';
import type { Examples } from './example.ts';
import { messageExamples } from './message.examples.ts';
import { qualityExamples } from './quality.examples.ts';
import { teamExamples } from './team.examples.ts';

/** A request and a response of each operation, by operation id. */
export const operationExamples: Examples = {
  ...accessExamples,
  ...teamExamples,
  ...documentExamples,
  ...botExamples,
  ...qualityExamples,
  ...deviceExamples,
  ...messageExamples,
  ...eventExamples,
};
