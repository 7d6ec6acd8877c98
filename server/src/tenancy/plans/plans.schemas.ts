import { type Static, Type } from 'typebox';
import { pageQuery } from '../../platform/http/pagination.ts';
import { Quotas } from '../teams/teams.schemas.ts';

const planFields = {
  features: Type.Object(
    { allowActiveMessaging: Type.Boolean({ description: 'Whether teams may send active messages.' }) },
    { title: 'PlanFeatures', additionalProperties: false },
  ),
  active_messages_monthly: Type.Integer({ minimum: 0, maximum: 2_000_000_000 }),
  paying: Type.Boolean({ description: 'Value of `paying` for a new team.' }),
  quotas: Quotas,
};

export const Plan = Type.Object({ name: Type.String(), ...planFields }, { title: 'Plan' });
export type Plan = Static<typeof Plan>;

export const ListPlans = Type.Object(pageQuery, { additionalProperties: false });

export const PutPlan = Type.Object(planFields, { additionalProperties: false });
export type PutPlan = Static<typeof PutPlan>;
