import type { PasskeyCreation, PasskeyRequest } from '@parley/sdk';

const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) =>
    character.charCodeAt(0),
  );

const toText = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** Asks the browser for a new passkey. Returns null if the person gave up. */
export async function createPasskey({ challenge, host, brand, user, algorithms, existing }: PasskeyCreation) {
  const credential = await ask(() =>
    navigator.credentials.create({
      publicKey: {
        challenge: toBytes(challenge),
        rp: { id: host, name: brand },
        user: { id: toBytes(user.id), name: user.name, displayName: user.display_name },
        pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
        excludeCredentials: existing.map((id) => ({ type: 'public-key', id: toBytes(id) })),
        authenticatorSelection: {
          residentKey: 'required',
          requireResidentKey: true,
          userVerification: 'required',
        },
      },
    }),
  );
  if (credential === null) return null;
  const response = credential.response as AuthenticatorAttestationResponse;
  return {
    id: credential.id,
    client_data: toText(response.clientDataJSON),
    attestation: toText(response.attestationObject),
  };
}

/** Asks the browser for one of its passkeys. Returns null if the person gave up. */
export async function askForPasskey({ challenge, host }: PasskeyRequest) {
  const credential = await ask(() =>
    navigator.credentials.get({
      publicKey: { challenge: toBytes(challenge), rpId: host, userVerification: 'required' },
    }),
  );
  if (credential === null) return null;
  const response = credential.response as AuthenticatorAssertionResponse;
  return {
    id: credential.id,
    client_data: toText(response.clientDataJSON),
    authenticator_data: toText(response.authenticatorData),
    signature: toText(response.signature),
    user: toText(response.userHandle ?? new ArrayBuffer(0)),
  };
}

async function ask(work: () => Promise<Credential | null>): Promise<PublicKeyCredential | null> {
  try {
    // A public key was asked for.
    return (await work()) as PublicKeyCredential | null;
  } catch (error) {
    if (error instanceof DOMException && error.name === 'NotAllowedError') return null;
    throw error;
  }
}
