import type { Defect } from './defect.ts';
import { accessDefects } from './defects/access.ts';
import { answeringDefects } from './defects/answering.ts';
import { deliveryDefects } from './defects/delivery.ts';
import { moneyDefects } from './defects/money.ts';
import { outboundDefects } from './defects/outbound.ts';
import { ownershipDefects } from './defects/ownership.ts';
import { recordsDefects } from './defects/records.ts';
import { tenancyDefects } from './defects/tenancy.ts';

/** All defects that `npm run sabotage` tries: what guards money, tenancy, ownership, delivery and access. */
export const defects: readonly Defect[] = [
  ...accessDefects,
  ...tenancyDefects,
  ...moneyDefects,
  ...outboundDefects,
  ...deliveryDefects,
  ...ownershipDefects,
  ...answeringDefects,
  ...recordsDefects,
];
