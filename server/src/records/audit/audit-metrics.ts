import { Gauge, type Registry } from 'prom-client';

export interface AuditMeters {
  head: Gauge<'head'>;
  rewritten: Gauge;
}

export const createAuditMeters = (registry: Registry): AuditMeters => ({
  head: new Gauge({
    name: 'parley_audit_head',
    help: 'Chained rows of the audit log. The label is the head of the chain, for parley audit verify --head.',
    labelNames: ['head'],
    registers: [registry],
  }),
  rewritten: new Gauge({
    name: 'parley_audit_rewritten',
    help: '1 after this process found that the audit log lost a head that it had seen.',
    registers: [registry],
  }),
});
