import type { Defect } from './defect.ts';
import { accessDefects } from './defects/access.ts';
import { answeringDefects } from './defects/answering.ts';
import { deliveryDefects } from './defects/delivery.ts';
import { outboundDefects } from './defects/outbound.ts';
import { poolDefects } from './defects/pools.ts';
import { quotaDefects } from './defects/quotas.ts';
import { tenancyDefects } from './defects/tenancy.ts';

/** All defects that `npm run sabotage` tries. */
export const defects: readonly Defect[] = [
  ...accessDefects,
  ...tenancyDefects,
  ...quotaDefects,
  ...outboundDefects,
  ...deliveryDefects,
  ...poolDefects,
  ...answeringDefects,
];
