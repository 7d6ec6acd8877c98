import ipaddr from 'ipaddr.js';

/** Global unicast: the only IPv6 addresses of internet hosts. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');

/** Public addresses that reach the cloud's own host. */
const cloudHosts = new Set(['168.63.129.16']);

/** Rejects addresses that embed another one (mapped, 6to4, Teredo, NAT64). */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || cloudHosts.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

/** IPv6 addresses have several spellings. */
export function isSameAddress(a: string, b: string): boolean {
  return (
    ipaddr.isValid(a) && ipaddr.isValid(b) && ipaddr.process(a).toString() === ipaddr.process(b).toString()
  );
}
