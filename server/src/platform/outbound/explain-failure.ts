import type { OutboundError } from './outbound-error.ts';

/**
 * Returns why a call failed, without addresses. A name whose address is private has the same cause as a name without an address,
 * so that callers cannot map a private network.
 */
export function explainFailure(
  { kind, mayHaveBeenSent, cause }: OutboundError,
  limits: { maxBytes: number; timeoutMs: number },
): string {
  switch (kind) {
    case 'host_unknown':
      return 'the host name has no public address';
    case 'not_public':
      return 'the address is not allowed: it must be public, on http(s), without another port or credentials';
    case 'timeout':
      return `the service did not respond within ${limits.timeoutMs / 1000} s`;
    case 'too_large':
      return `the response is larger than ${limits.maxBytes / 1024} KiB`;
    default:
      return (
        explainCode(readCode(cause)) ??
        (mayHaveBeenSent ? 'the response could not be read' : 'the host could not be reached')
      );
  }
}

/** The innermost code: outer errors wrap those of the connection. */
function readCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const inner = readCode(error.cause);
  return inner !== '' || !('code' in error) ? inner : String(error.code);
}

const explanations: readonly [RegExp, string][] = [
  [/CERT_HAS_EXPIRED/, 'the certificate of the host has expired'],
  [/SELF_SIGNED/, 'the certificate of the host is self-signed, or issued by an unknown authority'],
  [/ALTNAME/, 'the certificate of the host is for another name'],
  [/CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_(?:ISSUER|CRL)/, 'the certificate of the host cannot be verified'],
  [/^(?:ERR_SSL|EPROTO|ERR_TLS)/, 'the host does not accept a TLS connection'],
  [/^ECONNREFUSED/, 'the host refused the connection'],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)/, 'the host closed the connection without a complete response'],
];

const explainCode = (code: string): string | undefined =>
  explanations.find(([pattern]) => pattern.test(code))?.[1];
