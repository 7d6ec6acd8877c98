import { Curve, type KeyPair, proto } from 'baileys';

/**
 * The chain with which a server of the network shows its key: leaf, intermediate, root. The client library in use does
 * not hold the signatures against the network's root (its check ignores the result), so any root will do.
 */
export function certificatesFor(server: KeyPair): Uint8Array {
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
