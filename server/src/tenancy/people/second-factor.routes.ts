import type { FastifyRequest } from 'fastify';
import type { App } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import type { CodeDependencies } from './codes.ts';
import { FreshProof } from './fresh-proof.schemas.ts';
import { requireFreshProof } from './fresh-proof.ts';
import {
  ConfirmSecondFactor,
  RecoveryCodes,
  RemoveSecondFactor,
  StartedSecondFactor,
} from './second-factor.schemas.ts';
import { confirmSecondFactor, removeSecondFactor, startSecondFactor } from './second-factor.ts';

interface Own {
  base: string;
  own: { tag: string; access: 'session'; extension: true };
  signedIn(request: FastifyRequest): { id: string; personId: string };
}

/** The second factor of the person who is signed in. */
export function secondFactorRoutes(app: App, deps: CodeDependencies, { base, own, signedIn }: Own): void {
  app.post(
    `${base}/totp`,
    operation({
      ...own,
      id: 'startSecondFactor',
      summary: 'Begin a second factor',
      description:
        'Returns the secret for an authenticator app (TOTP), which counts once a code of the app confirms it, within 15 minutes. With a second factor, 400 `second_factor_active`. 10 minutes after the sign-in, it takes a proof of the person.',
      errors: [429],
      body: FreshProof,
      data: StartedSecondFactor,
    }),
    async (request) => {
      const session = signedIn(request);
      await requireFreshProof(deps, session, request.ip, request.body);
      return success(await startSecondFactor(deps, session.personId));
    },
  );

  app.post(
    `${base}/totp/confirm`,
    operation({
      ...own,
      id: 'confirmSecondFactor',
      summary: 'Confirm the second factor with a code',
      description:
        'From now on, a sign-in with a password or by e-mail needs a code, too. Returns 10 recovery codes, once. Other sessions stay.',
      errors: [429],
      body: ConfirmSecondFactor,
      data: RecoveryCodes,
    }),
    async (request) =>
      success(await confirmSecondFactor(deps, signedIn(request).personId, request.body.code)),
  );

  app.post(
    `${base}/totp/remove`,
    operation({
      ...own,
      id: 'deleteSecondFactor',
      summary: 'Remove the second factor',
      description: 'With the password of the person, or with a code. The recovery codes end, too.',
      errors: [429],
      body: RemoveSecondFactor,
      data: Message,
    }),
    async (request) => {
      const { personId } = signedIn(request);
      await removeSecondFactor(deps, { personId, address: request.ip }, request.body);
      return success({ message: 'Second factor removed' });
    },
  );
}
