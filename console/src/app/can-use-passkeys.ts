/** Browsers make passkeys on secure pages, for host names and not for addresses. */
export const canUsePasskeys =
  globalThis.PublicKeyCredential !== undefined && !/^\[|^[\d.]+$/.test(globalThis.location?.hostname ?? '');
