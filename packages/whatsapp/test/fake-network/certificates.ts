import { Curve, type KeyPair, proto } from 'baileys';

/** Creates a certificate chain. Any root works, because the client library ignores the result of its check. */
export function createCertificates(server: KeyPair): Uint8Array {
  const root = Curve.generateKeyPair();
  const intermediate = Curve.generateKeyPair();
  return proto.CertChain.encode({
    leaf: signed({ serial: 2, issuerSerial: 1, key: server.public }, intermediate),
    intermediate: signed({ serial: 1, issuerSerial: 0, key: intermediate.public }, root),
  }).finish();
}

function signed(
  certificate: { serial: number; issuerSerial: number; key: Uint8Array },
  issuer: KeyPair,
): proto.CertChain.INoiseCertificate {
  const details = proto.CertChain.NoiseCertificate.Details.encode({
    ...certificate,
    notBefore: 0,
    notAfter: 4_102_444_800,
  }).finish();
  return { details, signature: Curve.sign(issuer.private, details) };
}
