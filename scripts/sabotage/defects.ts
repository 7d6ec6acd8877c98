import type { Defect } from './defect.ts';
import { accessDefects } from './defects/access.ts';
import { answeringDefects } from './defects/answering.ts';
import { outboundDefects } from './defects/outbound.ts';

/** Every mistake that `npm run sabotage` makes. */
export const defects: readonly Defect[] = [...accessDefects, ...outboundDefects, ...answeringDefects];
