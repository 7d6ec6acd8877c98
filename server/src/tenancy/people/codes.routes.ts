import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App } from '../../platform/http/fastify-app.ts';
import { Message, operation, success } from '../../platform/http/operation.ts';
import { CodeRequest, CodeSignIn, MailRequest } from './codes.schemas.ts';
import { type CodeDependencies, requestCode, requestRecovery, signInWithCode } from './codes.ts';
import { Session } from './people.schemas.ts';
import type { Browser, Started } from './people.ts';

export interface SignIn {
  base: string;
  shared: { tag: string; access: 'public'; extension: true; errors: readonly (401 | 403 | 429)[] };
  browserOf(request: FastifyRequest): Browser;
  /** Returns whether the request came over https. Throws 400 unless it did, or came from the machine itself. */
  requireSecure(request: FastifyRequest): boolean;
  signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    start: (browser: Browser) => Promise<Started>,
  ): Promise<{ success: true; data: Session }>;
}

/** Ways to sign in that prove an address by mail. */
export function codeRoutes(
  app: App,
  deps: CodeDependencies,
  { base, shared, browserOf, signIn }: SignIn,
): void {
  app.post(
    `${base}/code`,
    operation({
      ...shared,
      id: 'requestSignInCode',
      summary: 'Ask for a code by e-mail',
      description:
        'The response and its time are the same whether somebody has the address or not. An address gets at most 20 mails in an hour. Without a mail server, 400 `mail_not_configured`.',
      body: MailRequest,
      data: CodeRequest,
    }),
    async (request) => success(await requestCode(deps, browserOf(request), request.body)),
  );

  app.post(
    `${base}/code/verify`,
    operation({
      ...shared,
      id: 'signInWithCode',
      summary: 'Sign in with a code',
      description:
        'The code works once, for 10 minutes and 5 attempts, with the `request_id` and the address of its request. It proves the address: all users of the address who are active or invited become memberships of one person.',
      body: CodeSignIn,
      data: Session,
    }),
    async (request, reply) =>
      signIn(request, reply, (browser) => signInWithCode(deps, browser, request.body)),
  );

  app.post(
    `${base}/recovery`,
    operation({
      ...shared,
      id: 'requestRecoveryLink',
      summary: 'Ask for a link that sets a new password',
      description:
        'The mail has a link to the console for `POST /api/openapi/session/reset`. It works once, for an hour. The response and its time are the same whether somebody has the address or not. Without a mail server, 400 `mail_not_configured`.',
      body: MailRequest,
      data: Message,
    }),
    async (request) => {
      await requestRecovery(deps, browserOf(request), request.body);
      return success({ message: 'If somebody has this address, a mail is on its way' });
    },
  );
}
