import { Counter, type Registry } from 'prom-client';

export interface RotationMeters {
  values: Counter<'table'>;
}

export const createRotationMeters = (registry: Registry): RotationMeters => ({
  values: new Counter({
    name: 'parley_values_encrypted_again_total',
    help: 'Stored values encrypted again with the current key after a rotation of ENCRYPTION_KEY.',
    labelNames: ['table'],
    registers: [registry],
  }),
});
