import type { Defect } from './defect.ts';
import { accessDefects } from './defects/access.ts';
import { answeringDefects } from './defects/answering.ts';
import { deliveryDefects } from './defects/delivery.ts';
import { eventDefects } from './defects/events.ts';
import { keyDefects } from './defects/keys.ts';
import { hostedKnowledgeDefects, knowledgeDefects } from './defects/knowledge.ts';
import { linkedDeviceDefects } from './defects/linked-devices.ts';
import { operationsDefects } from './defects/operations.ts';
import { outboundDefects } from './defects/outbound.ts';
import { poolDefects } from './defects/pools.ts';
import { quotaDefects } from './defects/quotas.ts';
import { tenancyDefects } from './defects/tenancy.ts';
import { uploadDefects } from './defects/uploads.ts';
import { voiceAndImageDefects } from './defects/voice-and-images.ts';

/** All defects that `npm run sabotage` tries. */
export const defects: readonly Defect[] = [
  ...accessDefects,
  ...tenancyDefects,
  ...quotaDefects,
  ...outboundDefects,
  ...deliveryDefects,
  ...poolDefects,
  ...linkedDeviceDefects,
  ...answeringDefects,
  ...voiceAndImageDefects,
  ...knowledgeDefects,
  ...hostedKnowledgeDefects,
  ...keyDefects,
  ...uploadDefects,
  ...operationsDefects,
  ...eventDefects,
];
